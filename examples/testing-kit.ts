/**
 * Tests of a small job with node's own runner: the job copies yesterday's readings into daily
 * totals, and has to stand a storage that fails in the middle. Each test starts from one snapshot,
 * moves the clock, and breaks what it wants broken.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  Column,
  Entity,
  maxAge,
  maxVersions,
  type Repository,
  rowKey,
  RowsmithError,
  Segment,
} from 'rowsmith';
import { type Snapshot, type TestDatabase, testDatabase } from 'rowsmith/testing';

@Entity({ table: 'readings', families: { m: { gc: maxAge('30d') } } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') litres?: number;
}

@Entity({ table: 'totals', families: { t: { gc: maxVersions(1) } } })
class Total {
  static readonly key = rowKey('device', 'day');
  @Segment('string') device!: string;
  @Segment('isoDate') day!: Date;
  @Column('t', 'double') litres?: number;
}

const day = 86_400_000;

/**
 * The job: reads one day of a device and writes its total; tries again when the storage is away.
 * Resolves to how often it tried.
 */
async function total(
  readings: Repository<Reading, typeof Reading.key>,
  totals: Repository<Total, typeof Total.key>,
  device: string,
  from: Date,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      let litres = 0;
      const rows = readings.prefix({ device }).between('at', from, new Date(from.getTime() + day));
      for await (const row of rows) litres += row.litres ?? 0;
      await totals.save(totals.create({ device, day: from, litres }));
      return tries;
    } catch (error) {
      if (!(error instanceof RowsmithError) || error.code !== 'UNAVAILABLE' || tries === 3)
        throw error;
    }
  }
}

const start = new Date('2026-03-01T00:00:00Z');
let db: TestDatabase;
let seeded: Snapshot;

before(async () => {
  db = await testDatabase([Reading, Total], { now: start });
  await db.seed(
    Reading,
    Array.from({ length: 1440 }, (_, minute) => ({
      device: 'pump',
      at: new Date(start.getTime() + minute * 60_000),
      litres: 0.5,
    })),
  );
  seeded = db.snapshot();
});
beforeEach(() => db.restore(seeded));
after(() => db.close());

const run = (): Promise<number> =>
  total(db.repository(Reading), db.repository(Total), 'pump', start);
const stored = async (): Promise<number | undefined> =>
  (await db.repository(Total).get({ device: 'pump', day: start }))?.litres;

void test('adds up a day', async () => {
  assert.equal(await run(), 1);
  assert.equal(await stored(), 720);
});

void test('a scan that breaks off in the middle is read again from its start', async () => {
  const broken = db.faults.failRead({ table: 'readings', afterRows: 1000, nth: 1 });
  assert.equal(await run(), 2);
  assert.equal(broken.injected, 1);
  assert.equal(await stored(), 720, 'no litre counts twice');
});

void test('a write whose answer is lost is repeated without harm', async () => {
  db.faults.failWrite({ table: 'totals', nth: 1, applied: true });
  assert.equal(await run(), 2);
  assert.equal(await stored(), 720);
});

void test('storage that stays away is told, and nothing is stored', async () => {
  const away = db.faults.failWrite({ table: 'totals' });
  await assert.rejects(run(), { code: 'UNAVAILABLE' });
  assert.equal(away.injected, 3);
  db.faults.clear();
  assert.equal(await stored(), undefined);
});

void test('after 30 days the readings are gone', async () => {
  db.clock.advance('31d');
  await run();
  assert.equal(await stored(), 0);
});
