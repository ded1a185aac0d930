/**
 * An IoT platform: the newest reading of each device in one query, several devices together, hourly
 * averages, and a year of history in wide rows.
 */
import assert from 'node:assert/strict';
import { Column, ColumnMap, Entity, maxVersions, open, rollups, rowKey, Segment } from 'rowsmith';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  // Counted as readings arrive, so that a chart of a year reads a row for each hour.
  static readonly rollups = rollups({
    hourly: {
      by: ['tenant', 'device', { time: 'at', every: '1h' }],
      values: { n: 'count', mean: { avg: 'celsius', decimals: 2 } },
    },
  });
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // the newest reading is a device's first row
  @Column('m', 'double') celsius?: number;
}

/** The same readings as a row a day: less space, and a day is read and counted at once. */
@Entity({
  table: 'history',
  families: { r: { gc: maxVersions(1) } },
  lint: { expect: { celsius: { maxEntries: 1_440 } } }, // one a minute
})
class Day {
  static readonly key = rowKey('tenant', 'device', 'day');
  @Segment('string', { maxLength: 40 }) tenant!: string;
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { floor: 'day', order: 'desc' }) day!: Date;
  @ColumnMap('r', 'double', { qualifiers: 'timestamp', order: 'desc' }) celsius?: Map<Date, number>;
}

await using db = await open('memory:', { entities: [Reading, Day] });
const readings = db.repository(Reading);
const time = (hour: number, minute = 0) => new Date(Date.UTC(2026, 10, 20, hour, minute));

// Four devices, a reading every 20 minutes; d3 is silent from 02:00 to 04:00.
await readings.saveMany(
  ['d1', 'd2', 'd3', 'd4'].flatMap((device, i) =>
    Array.from({ length: 18 }, (_, n) => time(0, 20 * n))
      .filter((at) => device !== 'd3' || at < time(2) || at >= time(4))
      .map((at) => readings.create({ tenant: 'acme', device, at, celsius: i + at.getUTCHours() })),
  ),
);
const acme = readings.prefix({ tenant: 'acme' });

// The dashboard: the newest reading of each device. The rows between are skipped, not read.
for await (const { device, at, celsius } of acme.firstPer('device'))
  console.log(device, at.toISOString(), celsius);
assert.deepEqual(
  (await acme.firstPer('device').all()).map(({ device, celsius }) => [device, celsius]),
  [
    ['d1', 5],
    ['d2', 6],
    ['d3', 7],
    ['d4', 8],
  ],
);

// What it showed at 03:00: the bound applies within each device.
const atThree = await acme.firstPer('device').until('at', time(3)).all();
assert.deepEqual(atThree[2].at, time(1, 40), 'd3 was silent');

// The devices on one map, read together. Which of them were hot?
const onMap = acme.oneOf('device', ['d2', 'd4']).since('at', time(4));
assert.equal(await onMap.count(), 2 * 6);
assert.equal(await onMap.where({ celsius: { above: 7 } }).count(), 3);

// Hourly averages of a device, of rows that were counted when the readings were saved.
const hours = readings.rollup('hourly').prefix({ tenant: 'acme', device: 'd2' });
assert.deepEqual(
  (await hours.since('at', time(4)).all()).map(({ at, n, mean }) => [at, n, mean]),
  [
    [time(5), 3, 6],
    [time(4), 3, 5],
  ],
);

// The same of the readings themselves. Gaps are results, too, so that a chart shows them.
const chart = await acme
  .oneOf('device', ['d3'])
  .between('at', time(0), time(6))
  .groupBy('device', { time: 'at', every: '1h', fillGaps: true })
  .aggregate({ n: 'count', mean: { avg: 'celsius' } })
  .all();
assert.deepEqual(
  chart.map(({ n, mean }) => [n, mean]),
  [
    [3, 7],
    [3, 6],
    [0, undefined],
    [0, undefined],
    [3, 3],
    [3, 2],
  ],
);

// Wide rows: patch writes one reading without reading the row, and series reads across the rows.
const days = db.repository(Day);
const hoursOfYear = Array.from({ length: 365 * 24 }, (_, n) => new Date(Date.UTC(2026, 0, 1, n)));
await days.patchMany(
  hoursOfYear.map((at, n) => ({
    key: { tenant: 'acme', device: 'd1', day: at },
    changes: { celsius: new Map([[at, n]]) },
  })),
);
const d1 = days.prefix({ tenant: 'acme', device: 'd1' });
assert.equal(await d1.count(), 365);

const [from, to] = [new Date(Date.UTC(2026, 5, 1, 18)), new Date(Date.UTC(2026, 5, 3, 6))];
const nights = await d1.series('celsius', { from, to }).all();
assert.deepEqual([nights.length, nights[0].at], [36, from]);
const [newest] = await d1.series('celsius', { newestFirst: true, limit: 1 }).all();
assert.deepEqual([newest.at, newest.value], [hoursOfYear.at(-1), 365 * 24 - 1]);
