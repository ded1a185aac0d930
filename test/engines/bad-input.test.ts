/**
 * All errors of the engine have a fix: each kind of invalid input, and each throw in its source.
 */
import { readdirSync, readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ErrorCode, everyKey, type RowsmithError } from '../../src/base/index.js';
import { memoryImage, openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type GcRule,
  type Mutation,
  type ReadModifyWriteRule,
  type ReadPlan,
  type TableSchema,
} from '../../src/data/store/index.js';
import { set, utf8 } from './conformance.js';

const key = utf8('k');
const q = utf8('q');
const write =
  (...mutations: unknown[]) =>
  (engine: Engine) =>
    engine.mutateRow('t', { key, mutations: mutations as Mutation[] });
const modify =
  (...rules: unknown[]) =>
  (engine: Engine) =>
    engine.readModifyWriteRow('t', key, rules as ReadModifyWriteRule[]);
const reads = (plan: Partial<ReadPlan>, pageRows?: number) => (engine: Engine) =>
  collectRows(
    engine.readRows({ table: 't', ranges: [everyKey], reversed: false, ...plan }, { pageRows }),
  );
const filtered = (filter: unknown) => reads({ filter: filter as Filter });
const create = (schema: unknown) => (engine: Engine) =>
  engine.createTable({ name: 'n', families: new Map(), ...(schema as Partial<TableSchema>) });
const ruled = (gc: unknown) => create({ families: new Map([['a', { gc: gc as GcRule }]]) });
const deep = (depth: number): Filter =>
  depth === 1 ? { kind: 'passAll' } : { kind: 'chain', filters: [deep(depth - 1)] };
const families =
  (...changes: unknown[]) =>
  (engine: Engine) =>
    engine.modifyFamilies('t', changes as never);
const long = (length: number): Uint8Array => new Uint8Array(length).fill(97);

