/** Injected faults: which calls fail and which do not, and that data is left unchanged. */
import type { RowsmithError } from '../../../src/index.js';
import { collectRows, everyKey, type Engine, type Row } from '../../../src/storage.js';
import { openDiskEngine, openMemoryEngine } from '../../../src/engines/local/index.js';
import { FaultyEngine, testDatabase, type TestDatabase } from '../../../src/tools/testing/index.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf, Reading, readingsOf } from './entities.js';

const unavailable = { code: 'UNAVAILABLE' };
const rowsOf = (engine: Engine, table = 'kit'): Promise<Row[]> =>
  collectRows(engine.readRows({ table, ranges: [everyKey], reversed: false }));

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Reading]);
});
afterEach(() => db.close());

describe('writes', () => {
  test('a batch without rows is checked as the engine does', async () => {
    await expect(db.engine.mutateRows('nowhere', [])).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
  });

  test('the n-th fails, and no other; the data is unchanged', async () => {
    const readings = db.repository(Reading);
    const fault = db.faults.failWrite({ nth: 3 });
    const outcomes: string[] = [];
    for (const row of readingsOf(5))
      outcomes.push(
        await readings.save(readings.create(row)).then(
          () => 'saved',
          (error: RowsmithError) => error.code,
        ),
      );
    expect(outcomes).toEqual(['saved', 'saved', 'UNAVAILABLE', 'saved', 'saved']);
    expect((await readings.scanAll().all()).map(({ value }) => value)).toEqual([0, 1, 3, 4]);
    expect(fault).toMatchObject({ matched: 5, injected: 1 });
  });

  test.each([
    [
      'save',
      (db: TestDatabase) =>
        db.repository(Reading).save(db.repository(Reading).create({ ...keyOf(0), value: 9 })),
    ],
    [
      'insert',
      (db: TestDatabase) =>
        db.repository(Reading).insert(db.repository(Reading).create({ ...keyOf(7), value: 9 })),
    ],
    ['patch', (db: TestDatabase) => db.repository(Reading).patch(keyOf(0), { value: 9 })],
    [
      'a conditional patch',
      (db: TestDatabase) =>
        db.repository(Reading).patch(keyOf(0), { value: 9 }, { if: { exists: true } }),
    ],
    ['delete', (db: TestDatabase) => db.repository(Reading).delete(keyOf(0))],
    ['increment', (db: TestDatabase) => db.repository(Reading).increment(keyOf(0), 'hits')],
    ['append', (db: TestDatabase) => db.repository(Reading).append(keyOf(0), { note: 'x' })],
    [
      'prefix().delete()',
      async (db: TestDatabase) => {
        const { failures } = await db.repository(Reading).prefix({ tenant: 'acme' }).delete();
        if (failures.length > 0) throw failures[0].error;
      },
    ],
    ['a drop', (db: TestDatabase) => db.engine.dropRowRange('kit', { kind: 'all' })],
  ])('%s: fails, changes nothing, and works after the fault is cleared', async (_what, write) => {
    await db.seed(Reading, [{ ...keyOf(0), value: 1, note: 'n' }]);
    db.clock.advance(1);
    const before = await rowsOf(db.engine);
    const fault = db.faults.failWrite();
    await expect(write(db)).rejects.toMatchObject(unavailable);
    await expect(write(db)).rejects.toMatchObject(unavailable);
    expect(await rowsOf(db.engine)).toEqual(before);
    expect(fault.injected).toBe(2);
    fault.clear();
    await write(db);
    expect(await rowsOf(db.engine)).not.toEqual(before);
    expect(fault.injected).toBe(2);
  });

  test('by key prefix, as text and as bytes, by table and by predicate', async () => {
    const readings = db.repository(Reading);
    const save = (device: string): Promise<void> =>
      readings.save(readings.create({ ...keyOf(0, device), value: 1 }));
    for (const keyPrefix of ['acme#d2#', Buffer.from('acme#d2#')]) {
      const fault = db.faults.failWrite({ keyPrefix });
      await save('d1');
      await save('d22');
      await expect(save('d2')).rejects.toMatchObject({
        ...unavailable,
        details: { table: 'kit', key: expect.stringMatching(/^61636d652364322/) },
      });
      expect(fault.matched).toBe(1);
      fault.clear();
    }
    db.faults.failWrite({ table: 'other' });
    await save('d2');
    db.faults.failWrite({
      match: ({ call, mutations }) =>
        call === 'mutateRow' && mutations.some(({ kind }) => kind === 'deleteFromRow'),
    });
    await save('d2');
    await expect(readings.delete(keyOf(0, 'd2'))).rejects.toMatchObject(unavailable);
  });

  test('times: this many, beginning with the n-th', async () => {
    const readings = db.repository(Reading);
    db.faults.failWrite({ nth: 2, times: 2, code: 'STORAGE_FAILED' });
    const outcomes: string[] = [];
    for (const row of readingsOf(5))
      outcomes.push(
        await readings.save(readings.create(row)).then(
          () => 'saved',
          (error: RowsmithError) => error.code,
        ),
      );
    expect(outcomes).toEqual(['saved', 'STORAGE_FAILED', 'STORAGE_FAILED', 'saved', 'saved']);
  });

  test('applied: the write happens, its response is lost', async () => {
    const readings = db.repository(Reading);
    db.faults.failWrite({ nth: 1, applied: true });
    await expect(readings.increment(keyOf(0), 'hits')).rejects.toMatchObject(unavailable);
    expect(await readings.increment(keyOf(0), 'hits')).toBe(2n);
    db.faults.failWrite({ nth: 2, applied: true });
    const { failures } = await readings.saveMany(
      readingsOf(3, 'd2').map((row) => readings.create(row)),
    );
    expect(failures.map(({ index }) => index)).toEqual([1]);
    expect(await readings.prefix({ tenant: 'acme', device: 'd2' }).count()).toBe(3);
  });
});

