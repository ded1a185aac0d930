/** Minima, maxima, first and last values of rows that change, compared with the rows' values. */
import {
  Column,
  type Database,
  Entity,
  maxVersions,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { faultyDatabase } from '../../../../src/tools/testing/index.js';
import { backEnds } from '../../repository/support/back-ends.js';
import { seed } from '../../../support/seed.js';
import { randomOf } from '../index/histories/faulty-storage.js';

@Entity({ table: 'gauges', families: { m: { gc: maxVersions(1) } } })
class Gauge {
  static readonly key = rowKey('site', 'at', 'id');
  static readonly rollups = rollups({
    daily: {
      by: ['site', { time: 'at', every: '1d' }],
      values: {
        count: 'count',
        low: { min: 'level' },
        high: { max: 'level' },
        opening: { first: 'state' },
        closing: { last: 'state' },
      },
    },
  });
  @Segment('string', { maxLength: 20 }) site!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 99 }) id!: number;
  @Column('m', 'int32') level?: number;
  @Column('m', 'string') state?: string;
}

const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 5, h));
const of = (id: number, level?: number, state?: string, at = hour(id)): Gauge => ({
  site: 's',
  at,
  id,
  level,
  state,
});
const keyOf = ({ site, at, id }: Gauge): { site: string; at: Date; id: number } => ({
  site: site,
  at: at,
  id: id,
});

/** The bucket, and what it should hold: of rows of one time, any may be first or last. */
async function bucketOf(db: Database): Promise<unknown[]> {
  const row = await db
    .repository(Gauge)
    .rollup('daily')
    .get({ site: 's', at: hour(0) });
  return [row?.count, row?.low, row?.high, row?.opening, row?.closing];
}

async function assertBucket(db: Database): Promise<void> {
  const rows = await db.repository(Gauge).prefix({ site: 's' }).all();
  const levels = rows.flatMap(({ level }) => level ?? []);
  const stated = rows.filter(({ state }) => state !== undefined);
  const statesAt = (at: Date | undefined): (string | undefined)[] =>
    stated.filter((row) => row.at.getTime() === at?.getTime()).map(({ state }) => state);
  const [count, low, high, opening, closing] = await bucketOf(db);
  expect([count ?? 0, low, high]).toEqual([
    rows.length,
    levels.length === 0 ? undefined : Math.min(...levels),
    levels.length === 0 ? undefined : Math.max(...levels),
  ]);
  if (stated.length === 0) expect([opening, closing]).toEqual([undefined, undefined]);
  else {
    expect(statesAt(stated[0].at)).toContain(opening);
    expect(statesAt(stated[stated.length - 1].at)).toContain(closing);
  }
}

describe.each(backEnds.filter(({ name }) => !name.includes('emulator')))(
  '$name',
  ({ name, open }) => {
    test('the row with an extreme is deleted or corrected', async () => {
      const { db, close } = await open([Gauge]);
      const gauges = db.repository(Gauge);
      const save = (row: Gauge): Promise<void> => gauges.save(gauges.create(row));
      await gauges.saveMany(
        [of(1, 10, 'a'), of(2, 30, 'b'), of(3, 20, 'c'), of(4, 10, 'd')].map((row) =>
          gauges.create(row),
        ),
      );
      expect(await bucketOf(db)).toEqual([4, 10, 30, 'a', 'd']);
      // A tie: another row has the minimum.
      await gauges.delete(keyOf(of(4)));
      expect(await bucketOf(db)).toEqual([3, 10, 30, 'a', 'c']);
      await gauges.delete(keyOf(of(1)));
      expect(await bucketOf(db)).toEqual([2, 20, 30, 'b', 'c']);
      // Corrections that raise and lower each of them.
      await save(of(2, 40, 'B'));
      expect(await bucketOf(db)).toEqual([2, 20, 40, 'B', 'c']);
      await gauges.patch(keyOf(of(2)), { level: 25 });
      expect(await bucketOf(db)).toEqual([2, 20, 25, 'B', 'c']);
      await gauges.patch(keyOf(of(3)), { level: 24, state: 'C' });
      expect(await bucketOf(db)).toEqual([2, 24, 25, 'B', 'C']);
      await gauges.patch(keyOf(of(3)), { level: 26 });
      expect(await bucketOf(db)).toEqual([2, 25, 26, 'B', 'C']);
      await gauges.patchMany([
        { key: keyOf(of(2)), changes: { level: null, state: null } },
        { key: keyOf(of(3)), changes: { state: null } },
      ]);
      expect(await bucketOf(db)).toEqual([1, 26, 26, undefined, undefined]);
      await save(of(5, 1, 'e'));
      await gauges.prefix({ site: 's' }).delete();
      expect(await bucketOf(db)).toEqual([undefined, undefined, undefined, undefined, undefined]);
      await save(of(6, 7, 'f'));
      expect(await bucketOf(db)).toEqual([1, 7, 7, 'f', 'f']);
      expect(await db.derived.rollups.verify(Gauge)).toMatchObject({
        missing: 0,
        orphan: 0,
        wrong: 0,
      });
      await close();
    });

    test('random writes, several at a time', async () => {
      const { db, close } = await open([Gauge]);
      const gauges = db.repository(Gauge);
      const random = randomOf(seed);
      const below = (n: number): number => Math.floor(random() * n);
      const write = (): Promise<unknown> => {
        // Few times, so that rows tie.
        const id = below(4);
        const row = of(id, below(6), 'abc'[below(3)], hour(below(3)));
        switch (below(4)) {
          case 0:
            return gauges.delete(keyOf(row));
          case 1:
            return gauges.patch(keyOf(row), { level: below(2) === 0 ? null : below(6) });
          case 2:
            return gauges.saveMany([
              gauges.create(row),
              gauges.create(of(3 - id, row.level, row.state, row.at)),
            ]);
          default:
            return gauges.save(gauges.create(row));
        }
      };
      for (let round = 0; round < (name === 'memory' ? 60 : 15); round++) {
        await Promise.all(Array.from({ length: 1 + below(4) }, write));
        await assertBucket(db);
      }
      expect(await db.derived.rollups.verify(Gauge)).toMatchObject({
        missing: 0,
        orphan: 0,
        wrong: 0,
      });
      await close();
    });
  },
);

test('extremes that are added and go away while the bucket is computed', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Gauge] });
  const gauges = db.repository(Gauge);
  const save = (row: Gauge): Promise<void> => gauges.save(gauges.create(row));
  const random = randomOf(seed);
  const below = (n: number): number => Math.floor(random() * n);
  for (let round = 0; round < 20; round++) {
    await gauges.saveMany(Array.from({ length: 6 }, (_, i) => gauges.create(of(i, below(9), 's'))));
    await gauges.patch(keyOf(of(below(6))), { level: below(9) });
    db.faults.delay({ millis: [0, 3], seed: below(1000) });
    await Promise.all([
      db.derived.rollups.rebuild(Gauge, 'daily'),
      bucketOf(db),
      save(of(6, -below(5), 'first', hour(0))),
      gauges.delete(keyOf(of(below(6)))),
      save(of(below(6), 9 + below(5), 'x')),
      gauges.delete(keyOf(of(below(6)))),
    ]);
    db.faults.clear();
    await assertBucket(db);
    await gauges.prefix({ site: 's' }).delete();
  }
  expect(await db.derived.rollups.verify(Gauge)).toMatchObject({ missing: 0, orphan: 0, wrong: 0 });
});
