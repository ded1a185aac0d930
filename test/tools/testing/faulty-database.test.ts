/** Faults on a database on disk, and of calls that concern tables. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type RowsmithError } from '../../../src/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  faultyDatabase,
  FaultyEngine,
  testDatabase,
  type TableCall,
} from '../../../src/tools/testing/index.js';
import { keyOf, Reading, readingsOf } from './entities.js';

test('faults affect the repositories of a directory; all other writes are there after reopening', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-faulty-'));
  const url = `file:${directory}`;
  try {
    await using db = await faultyDatabase(url, {
      entities: [Reading],
      durability: 'relaxed',
      clock: () => 1_700_000_000_000,
    });
    const readings = db.repository(Reading);
    const fault = db.faults.failBatch({ entries: [1] });
    const { failures } = await readings.saveMany(readingsOf(3).map((row) => readings.create(row)));
    expect(failures.map(({ error }) => error.code)).toEqual(['UNAVAILABLE']);
    expect(fault.injected).toBe(1);
    db.faults.clear();
    db.faults.failWrite({ nth: 1, applied: true });
    await expect(readings.patch(keyOf(0), { note: 'there' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    await db.close();
    await using reopened = await open(url, { entities: [Reading], clock: () => 1_700_000_000_000 });
    const rows = await reopened.repository(Reading).scanAll().all();
    expect(rows.map(({ value, note }) => [value, note])).toEqual([
      [0, 'there'],
      [2, undefined],
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe('calls that concern tables', () => {
  const calls: readonly (readonly [TableCall, (engine: FaultyEngine) => Promise<unknown>])[] = [
    ['listTables', (engine) => engine.listTables()],
    ['createTable', (engine) => engine.createTable({ name: 'new', families: new Map() })],
    ['deleteTable', (engine) => engine.deleteTable('t')],
    [
      'modifyFamilies',
      (engine) => engine.modifyFamilies('t', [{ kind: 'create', family: 'new', schema: {} }]),
    ],
    ['updateTable', (engine) => engine.updateTable('t', { deletionProtection: true })],
    ['sampleRowKeys', (engine) => engine.sampleRowKeys('t')],
    ['generateConsistencyToken', (engine) => engine.generateConsistencyToken('t')],
    ['checkConsistency', async (engine) => engine.checkConsistency('t', 'x')],
    ['compact', (engine) => engine.compact()],
  ];

  test.each(calls)(
    '%s: fails, changes nothing, and works after the fault is cleared',
    async (call, run) => {
      const inner = await openMemoryEngine();
      const engine = new FaultyEngine(inner);
      await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
      const before = await inner.listTables();
      const fault = engine.faults.failCall({ call, code: 'STORAGE_FAILED' });
      await expect(run(engine)).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        details: { call },
      });
      // Another call does not fail.
      await (call === 'listTables' ? engine.sampleRowKeys('t') : engine.listTables());
      expect(await inner.listTables()).toEqual(before);
      expect(fault.injected).toBe(1);
      fault.clear();
      const outcome = await run(engine).then(
        () => 'done',
        (error: RowsmithError) => error.code,
      );
      expect(outcome).toBe(call === 'checkConsistency' ? 'INVALID_ARGUMENT' : 'done');
      await engine.close();
    },
  );

  test('the n-th, of one table, and one whose response is lost', async () => {
    await using db = await testDatabase([Reading]);
    const create = (name: string) =>
      db.engine.createTable({ name, families: new Map() }).then(
        () => 'done',
        (error: RowsmithError) => error.code,
      );
    db.faults.failCall({ call: 'createTable', nth: 2 });
    expect([await create('x1'), await create('x2'), await create('x3')]).toEqual([
      'done',
      'UNAVAILABLE',
      'done',
    ]);
    db.faults.clear();
    db.faults.failCall({ table: 'x4', applied: true });
    expect([await create('x5'), await create('x4')]).toEqual(['done', 'UNAVAILABLE']);
    db.faults.clear();
    expect((await db.engine.listTables()).map(({ name }) => name)).toEqual([
      'kit',
      'x1',
      'x3',
      'x4',
      'x5',
    ]);
    expect(() => db.faults.failCall({ call: 'readRows' as TableCall })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error,
    );
  });
});
