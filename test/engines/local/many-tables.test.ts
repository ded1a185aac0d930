/**
 * Ten thousand tables: making, listing and opening them costs the same for each, however many there
 * are.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import type { Engine } from '../../../src/store/index.js';
import { read, rejects, set, utf8 } from '../conformance.js';
import { CountingStore } from './counting-store.js';

const nameOf = (at: number): string => `t${String(at).padStart(5, '0')}`;
const families = new Map([
  ['a', { gc: { kind: 'maxVersions', versions: 3 } as const }],
  ['b', {}],
]);
const create = (engine: Engine, count: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: count }, (_, at) => engine.createTable({ name: nameOf(at), families })),
  );

/**
 * What the store does for so many tables: to make them, to list them, to open them, to change one
 * and to delete one.
 */
async function touched(
  count: number,
): Promise<Record<'made' | 'madeBytes' | 'listed' | 'opened' | 'changed' | 'deleted', number>> {
  const memory = await openMemoryStore();
  const store = new CountingStore(memory);
  const engine = new LocalEngine('counting:', store);
  const count1 = (): [number, number, number] => {
    const seen: [number, number, number] = [store.steps, store.writes, store.writtenBytes];
    store.steps = store.writes = store.writtenBytes = 0;
    return seen;
  };
  await create(engine, count);
  const [, made, madeBytes] = count1();
  expect((await engine.listTables()).map(({ name }) => name)).toEqual(
    Array.from({ length: count }, (_, at) => nameOf(at)),
  );
  const [listed] = count1();
  await engine.modifyFamilies(nameOf(7), [{ kind: 'create', family: 'c', schema: {} }]);
  const [, , changed] = count1();
  await engine.deleteTable(nameOf(8));
  const [, deleted] = count1();
  const again = new LocalEngine('counting:', store);
  const [opened] = count1();
  expect(await again.listTables()).toHaveLength(count - 1);
  return { made, madeBytes, listed, opened, changed, deleted };
}

test('what the store does for a table does not grow with their number', async () => {
  const few = await touched(100);
  const many = await touched(10_000);
  expect([few.made, many.made]).toEqual([200, 20_000]);
  // Numbers have more digits.
  expect(many.madeBytes / 10_000).toBeLessThan(few.madeBytes / 100 + 5);
  expect([few.listed, many.listed]).toEqual([0, 0]);
  // A walk over the tables finds its end, another one no deleted tables; two numbers are looked up.
  expect([few.opened, many.opened]).toEqual([99 + 4, 9999 + 4]);
  expect(many.changed).toBeLessThan(few.changed + 5);
  expect(many.deleted).toBe(few.deleted);
});

test('ten thousand tables on disk are there after opening again, each with its own rows', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-tables-'));
  try {
    let engine = await openDiskEngine(directory, { durability: 'relaxed' });
    await create(engine, 10_000);
    await rejects(engine.createTable({ name: nameOf(9999), families }), 'TABLE_EXISTS');
    for (const at of [0, 1, 5000, 9999])
      await engine.mutateRow(nameOf(at), {
        key: utf8('r'),
        mutations: [set('a', 'q', nameOf(at))],
      });
    await engine.deleteTable(nameOf(1));
    await engine.close();
    engine = await openDiskEngine(directory, { durability: 'relaxed' });
    const tables = await engine.listTables();
    expect(tables.map(({ name }) => name)).toEqual(
      Array.from({ length: 10_000 }, (_, at) => nameOf(at)).filter((_name, at) => at !== 1),
    );
    expect(tables[4000].families).toEqual(families);
    for (const at of [0, 5000, 9999])
      expect(await read(engine, { table: nameOf(at) })).toEqual([`r{a:q@1000=${nameOf(at)}}`]);
    await engine.createTable({ name: nameOf(1), families });
    expect(await read(engine, { table: nameOf(1) })).toEqual([]);
    await engine.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