const invalidCalls: readonly (readonly [
  string,
  ErrorCode,
  (engine: Engine) => Promise<unknown>,
])[] = [
  ['families as a plain object', 'INVALID_ARGUMENT', create({ families: { m: {} } })],
  ['no families', 'INVALID_ARGUMENT', create({ families: undefined })],
  ['families by number', 'INVALID_ARGUMENT', create({ families: new Map([[1, {}]]) })],
  ['a family without a schema', 'INVALID_ARGUMENT', create({ families: new Map([['m', null]]) })],
  ['no schema', 'INVALID_ARGUMENT', (engine) => engine.createTable(undefined as never)],
  ['split keys that are no list', 'INVALID_ARGUMENT', create({ splitKeys: 7 })],
  ['a split key that is text', 'INVALID_ARGUMENT', create({ splitKeys: ['k'] })],
  ['a long split key', 'LIMIT_EXCEEDED', create({ splitKeys: [new Uint8Array(4097)] })],
  ['a rule that is null', 'INVALID_ARGUMENT', ruled(null)],
  ['a union without rules', 'INVALID_ARGUMENT', ruled({ kind: 'union' })],
  [
    'a new family without a schema',
    'INVALID_ARGUMENT',
    families({ kind: 'create', family: 'n', schema: undefined }),
  ],
  [
    'no table',
    'TABLE_NOT_FOUND',
    (engine) => engine.mutateRow('none', { key, mutations: [set('a', 'q', 'v')] }),
  ],
  ['no family', 'FAMILY_NOT_FOUND', write(set('none', 'q', 'v'))],
  [
    'an empty key',
    'INVALID_ARGUMENT',
    (engine) => engine.mutateRow('t', { key: long(0), mutations: [set('a', 'q', 'v')] }),
  ],
  [
    'a key that is text',
    'INVALID_ARGUMENT',
    (engine) => engine.mutateRow('t', { key: 'k' as never, mutations: [set('a', 'q', 'v')] }),
  ],
  [
    'a long key',
    'LIMIT_EXCEEDED',
    (engine) => engine.mutateRow('t', { key: long(4097), mutations: [set('a', 'q', 'v')] }),
  ],
  ['a long qualifier', 'LIMIT_EXCEEDED', write({ ...set('a', 'q', 'v'), qualifier: long(16_385) })],
  ['no mutations', 'INVALID_ARGUMENT', write()],
  [
    'too many mutations',
    'LIMIT_EXCEEDED',
    write(...Array.from({ length: 100_001 }, () => ({ kind: 'deleteFromRow' }))),
  ],
  ['an unknown mutation', 'INVALID_ARGUMENT', write({ kind: 'magic' })],
  ['a negative time', 'INVALID_ARGUMENT', write({ ...set('a', 'q', 'v'), timestamp: -2 })],
  ['part of a millisecond', 'INVALID_ARGUMENT', write({ ...set('a', 'q', 'v'), timestamp: 1001 })],
  ['part of a microsecond', 'INVALID_ARGUMENT', write({ ...set('a', 'q', 'v'), timestamp: 0.5 })],
  ['a cell set in an aggregate', 'INVALID_ARGUMENT', write(set('sum', 'q', 'v'))],
  [
    'a number added to a plain family',
    'INVALID_ARGUMENT',
    write({ kind: 'addToCell', family: 'a', qualifier: q, timestamp: 0, input: 1n }),
  ],
  [
    'text added to an aggregate',
    'INVALID_ARGUMENT',
    write({ kind: 'addToCell', family: 'sum', qualifier: q, timestamp: 0, input: 'x' }),
  ],
  [
    'a short state',
    'INVALID_ARGUMENT',
    write({ kind: 'mergeToCell', family: 'sum', qualifier: q, timestamp: 0, input: long(3) }),
  ],
  [
    'an empty range of times',
    'INVALID_ARGUMENT',
    write({ kind: 'deleteFromColumn', family: 'a', qualifier: q, start: 2000, end: 1000 }),
  ],
  ['no branch', 'INVALID_ARGUMENT', (engine) => engine.checkAndMutateRow('t', { key })],
  ['no rules', 'INVALID_ARGUMENT', modify()],
  ['an unknown rule', 'INVALID_ARGUMENT', modify({ kind: 'magic', family: 'a', qualifier: q })],
  [
    'an amount beyond an int64',
    'INVALID_ARGUMENT',
    modify({ kind: 'increment', family: 'a', qualifier: q, amount: 2n ** 63n }),
  ],
  [
    'an increment of text',
    'FAILED_PRECONDITION',
    modify(
      { kind: 'append', family: 'a', qualifier: q, value: utf8('x') },
      { kind: 'increment', family: 'a', qualifier: q, amount: 1n },
    ),
  ],
  [
    'a rule on an aggregate',
    'INVALID_ARGUMENT',
    modify({ kind: 'increment', family: 'sum', qualifier: q, amount: 1n }),
  ],
  [
    'an append beyond 100 MiB',
    'LIMIT_EXCEEDED',
    modify(
      { kind: 'append', family: 'a', qualifier: q, value: long(60_000_000) },
      { kind: 'append', family: 'a', qualifier: q, value: long(60_000_000) },
    ),
  ],
  [
    'a row beyond 256 MiB',
    'FAILED_PRECONDITION',
    write(...[1, 2, 3].map((n) => ({ ...set('a', `${n}`, ''), value: long(95_000_000) }))),
  ],
  ['a limit of 0', 'INVALID_ARGUMENT', reads({ limit: 0 })],
  ['pages of 0 rows', 'INVALID_ARGUMENT', reads({}, 0)],
  ['filters too deep', 'INVALID_ARGUMENT', filtered(deep(21))],
  ['an empty chain', 'INVALID_ARGUMENT', filtered({ kind: 'chain', filters: [] })],
  [
    'two labels',
    'INVALID_ARGUMENT',
    filtered({
      kind: 'chain',
      filters: [
        { kind: 'label', label: 'a' },
        { kind: 'label', label: 'b' },
      ],
    }),
  ],
  [
    'a condition without branches',
    'INVALID_ARGUMENT',
    filtered({ kind: 'condition', predicate: { kind: 'passAll' } }),
  ],
  [
    'a sink in a condition',
    'INVALID_ARGUMENT',
    filtered({ kind: 'condition', predicate: { kind: 'sink' }, onTrue: { kind: 'passAll' } }),
  ],
  ['a sample of all rows', 'INVALID_ARGUMENT', filtered({ kind: 'rowSample', probability: 1 })],
  [
    'times inverted',
    'INVALID_ARGUMENT',
    filtered({ kind: 'timestampRange', start: 2000, end: 1000 }),
  ],
  ['columns of no family', 'INVALID_ARGUMENT', filtered({ kind: 'columnRange', family: '' })],
  [
    'values inverted',
    'INVALID_ARGUMENT',
    filtered({
      kind: 'valueRange',
      start: { value: utf8('b'), inclusive: true },
      end: { value: utf8('a'), inclusive: true },
    }),
  ],
  [
    'an empty pattern of keys',
    'INVALID_ARGUMENT',
    filtered({ kind: 'rowKeyRegex', pattern: long(0) }),
  ],
  ['a colon in a family', 'INVALID_ARGUMENT', filtered({ kind: 'familyRegex', pattern: 'a:b' })],
  ['a wrong label', 'INVALID_ARGUMENT', filtered({ kind: 'label', label: 'A' })],
  ['a wrong pattern', 'INVALID_ARGUMENT', filtered({ kind: 'valueRegex', pattern: utf8('[') })],
  [
    'a pattern that is too large',
    'INVALID_ARGUMENT',
    filtered({ kind: 'valueRegex', pattern: utf8('((x{100}){100}){100}') }),
  ],
  ['an unknown filter', 'INVALID_ARGUMENT', filtered({ kind: 'magic' })],
  ['an existing table', 'TABLE_EXISTS', create({ name: 't' })],
  ['a wrong name', 'INVALID_ARGUMENT', create({ name: 'a b' })],
  ['a wrong family', 'INVALID_ARGUMENT', create({ families: new Map([['a b', {}]]) })],
  ['a wrong granularity', 'INVALID_ARGUMENT', create({ granularity: 'seconds' })],
  ['a wrong protection', 'INVALID_ARGUMENT', create({ deletionProtection: 'yes' })],
  [
    'an unknown aggregate',
    'UNSUPPORTED',
    create({ families: new Map([['a', { aggregate: 'hll' }]]) }),
  ],
  ['no versions', 'INVALID_ARGUMENT', ruled({ kind: 'maxVersions', versions: 0 })],
  ['a short age', 'INVALID_ARGUMENT', ruled({ kind: 'maxAge', micros: 1 })],
  ['an unknown rule of collection', 'INVALID_ARGUMENT', ruled({ kind: 'magic' })],
  [
    'a rule that is too large',
    'INVALID_ARGUMENT',
    ruled({
      kind: 'union',
      rules: Array.from({ length: 150 }, () => ({ kind: 'maxVersions', versions: 1 })),
    }),
  ],
  ['an existing family', 'SCHEMA_CONFLICT', families({ kind: 'create', family: 'a', schema: {} })],
  ['a family that does not exist', 'FAMILY_NOT_FOUND', families({ kind: 'drop', family: 'none' })],
  ['an unknown change', 'INVALID_ARGUMENT', families({ kind: 'magic', family: 'a' })],
  ['a protected table', 'FAILED_PRECONDITION', (engine) => engine.deleteTable('kept')],
  [
    'a family of a protected table',
    'FAILED_PRECONDITION',
    (engine) => engine.modifyFamilies('kept', [{ kind: 'drop', family: 'a' }]),
  ],
  [
    'an empty prefix',
    'INVALID_ARGUMENT',
    (engine) => engine.dropRowRange('t', { kind: 'prefix', prefix: long(0) }),
  ],
  ['an invalid token', 'INVALID_ARGUMENT', (engine) => engine.checkConsistency('t', 'x')],
  ['an image of another engine', 'UNSUPPORTED', async () => memoryImage({} as Engine)],
];

