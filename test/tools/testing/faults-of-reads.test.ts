/** Faults and latency of reads. */
import { getEventListeners } from 'node:events';
import type { RowsmithError } from '../../../src/index.js';
import { collectRows, everyKey } from '../../../src/storage.js';
import { testDatabase, type TestDatabase } from '../../../src/tools/testing/index.js';
import { Spread } from '../../entities/repository/support/entities.js';
import { keyOf, Reading, readingsOf } from './entities.js';

const unavailable = { code: 'UNAVAILABLE' };
let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Reading]);
});
afterEach(() => db.close());

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
  /** The delays of ten concurrent writes, which complete in the order of the delays. */
  async function delaysOf(seed: number | undefined): Promise<number[]> {
    await using slow = await testDatabase([Reading]);
    const readings = slow.repository(Reading);
    slow.faults.delay({ millis: [20, 150], seed });
    const timers = jest.spyOn(globalThis, 'setTimeout');
    try {
      await Promise.all(readingsOf(10).map((row) => readings.save(readings.create(row))));
      expect(await readings.scanAll().count()).toBe(10);
      return timers.mock.calls.map(([, millis]) => millis!).slice(0, 10);
    } finally {
      timers.mockRestore();
    }
  }

  test('the same seed gives the same delays, another seed other ones', async () => {
    const [first, second, other] = [await delaysOf(7), await delaysOf(7), await delaysOf(8)];
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(5);
    for (const millis of first) {
      expect(millis).toBeGreaterThanOrEqual(20);
      expect(millis).toBeLessThanOrEqual(150);
    }
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
    // Longer than a test may take.
    db.faults.delay({ millis: 600_000 });
    await expect(
      collectRows(
        db.engine.readRows(
          { table: 'kit', ranges: [everyKey], reversed: false },
          { signal: AbortSignal.timeout(20) },
        ),
      ),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
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
