/** The calls that manage authorized views, with bad input. */
import { status } from '@grpc/grpc-js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { RawClient, serveMemory, utf8 } from './raw-client.js';

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
const get = async (requested: string) =>
  (await tables('GetAuthorizedView', { name: view, view: requested })).messages[0];
const data = (method: string, request: object) => client.call('data', method, request);

describe('administration', () => {
  test('a view is created, read in three forms, listed in pages and deleted', async () => {
    const { messages } = await create('v', {
      subsetView,
      etag: 'ignored',
      deletionProtection: true,
    });
    expect(messages[0]).toMatchObject({ done: true });
    const full = await get('FULL');
    expect(full).toMatchObject({ name: view, subsetView, deletionProtection: true });
    expect(full.etag).not.toBe('ignored');
    const { subsetView: _, ...basic } = full;
    expect(await get('BASIC')).toEqual(basic);
    // Google's Go client takes the subset from it.
    expect(await get('RESPONSE_VIEW_UNSPECIFIED')).toEqual(full);
    expect(await get('NAME_ONLY')).toEqual({ name: view });
    await create('w', { subsetView: {} });
    const page = (pageToken: string) =>
      tables('ListAuthorizedViews', { parent: table, pageSize: 1, pageToken });
    const first = (await page('')).messages[0];
    expect(first.authorizedViews).toEqual([{ name: view }]);
    const second = (await page(first.nextPageToken)).messages[0];
    expect(second).toEqual({ authorizedViews: [{ name: `${table}/authorizedViews/w` }] });
    expect(await tables('DeleteAuthorizedView', { name: view })).toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    expect(
      await tables('DeleteAuthorizedView', { name: `${table}/authorizedViews/w` }),
    ).toMatchObject({ code: 0 });
  });

  test.each([
    ['an id of wrong form', 'a/b', { subsetView }, status.INVALID_ARGUMENT],
    ['an id that is too long', 'x'.repeat(51), { subsetView }, status.INVALID_ARGUMENT],
    ['no subset', 'v', {}, status.INVALID_ARGUMENT],
    ['another name', 'v', { name: `${view}x`, subsetView }, status.INVALID_ARGUMENT],
    [
      'an unknown family',
      'v',
      { subsetView: { familySubsets: { c: { qualifiers: [utf8('q')] } } } },
      status.NOT_FOUND,
    ],
    [
      'a prefix longer than a key',
      'v',
      { subsetView: { rowPrefixes: [Buffer.alloc(4097)] } },
      status.INVALID_ARGUMENT,
    ],
    [
      'eleven prefixes of qualifiers',
      'v',
      {
        subsetView: {
          familySubsets: {
            a: { qualifierPrefixes: ['a', 'b', 'c', 'd', 'e', 'f'].map(utf8) },
            b: { qualifierPrefixes: ['g', 'h', 'i', 'j', 'k'].map(utf8) },
          },
        },
      },
      status.INVALID_ARGUMENT,
    ],
  ])('%s is refused', async (_, id, authorizedView, code) => {
    expect(await create(id, authorizedView)).toMatchObject({ code });
    const { messages } = await tables('ListAuthorizedViews', { parent: table });
    expect(messages).toEqual([{}]);
  });

  test('an id in use, a table that does not exist, and names of wrong form', async () => {
    await create('v', { subsetView });
    expect(await create('v', { subsetView })).toMatchObject({ code: status.ALREADY_EXISTS });
    const elsewhere = `${instance}/tables/missing`;
    expect(await create('v', { subsetView }, elsewhere)).toMatchObject({ code: status.NOT_FOUND });
    expect(await tables('ListAuthorizedViews', { parent: elsewhere })).toMatchObject({
      code: status.NOT_FOUND,
    });
    for (const method of ['GetAuthorizedView', 'DeleteAuthorizedView']) {
      expect(await tables(method, { name: table })).toMatchObject({
        code: status.INVALID_ARGUMENT,
      });
      expect(await tables(method, { name: `${view}x` })).toMatchObject({
        code: status.NOT_FOUND,
      });
    }
    expect(await tables('GetAuthorizedView', { name: view, view: 9 })).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  test('updates: masks, etags, and changes that make a view more restrictive', async () => {
    await create('v', { subsetView });
    const update = (authorizedView: object, paths: string[] = [], more: object = {}) =>
      tables('UpdateAuthorizedView', {
        authorizedView: { name: view, ...authorizedView },
        updateMask: { paths },
        ...more,
      });
    const before = await get('FULL');
    expect(await update({ deletionProtection: true })).toMatchObject({ code: 0 });
    const after = await get('FULL');
    expect(after).toMatchObject({ subsetView, deletionProtection: true });
    expect(after.etag).not.toBe(before.etag);
    expect(await update({ etag: before.etag, deletionProtection: false })).toMatchObject({
      code: status.ABORTED,
    });
    expect(await update({ etag: after.etag }, ['deletion_protection'])).toMatchObject({ code: 0 });
    expect((await get('FULL')).deletionProtection).toBeUndefined();
    for (const paths of [['name'], ['subset_view.unknown'], ['nothing']])
      expect(await update({}, paths)).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(await update({})).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(await update({}, ['subset_view'])).toMatchObject({ code: status.INVALID_ARGUMENT });
    const narrower = { ...subsetView, rowPrefixes: [utf8('r11')] };
    const refused = await update({ subsetView: narrower });
    expect(refused).toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(await get('FULL')).toMatchObject({ subsetView });
    const ignoreWarnings = { ignoreWarnings: true };
    expect(await update({ subsetView: narrower }, [], ignoreWarnings)).toMatchObject({ code: 0 });
    const all = {
      rowPrefixes: [utf8('')],
      familySubsets: { a: { qualifierPrefixes: [utf8('')] } },
    };
    expect(await update({ subsetView: all }, ['*'])).toMatchObject({ code: 0 });
    expect(await get('FULL')).toMatchObject({ subsetView: all });
  });

  test('a wrong etag does not delete, the right one does', async () => {
    await create('v', { subsetView });
    const { etag } = await get('BASIC');
    const remove = (given: string) => tables('DeleteAuthorizedView', { name: view, etag: given });
    expect(await remove('wrong')).toMatchObject({ code: status.ABORTED });
    expect(await remove(etag)).toMatchObject({ code: 0 });
  });

  test('a protected view keeps its table and its instance; another view goes with the table', async () => {
    await create('v', { subsetView, deletionProtection: true });
    const refused = { code: status.FAILED_PRECONDITION };
    expect(await tables('DeleteTable', { name: table })).toMatchObject(refused);
    const removal = client.call('instances', 'DeleteInstance', { name: instance });
    expect(await removal).toMatchObject(refused);
    await tables('UpdateAuthorizedView', {
      authorizedView: { name: view },
      updateMask: { paths: ['deletion_protection'] },
    });
    expect(await tables('DeleteTable', { name: table })).toMatchObject({ code: 0 });
    const missing = { code: status.NOT_FOUND };
    expect(await tables('GetAuthorizedView', { name: view })).toMatchObject(missing);
    expect(await data('ReadRows', { authorizedViewName: view })).toMatchObject(missing);
    await createTable();
    expect(await tables('GetAuthorizedView', { name: view })).toMatchObject(missing);
  });

  test('a view of a table that was dropped through the engine is gone', async () => {
    await create('v', { subsetView });
    await served.engine.deleteTable('t');
    const missing = { code: status.NOT_FOUND };
    expect(await tables('GetAuthorizedView', { name: view })).toMatchObject(missing);
    expect(await data('ReadRows', { authorizedViewName: view })).toMatchObject(missing);
  });

  test('a view has an access policy, which goes with it', async () => {
    const policy = (method: string, more: object = {}) =>
      tables(method, { resource: view, ...more });
    expect(await policy('GetIamPolicy')).toMatchObject({ code: status.NOT_FOUND });
    await create('v', { subsetView });
    const bindings = [{ role: 'roles/bigtable.reader', members: ['user:a@b.c'] }];
    await policy('SetIamPolicy', { policy: { bindings } });
    expect((await policy('GetIamPolicy')).messages[0]).toMatchObject({ bindings });
    await tables('DeleteAuthorizedView', { name: view });
    await create('v', { subsetView });
    expect((await policy('GetIamPolicy')).messages[0].bindings).toBeUndefined();
  });

  test('views outlive the server', async () => {
    const engine = await openMemoryEngine();
    const first = await startServer(engine);
    const before = new RawClient(first.address);
    await before.unary('tables', 'CreateTable', {
      parent: instance,
      tableId: 't',
      table: { columnFamilies: { a: {} } },
    });
    await before.unary('tables', 'CreateAuthorizedView', {
      parent: table,
      authorizedViewId: 'v',
      authorizedView: { subsetView },
    });
    before.client.close();
    await first.close();
    const second = await startServer(engine);
    const after = new RawClient(second.address);
    expect(
      (await after.call('tables', 'GetAuthorizedView', { name: view, view: 'FULL' })).messages[0],
    ).toMatchObject({ subsetView });
    after.client.close();
    await second.close();
    await engine.close();
  });
});