let engine: Engine;
beforeAll(async () => {
  engine = await openMemoryEngine();
  await engine.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['sum', { aggregate: 'sum' }],
    ]),
  });
  await engine.createTable({
    name: 'kept',
    families: new Map([['a', {}]]),
    deletionProtection: true,
  });
});
afterAll(() => engine.close());

const hasFix = (code: ErrorCode) =>
  expect.objectContaining({
    code,
    details: expect.objectContaining({ fix: expect.stringMatching(/\w.{8}/) as string }) as object,
  }) as unknown;

test.each(invalidCalls)('%s', async (_what, code, run) => {
  const error = await run(engine).then(
    () => 'accepted',
    (reason: RowsmithError) => reason,
  );
  expect(error).toEqual(hasFix(code));
});

test('errors of directories, and of a closed engine', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-bad-input-'));
  const open = (at: string) =>
    openDiskEngine(at).then(
      () => 'opened',
      (reason: RowsmithError) => reason,
    );
  try {
    const held = await openDiskEngine(join(directory, 'held'));
    expect(await open(join(directory, 'held'))).toEqual(hasFix('DATABASE_IN_USE'));
    await held.close();
    expect(await held.listTables().catch((reason: RowsmithError) => reason)).toEqual(
      hasFix('DATABASE_CLOSED'),
    );
    expect(await open(directory)).toEqual(hasFix('NOT_A_DATABASE'));
    for (const name of readdirSync(join(directory, 'held')))
      if (name.startsWith('manifest.')) writeFileSync(join(directory, 'held', name), 'short');
    expect(await open(join(directory, 'held'))).toEqual(hasFix('CORRUPT_DATA'));
    writeFileSync(
      join(directory, 'held', 'rowsmith.json'),
      '{"format":"rowsmith-local","version":99}',
    );
    expect(await open(join(directory, 'held'))).toEqual(hasFix('FORMAT_TOO_NEW'));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('no error is created without a fix', () => {
  const folder = join(__dirname, '../../src/engines/local');
  const without = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const calls = [...text.matchAll(/new RowsmithError\(\s*'\w+',\s*\{[^;]*?;/g)];
      return calls.filter(([call]) => !namesFix(call, text)).map(([call]) => `${name}: ${call}`);
    });
  expect(without).toEqual([]);
});

/** Whether a call names a fix, or a fault of its file's catalogue that has one. */
function namesFix(call: string, text: string): boolean {
  if (/\bfix\b/.test(call)) return true;
  const fault = /\.\.\.(?:faults\.(\w+)|fault\b)/.exec(call);
  if (fault?.[1] === undefined) return fault !== null;
  const entry = new RegExp(`^  ${fault[1]}: [^]*?(?=^  \\w+: |^})`, 'm').exec(text);
  return entry !== null && /\bfix\b/.test(entry[0]);
}