describe('batches', () => {
  test('fail in part: entries by index, by predicate, and as the n-th write', async () => {
    const readings = db.repository(Reading);
    const saveTen = (device: string) =>
      readings.saveMany(readingsOf(10, device).map((row) => readings.create(row)));
    const failedOf = async (device: string): Promise<number[]> =>
      (await saveTen(device)).failures.map(({ index }) => index).sort((a, b) => a - b);
    const byIndex = db.faults.failBatch({ entries: [0, 4], nth: 1 });
    expect(await failedOf('a')).toEqual([0, 4]);
    expect(byIndex).toMatchObject({ matched: 1, injected: 2 });
    expect(await failedOf('b')).toEqual([]);
    db.faults.failBatch({ entries: (_row, index) => index % 5 === 1, times: 1 });
    expect(await failedOf('c')).toEqual([1, 6]);
    db.faults.failWrite({ nth: 3 });
    expect(await failedOf('d')).toEqual([2]);
    const counts = await Promise.all(
      ['a', 'b', 'c', 'd'].map((device) => readings.prefix({ tenant: 'acme', device }).count()),
    );
    expect(counts).toEqual([8, 10, 8, 9]);
    expect(await readings.exists(keyOf(4, 'a'))).toBe(false);
  });

  test('every entry failing writes nothing', async () => {
    const readings = db.repository(Reading);
    db.faults.failBatch({ entries: () => true });
    const { written, failures } = await readings.saveMany(
      readingsOf(3).map((row) => readings.create(row)),
    );
    expect([written, failures.length]).toEqual([0, 3]);
    expect(await rowsOf(db.engine)).toEqual([]);
  });

  test('fail as a whole, the n-th of several', async () => {
    const readings = db.repository(Reading);
    const fault = db.faults.failBatch({ nth: 2 });
    await expect(
      readings.saveMany(
        readingsOf(30).map((row) => readings.create(row)),
        { batchRows: 10, inFlight: 1 },
      ),
    ).rejects.toMatchObject(unavailable);
    expect(fault.injected).toBe(1);
    expect(await readings.scanAll().count()).toBe(10);
  });

  test("the engine's own errors are returned at their indices", async () => {
    const fault = db.faults.failBatch({ entries: [1] });
    const set = (family: string) => [
      {
        kind: 'setCell' as const,
        family,
        qualifier: Buffer.from('q'),
        timestamp: 1000,
        value: Buffer.from('v'),
      },
    ];
    const errors = await db.engine.mutateRows(
      'kit',
      ['m', 'm', 'gone', 'm'].map((family, i) => ({
        key: Buffer.from(`k${i}`),
        mutations: set(family),
      })),
    );
    expect(errors.map((error) => error?.code)).toEqual([
      undefined,
      'UNAVAILABLE',
      'FAMILY_NOT_FOUND',
      undefined,
    ]);
    expect((await rowsOf(db.engine)).map(({ key }) => Buffer.from(key).toString())).toEqual([
      'k0',
      'k3',
    ]);
    expect(fault.injected).toBe(1);
  });
});

