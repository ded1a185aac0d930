/**
 * Ten thousand tables: the cost of creating, listing and opening a table does not depend on them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { memoryStore } from '../../../src/engines/local/kv/store/table-store.js';
import type { Engine } from '../../../src/data/store/index.js';
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

/** Operations of the store to create, list and open tables, to change one and to delete one. */
async function storeOperations(
  count: number,
): Promise<
  Record<'created' | 'createdBytes' | 'listed' | 'opened' | 'changed' | 'deleted', number>
> {
  const memory = memoryStore();
  const store = new CountingStore(memory);
  const engine = new LocalEngine('counting:', store);
  const takeCounts = (): [number, number, number] => {
    const counts: [number, number, number] = [store.steps, store.writes, store.writtenBytes];
    store.steps = store.writes = store.writtenBytes = 0;
    return counts;
  };
  await create(engine, count);
  const [, created, createdBytes] = takeCounts();
  expect((await engine.listTables()).map(({ name }) => name)).toEqual(
    Array.from({ length: count }, (_, at) => nameOf(at)),
  );
  const [listed] = takeCounts();
  await engine.modifyFamilies(nameOf(7), [{ kind: 'create', family: 'c', schema: {} }]);
  const [, , changed] = takeCounts();
  await engine.deleteTable(nameOf(8));
  const [, deleted] = takeCounts();
  const again = new LocalEngine('counting:', store);
  const [opened] = takeCounts();
  expect(await again.listTables()).toHaveLength(count - 1);
  return { created, createdBytes, listed, opened, changed, deleted };
}

test('store operations for a table do not grow with the number of tables', async () => {
  const few = await storeOperations(100);
  const many = await storeOperations(10_000);
  expect([few.created, many.created]).toEqual([200, 20_000]);
  // Table names and IDs are longer.
  expect(many.createdBytes / 10_000).toBeLessThan(few.createdBytes / 100 + 5);
  expect([few.listed, many.listed]).toEqual([0, 0]);
  // A scan of the tables finds its end; two IDs are looked up.
  expect([few.opened, many.opened]).toEqual([99 + 3, 9999 + 3]);
  expect(many.changed).toBeLessThan(few.changed + 5);
  expect(many.deleted).toBe(few.deleted);
});

test('ten thousand tables on disk are present after reopening, each with its own rows', async () => {
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
