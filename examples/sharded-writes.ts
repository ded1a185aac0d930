/**
 * Earthquakes by time: with growing keys every write would go to the same server. A hash at the
 * start of the key distributes them over shards, and reads merge the shards.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Column, Entity, maxVersions, open, rowKey, Segment } from 'rowsmith';

@Entity({
  table: 'quakes',
  families: { q: { gc: maxVersions(1) } },
  shards: { count: 8, by: ['id'] },
})
class Quake {
  static readonly key = rowKey('at', 'id');
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('string', { maxLength: 32 }) id!: string;
  @Column('q', 'double') magnitude?: number;
  @Column('q', 'string') place?: string;
}

interface Feature {
  readonly id: string;
  readonly properties: {
    readonly mag: number | null;
    readonly place: string;
    readonly time: number;
  };
}
const file = join(
  createRequire(import.meta.url).resolve('vega-datasets'),
  '../../data/earthquakes.json',
);
const { features } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly features: readonly Feature[];
};

await using db = await open('memory:', { entities: [Quake] });
const quakes = db.repository(Quake);
const { written, failures } = await quakes.saveMany(
  features.map(({ id, properties: { mag, place, time } }) =>
    quakes.create({ at: new Date(time), id, magnitude: mag ?? undefined, place }),
  ),
);
assert.deepEqual([written, failures.length], [features.length, 0]);

// Eight ranges, one for each shard, merged by time: the order is the same as without shards.
const newest = quakes.scanAll().limit(5);
assert.equal(newest.explain().fanOut, 8);
for (const { at, magnitude, place } of await newest.all())
  console.log(at.toISOString(), magnitude, place);

const times = features.map(({ properties }) => properties.time).sort((a, b) => b - a);
assert.deepEqual(
  (await quakes.scanAll().all()).map(({ at }) => at.getTime()),
  times,
);

const day = quakes.between('at', new Date('2018-02-05'), new Date('2018-02-06'));
console.log(String(day.explain()));
const ofTheDay = times.filter(
  (time) => time >= Date.UTC(2018, 1, 5) && time < Date.UTC(2018, 1, 6),
);
assert.equal(await day.count(), ofTheDay.length);

// A cursor continues in all shards.
const first = await day.page({ size: 10 });
const second = await day.page({ size: 10, after: first.next });
assert.deepEqual(
  [...first.rows, ...second.rows].map(({ at }) => at.getTime()),
  ofTheDay.slice(0, 20),
);

// A whole key determines its shard: a get reads one row, not eight.
const [one] = first.rows;
assert.deepEqual(await quakes.get(one), one);
