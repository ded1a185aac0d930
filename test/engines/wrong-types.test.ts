/**
 * Arguments of wrong types, which only JavaScript can pass: every call of every engine rejects them
 * with a typed error or ignores them, and leaves the data as it was.
 */
import { everyKey, RowsmithError } from '../../src/base/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type GcRule,
  type Mutation,
  type RowStream,
} from '../../src/data/store/index.js';
import { type LiveUnderTest, openOverOurServer } from './bigtable/live-backends.js';
import { utf8 } from './conformance.js';

/** The method, and arguments that it takes. */
type Call = readonly [method: keyof Engine, args: readonly unknown[]];

const key = utf8('k');
const qualifier = utf8('q');
const cell = { kind: 'setCell', family: 'a', qualifier, timestamp: 1000, value: utf8('v') };
const column = { kind: 'deleteFromColumn', family: 'a', qualifier, start: 0, end: 1000 };
const filter = {
  kind: 'chain',
  filters: [
    { kind: 'families', families: ['a'] },
    { kind: 'columns', columns: [{ family: 'a', qualifiers: [qualifier] }] },
    { kind: 'interleave', filters: [{ kind: 'cellsPerColumn', count: 1 }] },
    { kind: 'columnRange', family: 'a', start: { qualifier, inclusive: true } },
    { kind: 'valueRange', end: { value: utf8('z'), inclusive: true } },
    { kind: 'valueRegex', pattern: utf8('.*') },
    { kind: 'familyRegex', pattern: 'a' },
    { kind: 'valueBitmask', mask: utf8('v') },
    { kind: 'valueEquals', value: utf8('v') },
    { kind: 'timestampRange', start: 0, end: 10_000 },
    { kind: 'condition', predicate: { kind: 'passAll' }, onTrue: { kind: 'label', label: 'x' } },
    { kind: 'rowSample', probability: 0.5 },
  ],
};
const plan = { table: 't', ranges: [everyKey], reversed: false, limit: 5, filter };

const calls: readonly Call[] = [
  [
    'mutateRow',
    ['t', { key, mutations: [cell, column, { kind: 'deleteFromFamily', family: 'a' }] }],
  ],
  [
    'mutateRow',
    [
      't',
      {
        key,
        mutations: [{ kind: 'addToCell', family: 'sum', qualifier, timestamp: 0, input: 1n }],
      },
    ],
  ],
  [
    'mutateRow',
    [
      't',
      {
        key,
        mutations: [
          { kind: 'mergeToCell', family: 'sum', qualifier, timestamp: 0, input: new Uint8Array(8) },
        ],
      },
    ],
  ],
  [
    'mutateRows',
    ['t', [{ key, mutations: [cell, column] }], { signal: new AbortController().signal }],
  ],
  ['checkAndMutateRow', ['t', { key, predicate: filter, onTrue: [cell], onFalse: [column] }]],
  [
    'readModifyWriteRow',
    [
      't',
      key,
      [
        { kind: 'append', family: 'a', qualifier, value: utf8('w') },
        { kind: 'increment', family: 'a', qualifier: utf8('n'), amount: 1n },
      ],
    ],
  ],
  ['readRows', [plan, { pageRows: 5, signal: new AbortController().signal }]],
  ['readRows', [{ table: 't', ranges: [{ start: key, end: utf8('k\0') }], reversed: true }]],
  ['sampleRowKeys', ['t']],
  ['dropRowRange', ['t', { kind: 'prefix', prefix: utf8('none') }]],
  [
    'createTable',
    [
      {
        name: 'new',
        families: new Map([
          [
            'm',
            {
              gc: {
                kind: 'union',
                rules: [
                  { kind: 'maxVersions', versions: 1 },
                  { kind: 'maxAge', micros: 1000 },
                ],
              },
            },
          ],
          ['s', { aggregate: 'sum' }],
        ]),
        splitKeys: [key],
        granularity: 'micros',
        deletionProtection: false,
      },
    ],
  ],
  ['deleteTable', ['none']],
  [
    'modifyFamilies',
    [
      't',
      [
        { kind: 'create', family: 'b', schema: { gc: { kind: 'maxVersions', versions: 1 } } },
        { kind: 'update', family: 'b', gc: { kind: 'maxAge', micros: 1000 } },
        { kind: 'drop', family: 'b' },
      ],
    ],
  ],
  ['updateTable', ['t', { deletionProtection: false }]],
  ['generateConsistencyToken', ['t']],
  ['checkConsistency', ['t', 'token']],
];

const wrong: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1.5,
  NaN,
  7n,
  true,
  'text',
  Symbol('s'),
  {},
  [],
  [null],
  [7],
  new Map(),
  new Map([[7, null]]),
  () => 7,
  new Date(NaN),
  Object.create(null),
];

