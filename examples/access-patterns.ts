/**
 * Access patterns: the queries of a program, declared and named beside the key. The compiler checks
 * them, and `open` checks them again.
 */
import assert from 'node:assert/strict';
import { accessPatterns, Column, Entity, maxVersions, open, rowKey, Segment } from 'rowsmith';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
class Reading {
  static readonly key = rowKey('site', 'sensor', 'at');
  static readonly patterns = accessPatterns({
    latestOfSensor: { prefix: ['site', 'sensor'], limit: 1, purpose: 'The dashboard.' },
    ofPeriod: { prefix: ['site', 'sensor'], between: 'at' },
  });

  @Segment('string', { maxLength: 32 }) site!: string;
  @Segment('string', { maxLength: 32 }) sensor!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') celsius?: number;
}

await using db = await open('memory:', { entities: [Reading] });
const readings = db.repository(Reading);
const hour = (n: number) => new Date(Date.UTC(2026, 10, 20, n));
await readings.saveMany(
  Array.from({ length: 24 }, (_, n) =>
    readings.create({ site: 'roof', sensor: 'north', at: hour(n), celsius: n / 2 }),
  ),
);

const latest = await readings.patterns.latestOfSensor({ site: 'roof', sensor: 'north' }).first();
console.log('latest', latest?.at.toISOString(), latest?.celsius);
assert.equal(latest?.celsius, 11.5);

const morning = readings.patterns.ofPeriod({
  site: 'roof',
  sensor: 'north',
  at: { from: hour(6), to: hour(9) },
});
console.log(String(morning.explain()));
assert.deepEqual(
  (await morning.all()).map(({ celsius }) => celsius),
  [4, 3.5, 3],
);