test.each([
  ['nth', () => db.faults.failWrite({ nth: 0 })],
  ['times', () => db.faults.failRead({ times: 1.5 })],
  ['afterRows', () => db.faults.failRead({ afterRows: -1 })],
  ['code', () => db.faults.failBatch({ code: 'GONE' as 'UNAVAILABLE' })],
  ['millis', () => db.faults.delay({ millis: [5, 1] })],
  ['millis', () => db.faults.delay({} as { millis: number })],
  ['seed', () => db.faults.delay({ millis: 1, seed: 0.5 })],
])('a wrong %s is rejected', (property, add) => {
  expect(add).toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({ property }),
    }),
  );
});

describe('over any engine', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-faults-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test.each([
    ['memory', () => openMemoryEngine()],
    ['disk', () => openDiskEngine(join(directory, 'data'))],
  ])('%s: faults are injected, everything else is delegated', async (_name, openEngine) => {
    const inner = await openEngine();
    const engine = new FaultyEngine(inner);
    await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
    const row = (key: string) => ({
      key: Buffer.from(key),
      mutations: [
        {
          kind: 'setCell' as const,
          family: 'f',
          qualifier: Buffer.from('q'),
          timestamp: 1000,
          value: Buffer.from(key),
        },
      ],
    });
    engine.faults.failWrite({ keyPrefix: 'b' });
    expect(
      (await engine.mutateRows('t', [row('a'), row('b'), row('c')])).map((error) => error?.code),
    ).toEqual([undefined, 'UNAVAILABLE', undefined]);
    expect(await rowsOf(engine, 't')).toEqual(await rowsOf(inner, 't'));
    expect((await rowsOf(inner, 't')).map(({ key }) => Buffer.from(key).toString())).toEqual([
      'a',
      'c',
    ]);
    expect(await engine.checkConsistency('t', await engine.generateConsistencyToken('t'))).toBe(
      true,
    );
    expect(await engine.sampleRowKeys('t')).toEqual(await inner.sampleRowKeys('t'));
    expect(
      await engine.checkAndMutateRow('t', { key: Buffer.from('a'), onTrue: row('a').mutations }),
    ).toBe(true);
    expect((await engine.updateTable('t', { deletionProtection: true })).deletionProtection).toBe(
      true,
    );
    await engine.updateTable('t', { deletionProtection: false });
    expect(
      (
        await engine.modifyFamilies('t', [{ kind: 'create', family: 'g', schema: {} }])
      ).families.has('g'),
    ).toBe(true);
    expect((await engine.compact('t')).rows).toBe(0);
    expect(engine.name).toBe(inner.name);
    await engine.deleteTable('t');
    expect(await engine.listTables()).toEqual([]);
    await engine.close();
    await expect(inner.listTables()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });
});
