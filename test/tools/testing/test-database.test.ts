/** Databases for single tests: isolation, snapshots, the clock. */
import { loadMemoryImage } from '../../../src/engines/index.js';
import { open } from '../../../src/index.js';
import { collectRows, everyKey, type Row } from '../../../src/storage.js';
import { testDatabase, type TestDatabase } from '../../../src/tools/testing/index.js';
import { at, keyOf, Reading, readingsOf, Status, Visits } from './entities.js';
import fc from '../../support/fast-check.js';

const rowsOf = (db: TestDatabase, table = 'kit'): Promise<Row[]> =>
  collectRows(db.engine.readRows({ table, ranges: [everyKey], reversed: false }));

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase([Reading, Visits]);
});
afterEach(() => db.close());

describe('isolation', () => {
  test('two databases share nothing: rows, time, faults', async () => {
    await using other = await testDatabase([Reading]);
    await db.seed(Reading, readingsOf(3));
    other.clock.advance('1h');
    other.faults.failRead();
    expect(await db.repository(Reading).scanAll().count()).toBe(3);
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 1));
    other.faults.clear();
    expect(await other.repository(Reading).scanAll().count()).toBe(0);
  });

  test('is closed like any other database', async () => {
    const { engine } = db;
    await db.close();
    await expect(db.seed(Reading, [])).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    await expect(db.reset()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    expect(() => db.snapshot()).toThrow(expect.objectContaining({ code: 'DATABASE_CLOSED' }));
    await expect(engine.listTables()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });

  test('wrong entities and options are rejected as by open()', async () => {
    await expect(testDatabase([])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'entities' },
    });
    await expect(testDatabase([Reading], { gc: 'never' as 'lazy' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'gc' },
    });
    await expect(testDatabase([Reading], { now: new Date(NaN) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'now' },
    });
  });
});

describe('clock', () => {
  test('does not run, is set and advanced', async () => {
    await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 1));
    db.clock.advance('90s');
    db.clock.advance(500);
    expect(db.clock.date()).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 1, 30, 500)));
    db.clock.set(new Date(42));
    expect(db.clock.now()).toBe(42);
  });

  test.each(['1 h', '', '-1h', -1, 1.5, NaN])('advance(%p) is rejected', (by) => {
    expect(() => db.clock.advance(by as number)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test('is set to any time from 1970 to the largest Date', () => {
    for (const time of [8.64e15, 0]) {
      db.clock.set(time);
      expect(db.clock.now()).toBe(time);
    }
    for (const time of [8.64e15 + 1, -1, 0.5, new Date(NaN)])
      expect(() => db.clock.set(time)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    expect(db.clock.now()).toBe(0);
  });

  test('gives cells their timestamps, also those set by the engine', async () => {
    const readings = db.repository(Reading);
    db.clock.set(1_000);
    await readings.save(readings.create({ ...keyOf(0), value: 1 }));
    db.clock.set(2_000);
    await readings.increment(keyOf(0), 'hits');
    const [row] = await rowsOf(db);
    expect(row.cells.map(({ family, timestamp }) => [family, timestamp])).toEqual([
      ['c', 2_000_000n],
      ['m', 1_000_000n],
    ]);
  });

  test('collects by age', async () => {
    await db.seed(Reading, [{ ...keyOf(0), value: 1, note: 'gone in an hour' }]);
    db.clock.advance('1h');
    expect((await db.repository(Reading).get(keyOf(0)))?.note).toBe('gone in an hour');
    db.clock.advance(1);
    expect(await db.repository(Reading).get(keyOf(0))).toMatchObject({ value: 1 });
    expect((await db.repository(Reading).get(keyOf(0)))?.note).toBeUndefined();
  });

  test('when set back, a new value is still newer than an old one', async () => {
    const readings = db.repository(Reading);
    await readings.save(readings.create({ ...keyOf(0), value: 1 }));
    db.clock.set(0);
    await readings.patch(keyOf(0), { value: 2 });
    expect((await readings.get(keyOf(0)))?.value).toBe(2);
  });
});

describe('seed', () => {
  test('stores every kind of column and returns the entities', async () => {
    const status = Object.assign(new Status(), { firmware: '1.2', uptime: 5n });
    const init = {
      ...keyOf(1),
      value: 1.5,
      raw: Uint8Array.of(0, 255),
      big: 1n << 60n,
      seen: at(2),
      status,
      tags: new Map([['a', 'b']]),
      history: [{ at: at(0), value: 'x' }],
      hits: 3n,
      total: 4n,
    };
    const [entity] = await db.seed(Reading, [init]);
    expect(entity).toBeInstanceOf(Reading);
    expect(await db.repository(Reading).get(keyOf(1))).toEqual(Object.assign(new Reading(), init));
  });

  test('increments counters, also in rows without other columns', async () => {
    await db.seed(Visits, [{ page: '/', count: 2n }]);
    await db.seed(Visits, [{ page: '/', count: 3n }]);
    expect((await db.repository(Visits).get({ page: '/' }))?.count).toBe(5n);
  });

  test('names the row that cannot be stored', async () => {
    const rows = [...readingsOf(2), { ...keyOf(5), value: 'x' as unknown as number }];
    await expect(db.seed(Reading, rows)).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      details: { index: 2, property: 'value' },
    });
    await expect(
      db.seed(Reading, [...readingsOf(1), { ...keyOf(5), device: 7 as unknown as string }]),
    ).rejects.toMatchObject({ code: 'INVALID_KEY', details: { index: 1 } });
  });

  test('is neither affected nor counted by faults', async () => {
    const fault = db.faults.failWrite({ nth: 2 });
    db.faults.failBatch();
    await db.seed(Reading, readingsOf(5));
    expect(fault).toMatchObject({ matched: 0, injected: 0 });
    expect(await db.repository(Reading).scanAll().count()).toBe(5);
  });
});

