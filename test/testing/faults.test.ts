/** Injected faults: which calls fail and which do not, and that data is left unchanged. */
import { getEventListeners } from 'node:events';
import type { RowsmithError } from '../../src/index.js';
import { collectRows, everyKey, type Engine, type Row } from '../../src/storage.js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { FaultyEngine, testDatabase, type TestDatabase } from '../../src/testing/index.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spread } from '../repository/support/entities.js';
import { keyOf, Reading, readingsOf } from './entities.js';

const rowsOf = (engine: Engine, table = 'kit'): Promise<Row[]> =>
  collectRows(engine.readRows({ table, ranges: [everyKey], reversed: false }));
const unavailable = { code: 'UNAVAILABLE' };

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Reading]);
});
afterEach(() => db.close());

describe('writes', () => {
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
    ['append', (db: TestDatabase) => db.repository(Reading).append(keyOf(0), 'note', 'x')],
    ['deletePrefix', (db: TestDatabase) => db.repository(Reading).deletePrefix({ tenant: 'acme' })],
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

describe('reads', () => {
  const readUntilFailure = async (
    query: AsyncIterable<Reading>,
  ): Promise<{ values: (number | undefined)[]; code: string }> => {
    const values: (number | undefined)[] = [];
    try {
      for await (const row of query) values.push(row.value);
      return { values, code: 'none' };
    } catch (error) {
      return { values, code: (error as RowsmithError).code };
    }
  };

  test.each([0, 1, 255, 256, 257, 300, 599, 600])('after %i of 600 rows', async (afterRows) => {
    await db.seed(Reading, readingsOf(600));
    const fault = db.faults.failRead({ afterRows, nth: 1 });
    const { values, code } = await readUntilFailure(
      db.repository(Reading).prefix({ tenant: 'acme', device: 'd1' }),
    );
    expect(values).toEqual(readingsOf(afterRows).map(({ value }) => value));
    expect(code).toBe('UNAVAILABLE');
    expect(fault).toMatchObject({ matched: 1, injected: 1 });
    expect((await readUntilFailure(db.repository(Reading).scanAll())).values.length).toBe(600);
  });

  test('a read with fewer rows succeeds', async () => {
    await db.seed(Reading, readingsOf(10));
    const fault = db.faults.failRead({ afterRows: 11 });
    expect((await readUntilFailure(db.repository(Reading).scanAll())).values.length).toBe(10);
    expect(fault).toMatchObject({ matched: 1, injected: 0 });
  });

  test('after pages', async () => {
    await db.seed(Reading, readingsOf(600));
    db.faults.failRead({ afterPages: 2 });
    const stream = db.engine.readRows(
      { table: 'kit', ranges: [everyKey], reversed: false },
      { pageRows: 100 },
    );
    for (let page = 0; page < 2; page++) {
      const cursor = await stream.next();
      let rows = 0;
      while (cursor?.nextRow()) rows++;
      expect(rows).toBe(100);
    }
    await expect(stream.next()).rejects.toMatchObject({
      ...unavailable,
      details: { pages: 2, rows: 200 },
    });
    expect(await stream.next()).toBeUndefined();
  });

  test('rows of a page that the caller did not read are counted', async () => {
    await db.seed(Reading, readingsOf(600));
    db.faults.failRead({ afterRows: 150 });
    const stream = db.engine.readRows(
      { table: 'kit', ranges: [everyKey], reversed: false },
      { pageRows: 100 },
    );
    await stream.next();
    const second = await stream.next();
    let rows = 0;
    while (second?.nextRow()) rows++;
    expect(rows).toBe(50);
    await expect(stream.next()).rejects.toMatchObject({ details: { rows: 150 } });
  });

  test('rows before the fault are unchanged, including versions and labels', async () => {
    await db.seed(
      Reading,
      readingsOf(3).map((row) => ({
        ...row,
        raw: Uint8Array.of(1, 2),
        tags: new Map([['a', 'b']]),
      })),
    );
    const plan = {
      table: 'kit',
      ranges: [everyKey],
      reversed: true,
      filter: { kind: 'label' as const, label: 'seen' },
    };
    const plain = await collectRows(db.engine.readRows(plan));
    db.faults.failRead({ afterRows: 100 });
    expect(await collectRows(db.engine.readRows(plan))).toEqual(plain);
    expect(plain[0].cells[0].labels).toEqual(['seen']);
  });

  test('a sharded scan reads each shard; one that fails fails the scan', async () => {
    await using sharded = await testDatabase([Spread]);
    await sharded.seed(
      Spread,
      Array.from({ length: 40 }, (_, n) => ({ tenant: 'acme', device: `d${n}`, n, value: n })),
    );
    const fault = sharded.faults.failRead({ nth: 3, afterRows: 1 });
    await expect(sharded.repository(Spread).prefix({ tenant: 'acme' }).all()).rejects.toMatchObject(
      unavailable,
    );
    expect(fault).toMatchObject({ matched: 4, injected: 1 });
    expect(await sharded.repository(Spread).prefix({ tenant: 'acme' }).count()).toBe(40);
  });

  test('get, exists and history fail like scans; a fault cleared in the middle of a scan has no effect', async () => {
    await db.seed(Reading, readingsOf(600));
    const readings = db.repository(Reading);
    const fault = db.faults.failRead();
    for (const read of [
      () => readings.get(keyOf(0)),
      () => readings.exists(keyOf(0)),
      () => readings.history(keyOf(0), 'value'),
      () => readings.getMany([keyOf(0)]),
    ]) {
      await expect(read()).rejects.toMatchObject(unavailable);
    }
    expect(fault.injected).toBe(4);
    db.faults.clear();
    db.faults.failRead({ afterPages: 1 });
    const pages = readings.scanAll().pages();
    await pages.next();
    db.faults.clear();
    let rows = 0;
    for await (const page of pages) rows += page.length;
    expect(rows).toBe(600 - 256);
  });
});

describe('latency', () => {
  /** The order in which ten concurrent writes complete. */
  async function orderOf(seed: number | undefined): Promise<number[]> {
    await using slow = await testDatabase([Reading]);
    const readings = slow.repository(Reading);
    slow.faults.delay({ millis: [0, 150], seed });
    const order: number[] = [];
    await Promise.all(
      readingsOf(10).map(async (row, i) => {
        await readings.save(readings.create(row));
        order.push(i);
      }),
    );
    return order;
  }

  test('the same seed gives the same order, another seed another one', async () => {
    const [first, second, other] = await Promise.all([orderOf(7), orderOf(7), orderOf(8)]);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
    expect([...first].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('lasts as long as declared, for reads or writes only; the clock of the database does not advance', async () => {
    const readings = db.repository(Reading);
    const fault = db.faults.delay({ millis: 60, only: 'reads' });
    const timed = async (call: () => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await call();
      return performance.now() - start;
    };
    await readings.save(readings.create({ ...keyOf(0), value: 1 }));
    expect(fault.injected).toBe(0);
    expect(await timed(() => readings.get(keyOf(0)))).toBeGreaterThanOrEqual(59);
    expect(fault.injected).toBeGreaterThanOrEqual(1);
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test('an aborted read ends its delay', async () => {
    await db.seed(Reading, readingsOf(1));
    db.faults.delay({ millis: 20_000 });
    const start = performance.now();
    await expect(
      collectRows(
        db.engine.readRows(
          { table: 'kit', ranges: [everyKey], reversed: false },
          { signal: AbortSignal.timeout(20) },
        ),
      ),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  test('delayed calls share one listener of their signal, and remove it', async () => {
    db.faults.delay({ millis: 20 });
    const { signal } = new AbortController();
    const reads = Array.from({ length: 20 }, () =>
      collectRows(
        db.engine.readRows({ table: 'kit', ranges: [everyKey], reversed: false }, { signal }),
      ),
    );
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
    await Promise.all(reads);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
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
