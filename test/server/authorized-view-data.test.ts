/** Data calls through authorized views, with bad input. */
import { status } from '@grpc/grpc-js';
import { type RawClient, serveMemory, setCell, utf8 } from './raw-client.js';

const instance = 'projects/p/instances/views';
const table = `${instance}/tables/t`;
const view = `${table}/authorizedViews/v`;
const subsetView = {
  rowPrefixes: [utf8('r1')],
  familySubsets: { a: { qualifiers: [utf8('q')], qualifierPrefixes: [utf8('p')] } },
};

let served: Awaited<ReturnType<typeof serveMemory>>;
let client: RawClient;
beforeEach(async () => {
  served = await serveMemory();
  client = served.client;
  await createTable();
});
afterEach(() => served.close());

const createTable = (tableId = 't') =>
  client.unary('tables', 'CreateTable', {
    parent: instance,
    tableId,
    table: { columnFamilies: { a: {}, b: {} } },
  });
const create = (authorizedViewId: string, authorizedView: object, parent = table) =>
  client.call('tables', 'CreateAuthorizedView', { parent, authorizedViewId, authorizedView });
const tables = (method: string, request: object) => client.call('tables', method, request);
const data = (method: string, request: object) => client.call('data', method, request);

describe('data', () => {
  const rows = async (request: object = {}) =>
    (await client.rows({ authorizedViewName: view, ...request })).flatMap(({ key, cells }) =>
      cells.map(({ family, qualifier, value }) =>
        [key, family, qualifier, value].map((part) => Buffer.from(part as never)).join(' '),
      ),
    );
  const denied = {
    code: status.PERMISSION_DENIED,
    details: `Cannot mutate from ${view} because the mutation contains cells outside the Authorized View.`,
  };
  const mutate = (rowKey: string, ...mutations: object[]) =>
    data('MutateRow', { authorizedViewName: view, rowKey: utf8(rowKey), mutations });

  beforeEach(async () => {
    await create('v', { subsetView });
    for (const key of ['r1', 'r11', 'r2'])
      await client.unary('data', 'MutateRow', {
        tableName: table,
        rowKey: utf8(key),
        mutations: [
          setCell('a', 'q', 'q'),
          setCell('a', 'p1', 'p'),
          setCell('a', 'x', 'hidden'),
          setCell('b', 'q', 'hidden'),
        ],
      });
  });

  test('the request names a table or a view, and not both or none', async () => {
    const invalid = { code: status.INVALID_ARGUMENT };
    const both = { tableName: table, authorizedViewName: view };
    for (const [method, more] of [
      ['ReadRows', {}],
      ['SampleRowKeys', {}],
      ['MutateRow', { rowKey: utf8('r1'), mutations: [setCell('a', 'q', 'v')] }],
      ['MutateRows', { entries: [{ rowKey: utf8('r1'), mutations: [setCell('a', 'q', 'v')] }] }],
      ['CheckAndMutateRow', { rowKey: utf8('r1'), trueMutations: [setCell('a', 'q', 'v')] }],
      [
        'ReadModifyWriteRow',
        {
          rowKey: utf8('r1'),
          rules: [{ familyName: 'a', columnQualifier: utf8('q'), appendValue: utf8('x') }],
        },
      ],
    ] as const) {
      expect(await data(method, { ...both, ...more })).toMatchObject(invalid);
      expect(await data(method, more)).toMatchObject(invalid);
      expect(await data(method, { authorizedViewName: table, ...more })).toMatchObject(invalid);
      expect(await data(method, { authorizedViewName: `${view}x`, ...more })).toMatchObject({
        code: status.NOT_FOUND,
      });
    }
  });

  test('reads show the cells of the view, whatever a filter does', async () => {
    const shown = ['r1 a p1 p', 'r1 a q q', 'r11 a p1 p', 'r11 a q q'];
    expect(await rows()).toEqual(shown);
    expect(await rows({ filter: { passAllFilter: true } })).toEqual(shown);
    expect(await rows({ filter: { valueRegexFilter: utf8('hidden') } })).toEqual([]);
    expect(await rows({ filter: { familyNameRegexFilter: 'b' } })).toEqual([]);
    const chain = { filters: [{ cellsPerRowLimitFilter: 1 }, { sink: true }] };
    expect(await rows({ filter: { chain } })).toEqual(['r1 a p1 p', 'r11 a p1 p']);
    expect(await rows({ rows: { rowKeys: [utf8('r2'), utf8('r11')] } })).toEqual(shown.slice(2));
    expect(
      await rows({ rows: { rowRanges: [{ startKeyOpen: utf8('r1') }] }, rowsLimit: 5 }),
    ).toEqual(shown.slice(2));
    expect(await rows({ reversed: true, rowsLimit: 1 })).toEqual(shown.slice(2));
    expect(await rows({ rows: { rowKeys: [utf8('r2')] } })).toEqual([]);
  });

  test('sampled keys are the keys of the view, and the end of its rows', async () => {
    await client.unary('tables', 'CreateTable', {
      parent: instance,
      tableId: 'split',
      table: { columnFamilies: { a: {} } },
    });
    await create('v', { subsetView }, `${instance}/tables/split`);
    const { messages } = await data('SampleRowKeys', {
      authorizedViewName: `${instance}/tables/split/authorizedViews/v`,
    });
    expect(messages.map(({ rowKey }) => String(rowKey))).toEqual(['r2']);
  });

  test('a condition sees the view, and both branches are checked', async () => {
    const check = (request: object) =>
      data('CheckAndMutateRow', { authorizedViewName: view, rowKey: utf8('r1'), ...request });
    const inside = setCell('a', 'q', 'new');
    const hidden = { valueRegexFilter: utf8('hidden') };
    expect(
      (await check({ predicateFilter: hidden, falseMutations: [inside] })).messages[0],
    ).toEqual({});
    const outside = setCell('b', 'q', 'v');
    expect(await check({ trueMutations: [inside], falseMutations: [outside] })).toMatchObject(
      denied,
    );
    // A row without a cell in the view does not exist in it.
    await client.unary('data', 'MutateRow', {
      tableName: table,
      rowKey: utf8('r12'),
      mutations: [setCell('b', 'q', 'hidden')],
    });
    const unseen = await check({ rowKey: utf8('r12'), falseMutations: [inside] });
    expect(unseen.messages[0]).toEqual({});
  });

  test('deletions of more than the view has are refused', async () => {
    const row = { deleteFromRow: {} };
    const family = { deleteFromFamily: { familyName: 'a' } };
    expect(await mutate('r1', row)).toMatchObject(denied);
    expect(await mutate('r1', family)).toMatchObject(denied);
    const column = (columnQualifier: string) => ({
      deleteFromColumn: { familyName: 'a', columnQualifier: utf8(columnQualifier) },
    });
    expect(await mutate('r1', column('x'))).toMatchObject(denied);
    expect(await mutate('r1', column('p1'))).toMatchObject({ code: 0 });
    expect(await rows({ rows: { rowKeys: [utf8('r1')] } })).toEqual(['r1 a q q']);
    const everything = { qualifierPrefixes: [utf8('')] };
    await tables('UpdateAuthorizedView', {
      authorizedView: {
        name: view,
        subsetView: { rowPrefixes: [utf8('r1')], familySubsets: { a: everything } },
      },
    });
    expect(await mutate('r1', row)).toMatchObject(denied);
    expect(await mutate('r1', family)).toMatchObject({ code: 0 });
    await tables('UpdateAuthorizedView', {
      authorizedView: {
        name: view,
        subsetView: { rowPrefixes: [utf8('r1')], familySubsets: { a: everything, b: everything } },
      },
    });
    expect(await mutate('r1', row)).toMatchObject({ code: 0 });
    expect(await mutate('r2', row)).toMatchObject(denied);
  });

  test('entries of MutateRows have statuses of their own', async () => {
    const entry = (key: string, ...mutations: object[]) => ({ rowKey: utf8(key), mutations });
    const { code, messages } = await data('MutateRows', {
      authorizedViewName: view,
      entries: [
        entry('r1', setCell('a', 'q', 'new')),
        entry('r2', setCell('a', 'q', 'new')),
        entry('r1', setCell('a', 'q', 'never'), setCell('b', 'q', 'never')),
        entry('r13', setCell('a', 'p2', 'new')),
      ],
    });
    expect(code).toBe(0);
    expect(messages[0].entries.map((each: any) => each.status.code ?? 0)).toEqual([
      0,
      denied.code,
      denied.code,
      0,
    ]);
  });

  test('a family that is dropped leaves the view with its other families', async () => {
    await tables('UpdateAuthorizedView', {
      authorizedView: {
        name: view,
        subsetView: {
          ...subsetView,
          familySubsets: { ...subsetView.familySubsets, b: { qualifiers: [utf8('q')] } },
        },
      },
    });
    const one = { rows: { rowKeys: [utf8('r1')] } };
    expect(await rows(one)).toHaveLength(3);
    await tables('ModifyColumnFamilies', { name: table, modifications: [{ id: 'b', drop: true }] });
    expect(await rows(one)).toHaveLength(2);
    expect(await mutate('r1', setCell('b', 'q', 'v'))).toMatchObject(denied);
  });

  test('a view without prefixes, or without columns, shows nothing and takes no writes', async () => {
    for (const empty of [
      { familySubsets: subsetView.familySubsets },
      { rowPrefixes: [utf8('')] },
    ]) {
      await tables('UpdateAuthorizedView', {
        authorizedView: { name: view, subsetView: empty },
        ignoreWarnings: true,
      });
      expect(await rows()).toEqual([]);
      expect(await mutate('r1', setCell('a', 'q', 'v'))).toMatchObject(denied);
    }
  });
});