describe('reset', () => {
  test('empties all tables, clears faults, keeps the clock by default', async () => {
    await db.seed(Reading, readingsOf(3));
    await db.seed(Visits, [{ page: '/', count: 1n }]);
    await db.engine.createTable({ name: 'extra', families: new Map() });
    db.clock.advance('1d');
    db.faults.failRead();
    await db.reset();
    expect(await db.repository(Reading).scanAll().count()).toBe(0);
    expect(await db.repository(Visits).scanAll().count()).toBe(0);
    expect((await db.engine.listTables()).map(({ name }) => name)).toEqual(['kit', 'visits']);
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 2));
    await db.reset({ clock: true });
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 1));
  });

  test('after it, new cells have the time of the clock', async () => {
    const readings = db.repository(Reading);
    db.clock.advance('1d');
    await readings.save(readings.create({ ...keyOf(0), value: 1 }));
    await db.reset({ clock: true });
    await readings.save(readings.create({ ...keyOf(0), value: 1 }));
    expect((await rowsOf(db))[0].cells[0].timestamp).toBe(BigInt(Date.UTC(2026, 0, 1)) * 1000n);
  });
});

describe('snapshot and restore', () => {
  test('restore rows, cells and tables exactly, any number of times', async () => {
    const readings = db.repository(Reading);
    await db.seed(
      Reading,
      readingsOf(600).map((row) => ({ ...row, tags: new Map([['k', 'v']]), total: 2n })),
    );
    const before = [await rowsOf(db), await db.engine.listTables()];
    const snapshot = db.snapshot();
    for (let round = 0; round < 3; round++) {
      await readings.prefix({ tenant: 'acme', device: 'd1' }).delete();
      await readings.save(readings.create({ ...keyOf(1, 'new'), value: round }));
      await db.engine.deleteTable('visits');
      await db.engine.modifyFamilies('kit', [
        { kind: 'drop', family: 't' },
        { kind: 'create', family: 'z', schema: {} },
      ]);
      await db.restore(snapshot);
      expect([await rowsOf(db), await db.engine.listTables()]).toEqual(before);
    }
    await readings.increment(keyOf(0), 'total');
    expect((await readings.get(keyOf(0)))?.total).toBe(3n);
  });

  test('the clock is restored too, so that restored cells do not expire', async () => {
    const readings = db.repository(Reading);
    await db.seed(Reading, [{ ...keyOf(0), note: 'young' }]);
    const snapshot = db.snapshot();
    db.clock.advance('30d');
    await readings.save(readings.create({ ...keyOf(1), note: 'later' }));
    await db.restore(snapshot);
    expect(db.clock.now()).toBe(Date.UTC(2026, 0, 1));
    expect((await readings.get(keyOf(0)))?.note).toBe('young');
    await readings.patch(keyOf(0), { note: 'new' });
    expect((await rowsOf(db))[0].cells[0].timestamp).toBe(BigInt(Date.UTC(2026, 0, 1)) * 1000n);
  });

  test('a snapshot can be restored into other databases of the same entities', async () => {
    await db.seed(Reading, readingsOf(3));
    const snapshot = db.snapshot();
    await using other = await testDatabase([Reading, Visits]);
    await other.restore(snapshot);
    await other.repository(Reading).delete(keyOf(0));
    expect(await other.repository(Reading).scanAll().count()).toBe(2);
    expect(await db.repository(Reading).scanAll().count()).toBe(3);
  });

  test('a scan and writes in progress complete on the previous rows', async () => {
    const readings = db.repository(Reading);
    await db.seed(Reading, readingsOf(600));
    const snapshot = db.snapshot();
    await db.seed(Reading, readingsOf(600, 'd2'));
    const pages = readings.scanAll().pages();
    let rows = (await pages.next()).value.length as number;
    const late = readings.save(readings.create({ ...keyOf(0, 'late'), value: 1 }));
    await db.restore(snapshot);
    for await (const page of pages) rows += page.length;
    await late;
    expect(rows).toBeGreaterThanOrEqual(1200);
    expect(await readings.scanAll().count()).toBe(600);
    expect(await readings.exists(keyOf(0, 'late'))).toBe(false);
  });

  test('anything but a snapshot is rejected', async () => {
    await expect(db.restore({} as ReturnType<typeof db.snapshot>)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('random histories of writes, deletes, snapshots and restores agree with copies of a plain map', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('save' as const),
          from: fc.nat(300),
          rows: fc.integer({ min: 1, max: 90 }),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('delete' as const),
          from: fc.nat(300),
          rows: fc.integer({ min: 1, max: 90 }),
        }),
      },
      { weight: 2, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('restore' as const), which: fc.nat(5) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await db.reset();
        const readings = db.repository(Reading);
        let model = new Map<number, number>();
        const taken = [{ snapshot: db.snapshot(), model: new Map(model) }];
        let value = 0;
        for (const each of steps) {
          if (each.kind === 'snapshot')
            taken.push({ snapshot: db.snapshot(), model: new Map(model) });
          else if (each.kind === 'restore') {
            const chosen = taken[each.which % taken.length];
            await db.restore(chosen.snapshot);
            model = new Map(chosen.model);
          } else {
            const minutes = Array.from({ length: each.rows }, (_, i) => each.from + i);
            value++;
            if (each.kind === 'save')
              await db.seed(
                Reading,
                minutes.map((minute) => ({ ...keyOf(minute), value })),
              );
            else await readings.deleteMany(minutes.map((minute) => keyOf(minute)));
            for (const minute of minutes)
              if (each.kind === 'save') model.set(minute, value);
              else model.delete(minute);
          }
          const rows = await readings.scanAll().all();
          expect(rows.map((row) => [row.at.getTime(), row.value])).toEqual(
            [...model]
              .sort(([a], [b]) => a - b)
              .map(([minute, stored]) => [at(minute).getTime(), stored]),
          );
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 4) },
    );
  });
});

test('only memory engines have images', async () => {
  const memoryImage = await loadMemoryImage();
  await using plain = await open('memory:', { entities: [Visits] });
  expect(() => memoryImage(plain.engine)).not.toThrow();
  expect(() => memoryImage(db.engine)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
});
