/** Rows that garbage collection removes stay in their buckets: rollups outlive their source. */
import { Column, Entity, maxAge, rollups, rowKey, Segment } from '../../../../src/index.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';

@Entity({ table: 'events', families: { m: { gc: maxAge('1h') } } })
class Event {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups({
    daily: {
      by: ['device', { time: 'at', every: '1d' }],
      values: { count: 'count', total: { sum: 'value' }, high: { max: 'value' } },
    },
  });
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'int32') value?: number;
}

const start = Date.UTC(2026, 0, 1);
const bucket = { device: 'd', at: new Date(start) };
const of = (hours: number, value: number): Event => ({
  device: 'd',
  at: new Date(start + hours * 3_600_000),
  value,
});

test('rows that expire stay counted, and nothing computes their bucket again', async () => {
  const db = await testDatabase([Event], { now: start });
  const events = db.repository(Event);
  const save = (hours: number, value: number): Promise<void> =>
    events.save(events.create(of(hours, value)));
  const totals = async (): Promise<unknown[]> => {
    const row = await events.rollup('daily').get(bucket);
    return [row?.count, row?.total, row?.high];
  };
  await save(0, 10);
  await save(0.5, 20);
  db.clock.advance('5h');
  await save(5, 1);
  expect((await events.scanAll().all()).map(({ value }) => value)).toEqual([1]);
  expect(await totals()).toEqual([3, 31, 20]);

  for (const report of [
    await db.derived.rollups.verify(Event),
    await db.derived.rollups.repair(Event),
    await db.derived.rollups.rebuild(Event, 'daily'),
    (await db.derived.verify(Event)).rollups,
    (await db.derived.repair(Event)).rollups,
  ])
    // Rows live for an hour: the next day is the first that is sure to be whole.
    expect(report).toMatchObject({
      ...{ missing: 0, orphan: 0, wrong: 0, expired: 1, repaired: 0 },
      countsSince: new Date(start + 24 * 3_600_000),
    });
  expect(await totals()).toEqual([3, 31, 20]);

  // Corrections and deletions of the rows that are left are exact, also without a computation.
  await events.save(events.create(of(5, 2)));
  expect(await totals()).toEqual([3, 32, 20]);
  await events.delete({ device: 'd', at: new Date(start + 5 * 3_600_000) });
  expect(await totals()).toEqual([2, 30, 20]);
  await db.close();
});

test('an extreme that goes away beyond the retention stays', async () => {
  const db = await testDatabase([Event], { now: start });
  const events = db.repository(Event);
  await events.save(events.create(of(0, 10)));
  db.clock.advance('5h');
  await events.save(events.create(of(5, 20)));
  await events.delete({ device: 'd', at: new Date(start + 5 * 3_600_000) });
  // The row with 10 is gone: nothing can tell that it was the maximum.
  expect(await events.rollup('daily').get(bucket)).toEqual({
    ...bucket,
    count: 1,
    total: 10,
    high: 20,
  });
  await db.derived.repair(Event);
  expect(await events.rollup('daily').get(bucket)).toEqual({
    ...bucket,
    count: 1,
    total: 10,
    high: 20,
  });
  await db.close();
});