/** Every value of a tree, replaced by the values of wrong types. */
function* mutated(value: unknown, path: string): Generator<readonly [string, unknown]> {
  for (const [i, other] of wrong.entries()) yield [`${path} = wrong[${i}]`, other];
  if (value instanceof Uint8Array || value instanceof AbortSignal) return;
  if (value instanceof Map)
    for (const [name, each] of value)
      for (const [where, other] of mutated(each, `${path}.${String(name)}`))
        yield [where, new Map([...value, [name, other]])];
  else if (Array.isArray(value))
    for (const [i, each] of value.entries())
      for (const [where, other] of mutated(each, `${path}[${i}]`))
        yield [where, value.with(i, other)];
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value))
      for (const [where, other] of mutated(each, `${path}.${name}`))
        yield [where, { ...value, [name]: other }];
}

/** `accepted`, the code of a typed error, or another error. */
async function run(
  engine: Engine,
  method: keyof Engine,
  args: readonly unknown[],
): Promise<string> {
  try {
    const call = engine[method] as (...list: unknown[]) => unknown;
    let result = await Reflect.apply(call, engine, args as unknown[]);
    if (method === 'readRows') result = await collectRows(result as RowStream);
    if (method === 'createTable') await engine.deleteTable('new');
    if (method !== 'mutateRows') return 'accepted';
    const error = (result as unknown[]).find((each) => each !== undefined);
    if (error === undefined) return 'accepted';
    throw error as Error;
  } catch (error) {
    if (error instanceof RowsmithError) return error.code;
    return String(error);
  }
}

let memory: Engine;
let live: LiveUnderTest;
beforeAll(async () => {
  // rowSample is one of the filters.
  const random = (): number => 0.25;
  memory = await openMemoryEngine({ random });
  live = await openOverOurServer({ random });
  for (const engine of [memory, live.engine])
    await engine.createTable({
      name: 't',
      families: new Map([
        ['a', {}],
        ['sum', { aggregate: 'sum' }],
      ]),
    });
});
afterAll(async () => {
  await memory.close();
  await live.close();
});

test('the calls themselves are accepted', async () => {
  const rejected = { deleteTable: 'TABLE_NOT_FOUND', checkConsistency: 'INVALID_ARGUMENT' };
  for (const engine of [memory, live.engine])
    for (const [method, args] of calls)
      expect([method, await run(engine, method, args)]).toEqual([
        method,
        Reflect.get(rejected, method) ?? 'accepted',
      ]);
});

test('a wrong type anywhere in an argument is a typed error, of the same code on both engines', async () => {
  // createTable({ families: { m: {} } }) was a TypeError on the live engine, as were 1,831 more
  // calls.
  const faults: string[] = [];
  let count = 0;
  for (const [method, args] of calls) {
    for (const [where, changed] of mutated(args, method)) {
      if (!Array.isArray(changed)) continue;
      count++;
      const ours = await run(memory, method, changed);
      const theirs = await run(live.engine, method, changed);
      const areTyped = [ours, theirs].every((result) => /^([A-Z_]+|accepted)$/.test(result));
      // The live engine leaves families to the server, which checks families of both branches.
      const mayDiffer = /\.on(True|False)\[0\]\.family/.test(where);
      if (!areTyped || (ours !== theirs && !mayDiffer))
        faults.push(`${where}: ${ours} | ${theirs}`);
    }
  }
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(3_000);
});

test.each<[string, unknown]>([
  ['text', { kind: 'prefix', prefix: 'none' }],
  ['a number', { kind: 'prefix', prefix: 7 }],
  ['an object', { kind: 'prefix', prefix: {} }],
  ['nothing', { kind: 'prefix' }],
  ['no kind', { prefix: utf8('none') }],
])('dropRowRange with a prefix that is %s drops nothing', async (_what, target) => {
  // As bytes, text was empty: every row was dropped.
  for (const engine of [memory, live.engine]) {
    await engine.mutateRow('t', { key, mutations: [cell as Mutation] });
    await expect(engine.dropRowRange('t', target as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fix: expect.stringContaining("{ kind: 'all' }") as string },
    });
    const rows = await collectRows(
      engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
    );
    expect(rows).toHaveLength(1);
  }
});

test('a filter and a rule that contain themselves', async () => {
  const filters: Filter[] = [];
  filters.push({ kind: 'chain', filters });
  const rules: GcRule[] = [];
  rules.push({ kind: 'union', rules });
  for (const engine of [memory, live.engine]) {
    const plan = { table: 't', ranges: [everyKey], reversed: false, filter: filters[0] };
    await expect(collectRows(engine.readRows(plan))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    const families = new Map([['m', { gc: rules[0] }]]);
    await expect(engine.createTable({ name: 'cycle', families })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  }
});
