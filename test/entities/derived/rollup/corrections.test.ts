import { column, defineEntity, open, rollups, rowKey } from '../../../../src/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { Reading } from './rollup-entities.js';

const hour = (h: number, minute = 0, second = 0): Date =>
  new Date(Date.UTC(2026, 0, 5, h, minute, second));

describe.each(backEnds)('rows that are corrected: $name', ({ name, open }) => {
  test('every way to insert counts each row once', async () => {
    const { db, close } = await open([Reading]);
    const readings = db.repository(Reading);
    const of = (device: string, at: Date, temperature?: number, more: object = {}): Reading =>
      readings.create({ tenant: 'a', device, at, temperature, ...more });

    await readings.save(of('d1', hour(1, 10), 21.5, { energy: 5n }));
    await readings.insert(of('d1', hour(1, 5), 20.25, { note: 'x', energy: 2n ** 60n }));
    await readings.saveMany([
      of('d1', hour(1, 59), 23.1),
      of('d1', hour(2), -4.01),
      of('d2', hour(1), 7),
    ]);
    await readings.insertMany([of('d2', hour(1, 1), undefined, { remark: 'no temperature' })]);
    await readings.patch({ tenant: 'a', device: 'd3', at: hour(1) }, { temperature: 1.5 });
    await readings.patchMany([
      { key: { tenant: 'a', device: 'd3', at: hour(1, 1) }, changes: { temperature: 2.5 } },
    ]);

    // Google's emulator has no aggregate but sum: what was added last is the minimum.
    if (name.includes('emulator'))
      expect(await db.derived.rollups.repair(Reading)).toMatchObject({
        missing: 0,
        orphan: 0,
        busy: 0,
      });
    const rows = await readings.rollup('hourly').prefix({ tenant: 'a' }).all();
    expect(rows).toEqual([
      {
        tenant: 'a',
        device: 'd1',
        at: hour(2),
        count: 1,
        noted: 0,
        avg: -4.01,
        low: -4.01,
        high: -4.01,
        total: -4.01,
        watts: 0n,
        open: -4.01,
        close: -4.01,
      },
      {
        tenant: 'a',
        device: 'd1',
        at: hour(1),
        count: 3,
        noted: 1,
        avg: 6485 / 300,
        low: 20.25,
        high: 23.1,
        total: 64.85,
        watts: 2n ** 60n + 5n,
        open: 20.25,
        close: 23.1,
      },
      {
        tenant: 'a',
        device: 'd2',
        at: hour(1),
        count: 2,
        noted: 0,
        avg: 7,
        low: 7,
        high: 7,
        total: 7,
        watts: 0n,
        open: 7,
        close: 7,
      },
      {
        tenant: 'a',
        device: 'd3',
        at: hour(1),
        count: 2,
        noted: 0,
        avg: 2,
        low: 1.5,
        high: 2.5,
        total: 4,
        watts: 0n,
        open: 1.5,
        close: 2.5,
      },
    ]);
    expect(await readings.rollup('daily').scanAll().all()).toEqual([
      { tenant: 'a', at: hour(0), count: 8, latest: hour(2), watts: 2n ** 60n },
    ]);
    const report = await db.derived.rollups.verify(Reading);
    expect(report).toMatchObject({ rows: 16, compared: 5, missing: 0, orphan: 0, wrong: 0 });
    await close();
  });

  test('saving again corrects, and deleting subtracts', async () => {
    const { db, close } = await open([Reading]);
    const readings = db.repository(Reading);
    const key = { tenant: 'a', device: 'd', at: hour(1) };
    const of = (minute: number, temperature: number): Reading =>
      readings.create({ ...key, at: hour(1, minute), temperature });
    const totals = async (): Promise<unknown[]> => {
      const row = await readings.rollup('hourly').get(key);
      return [row?.count, row?.noted, row?.total, row?.avg];
    };
    await readings.save(of(0, 1));
    await readings.save(of(0, 1));
    expect(await totals()).toEqual([1, 0, 1, 1]);
    await readings.save(of(0, 3));
    expect(await totals()).toEqual([1, 0, 3, 3]);
    await expect(readings.insert(of(0, 9))).rejects.toMatchObject({ code: 'ROW_EXISTS' });
    expect((await readings.saveMany([of(0, 2), of(10, 2), of(10, 4)])).failures).toEqual([]);
    expect(await totals()).toEqual([2, 0, 6, 3]);

    await readings.patch(key, { temperature: 5 });
    expect(await totals()).toEqual([2, 0, 9, 4.5]);
    await readings.patch(key, { temperature: null });
    expect(await readings.get(key)).toBeUndefined();
    expect(await totals()).toEqual([1, 0, 4, 4]);
    await expect(
      readings.patch(key, { temperature: 5 }, { if: { exists: true } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    await readings.save(of(0, 2));
    await readings.patch(key, { note: 'n' }, { if: { exists: true } });
    expect(await totals()).toEqual([2, 1, 6, 3]);
    expect((await readings.append(key, { note: 'x' })).note).toBe('nx');
    await readings.patch(key, { remark: 'no rollup reads it' });
    expect(await totals()).toEqual([2, 1, 6, 3]);
    await readings.patch(key, { temperature: 6 }, { remove: ['note'] });
    expect(await totals()).toEqual([2, 0, 10, 5]);

    await readings.delete(key);
    expect(await totals()).toEqual([1, 0, 4, 4]);
    await readings.delete(key);
    expect((await readings.deleteMany([key, { ...key, at: hour(1, 10) }])).failures).toEqual([]);
    expect(await totals()).toEqual([undefined, undefined, undefined, undefined]);
    await readings.saveMany([of(1, 1), of(2, 2), of(3, 3)]);
    await readings.prefix({ tenant: 'a', device: 'd' }).since('at', hour(1, 3)).delete();
    expect(await totals()).toEqual([2, 0, 3, 1.5]);
    await readings.prefix({ tenant: 'a' }).delete();
    expect(await readings.rollup('hourly').scanAll().all()).toEqual([]);
    expect(await readings.rollup('daily').scanAll().count()).toBe(0);
    expect(await db.derived.rollups.verify(Reading)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });

  test('values that are not exact are rejected before anything is written', async () => {
    const { db, close } = await open([Reading]);
    const readings = db.repository(Reading);
    const of = (temperature: number): Reading =>
      readings.create({ tenant: 'a', device: 'd', at: hour(1), temperature });
    for (const value of [21.375, NaN, Infinity, 1e300])
      await expect(readings.save(of(value))).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        details: { entity: 'Reading', property: 'temperature' },
      });
    await expect(readings.save(of(NaN))).rejects.toMatchObject({
      details: {
        problem: expect.stringContaining(
          'expected a finite number for the rollup, got the number NaN',
        ),
      },
    });
    const { failures } = await readings.saveMany([of(1.005)]);
    expect(failures[0].error.code).toBe('INVALID_VALUE');
    expect(await readings.scanAll().count()).toBe(0);
    expect(await readings.rollup('hourly').scanAll().count()).toBe(0);
    await close();
  });
});

test('rows that come twice in a batch count once, whatever the kinds of the segments', async () => {
  const Meter = defineEntity(
    class Meter {
      meter!: number;
      at!: Date;
      watts?: number;
    },
    {
      table: 'meters',
      families: { m: {} },
      key: rowKey('meter', 'at'),
      segments: { meter: 'uint', at: 'timestamp' },
      columns: { watts: column('m', 'int32') },
      rollups: rollups({
        hourly: {
          by: ['meter', { time: 'at', every: '1h' }],
          values: { count: 'count', sum: { sum: 'watts' } },
        },
      }),
    },
  );
  await using db = await open('memory:', { entities: [Meter] });
  const meters = db.repository(Meter);
  const rows = [1, 2, 1, 3, 2].map((meter, i) => meters.create({ meter, at: hour(1), watts: i }));
  expect((await meters.saveMany(rows)).failures).toEqual([]);
  const kept = (await meters.scanAll().all()).map(({ meter, watts }) => [meter, watts]);
  const hours = async (): Promise<unknown[]> =>
    (await meters.rollup('hourly').scanAll().all()).map(({ meter, count, sum }) => [
      meter,
      sum,
      count,
    ]);
  expect(kept).toEqual([
    [1, 2],
    [2, 4],
    [3, 3],
  ]);
  expect(await hours()).toEqual(kept.map((row) => [...row, 1]));
  // Late rows between earlier rows, a batch in any order, and the same again.
  const late = [30, 10, 50, 20, 40, 10].map((minute) =>
    meters.create({ meter: 1, at: hour(1, minute), watts: 1 }),
  );
  for (let i = 0; i < 2; i++) {
    expect((await meters.saveMany(late)).failures).toEqual([]);
    expect((await hours())[0]).toEqual([1, 7, 6]);
  }
});
