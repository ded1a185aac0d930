/** Transactions: several rows are read and written in one change, or none of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openDiskEngine,
  openMemoryEngine,
  openReadOnlyEngine,
} from '../../../src/engines/local/index.js';
import { RowsmithError } from '../../../src/base/index.js';
import type { Engine, Filter, Mutation, RowMutation } from '../../../src/data/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';

const all: Filter = { kind: 'passAll' };
const table = 't';
const row = (key: string, value: string): { table: string; row: RowMutation } => ({
  table,
  row: {
    key: utf8(key),
    mutations: [set('f', 'q', value)],
  },
});
const keys = async (engine: Engine): Promise<string[]> =>
  (await read(engine)).map((shown) => shown.slice(0, shown.indexOf('{')));

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-transactions-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

// First, because the library for regular expressions is loaded once.
test('a filter that is not loaded yet is not evaluated', async () => {
  const engine = await openMemoryEngine();
  await engine.createTable({ name: table, families: new Map([['f', {}]]) });
  await engine.mutateRow(table, row('a', 'xyz').row);
  const filter: Filter = { kind: 'valueRegex', pattern: utf8('(x|w)y.') };
  const cells = (): Promise<number | undefined> =>
    engine.transact!(0, (rows) => ({
      result: rows.cells(table, utf8('a'), filter)?.length,
      rows: [],
    }));
  expect(await cells()).toBeUndefined();
  await read(engine, { filter });
  expect(await cells()).toBe(1);
  await engine.close();
});

test('rows of a transaction are there after the engine was opened again', async () => {
  const engine = await openDiskEngine(directory);
  await engine.createTable({ name: table, families: new Map([['f', {}]]) });
  await engine.transact(0, () => ({ result: 1, rows: [row('a', '1'), row('b', '2')] }));
  await engine.close();
  const readOnly = await openReadOnlyEngine(directory);
  await rejects(
    readOnly.transact(0, () => ({ result: 1, rows: [row('c', '1')] })),
    'UNSUPPORTED',
  );
  await readOnly.close();
  const again = await openDiskEngine(directory);
  expect(await keys(again)).toEqual(['a', 'b']);
  await again.close();
});

test('every mutation of a row that is new is made', async () => {
  const engine = await openMemoryEngine();
  const families = new Map([
    ['f', {}],
    ['sum', { aggregate: 'sum' as const }],
  ]);
  await engine.createTable({ name: table, families });
  const add = { kind: 'addToCell', family: 'sum', qualifier: utf8('q'), timestamp: 0, input: 2n };
  const mutations = [set('f', 'q', '1'), add as Mutation];
  const rows = ['a', 'b'].map((key) => ({ table, row: { key: utf8(key), mutations } }));
  await engine.transact!(0, () => ({ result: 1, rows }));
  const written = await read(engine);
  expect(written.map((text) => text.match(/\b(f|sum):/g))).toEqual(rows.map(() => ['f:', 'sum:']));
  await engine.close();
});

describe('what only JavaScript can pass is a typed error, and writes nothing', () => {
  const cell = { key: utf8('a'), mutations: [set('f', 'q', '1')] };
  const deletingFrom = (start: unknown): unknown => {
    const deletion = { kind: 'deleteFromColumn', family: 'f', qualifier: utf8('p'), start };
    return { ...cell, mutations: [...cell.mutations, deletion] };
  };
  const changing = (rows: unknown) => (): unknown => ({ result: 1, rows });
  const reading =
    (...args: unknown[]) =>
    (rows: { cells: (...args: unknown[]) => unknown }): unknown => ({
      result: rows.cells(...args),
      rows: [],
    });
  test.each<readonly [string, unknown, unknown]>([
    ['no work', 0, undefined],
    ['work that is no function', 0, {}],
    ['a size that is no number', '1', changing([])],
    ['a size that is NaN', NaN, changing([])],
    ['work that returns nothing', 0, () => undefined],
    ['work that returns a promise', 0, async () => ({ result: 1, rows: [] })],
    ['rows that are no array', 0, changing({ table: 't', row: cell })],
    ['a row that is undefined', 0, changing([undefined])],
    ['a row without a table', 0, changing([{ row: cell }])],
    ['a row without mutations', 0, changing([{ table: 't', row: { key: utf8('a') } }])],
    ['a key that is a string', 0, changing([{ table: 't', row: { ...cell, key: 'a' } }])],
    ['a key that is empty', 0, changing([{ table: 't', row: { ...cell, key: utf8('') } }])],
    ['a deletion from null', 0, changing([{ table: 't', row: deletingFrom(null) }])],
    ['a deletion from a symbol', 0, changing([{ table: 't', row: deletingFrom(Symbol('0')) }])],
    ['cells of no table', 0, reading(undefined, utf8('a'), all)],
    ['cells of a key that is a string', 0, reading('t', 'a', all)],
    ['cells without a filter', 0, reading('t', utf8('a'))],
    ['cells with a filter that is none', 0, reading('t', utf8('a'), { kind: 'none' })],
  ])('%s', async (_, bytes, work) => {
    const engine = await openMemoryEngine();
    await engine.createTable({ name: table, families: new Map([['f', {}]]) });
    await rejects(engine.transact!(bytes as number, work as never), 'INVALID_ARGUMENT');
    expect(await read(engine)).toEqual([]);
    await engine.mutateRow(table, cell);
    await engine.close();
  });
});

describe.each(['memory', 'disk'])('on %s', (kind) => {
  let engine: Engine;
  beforeEach(async () => {
    engine = kind === 'memory' ? await openMemoryEngine() : await openDiskEngine(directory);
    await engine.createTable({ name: table, families: new Map([['f', {}]]) });
  });
  afterEach(() => engine.close());

  test('rows are read and written together', async () => {
    await engine.mutateRow(table, row('a', '1').row);
    const found = await engine.transact!(0, (rows) => {
      const cells = rows.cells(table, utf8('a'), all)!;
      const value = Buffer.from(cells[0].value).toString();
      return { result: value, rows: [row('a', `${value}2`), row('b', value)] };
    });
    expect(found).toBe('1');
    expect(await keys(engine)).toEqual(['a', 'b']);
    const next = await engine.transact!(0, (rows) => ({
      result: ['a', 'b', 'c'].map(
        (key) => rows.cells(table, utf8(key), { kind: 'cellsPerColumn', count: 1 })!.length,
      ),
      rows: [],
    }));
    expect(next).toEqual([1, 1, 0]);
  });

  test('it sees the writes that were queued before it, also in the same commit', async () => {
    const before = engine.mutateRow(table, row('a', '1').row);
    const transacted = engine.transact!(0, (rows) => ({
      result: rows.cells(table, utf8('a'), all)!.length,
      rows: [row('b', '2')],
    }));
    const after = engine.transact!(0, (rows) => ({
      result: rows.cells(table, utf8('b'), all)!.length,
      rows: [],
    }));
    expect(await Promise.all([before, transacted, after])).toEqual([undefined, 1, 1]);
  });

  test.each([
    ['work that throws', (): never => fail(), 'INVALID_ARGUMENT'],
    [
      'a family that does not exist',
      () => ({
        result: 1,
        rows: [
          row('a', '1'),
          {
            table,
            row: { key: utf8('b'), mutations: [set('none', 'q', '1')] },
          },
        ],
      }),
      'FAMILY_NOT_FOUND',
    ],
    [
      'a table that does not exist',
      () => ({ result: 1, rows: [row('a', '1'), { ...row('b', '1'), table: 'none' }] }),
      'TABLE_NOT_FOUND',
    ],
    [
      'an invalid mutation',
      () => ({
        result: 1,
        rows: [row('a', '1'), { table, row: { key: utf8('b'), mutations: [{} as never] } }],
      }),
      'INVALID_ARGUMENT',
    ],
    [
      'a row that is there twice',
      () => ({ result: 1, rows: [row('a', '1'), row('a', '2')] }),
      'INVALID_ARGUMENT',
    ],
  ])('%s writes nothing, and leaves the writes beside it alone', async (_, work, code) => {
    const beside = [
      engine.mutateRow(table, row('x', '1').row),
      rejects(engine.transact!(0, work as never), code as never),
      engine.mutateRow(table, row('y', '1').row),
    ];
    await Promise.all(beside);
    expect(await keys(engine)).toEqual(['x', 'y']);
  });

  test('a large value of a failed transaction takes nothing from the next one', async () => {
    const large = 'v'.repeat(3_000_000);
    const failing = { ...row('b', '1'), table: 'none' };
    await rejects(
      engine.transact!(0, () => ({ result: 1, rows: [row('a', large), failing] })),
      'TABLE_NOT_FOUND',
    );
    await engine.transact!(0, () => ({ result: 1, rows: [row('a', large), row('b', large)] }));
    for (const shown of await read(engine)) expect(shown.length).toBeGreaterThan(3_000_000);
  });

  test('of a closed engine', async () => {
    await engine.close();
    await rejects(
      engine.transact!(0, () => ({ result: 1, rows: [] })),
      'DATABASE_CLOSED',
    );
  });
});

function fail(): never {
  throw new RowsmithError('INVALID_ARGUMENT');
}
