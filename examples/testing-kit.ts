/**
 * Tests of a small job with node:test. The job adds up the readings of a day, and must handle
 * storage that fails in the middle. Each test starts from the same snapshot, advances the clock and
 * injects faults.
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
import { factory, type Snapshot, type TestDatabase, testDatabase } from 'rowsmith/testing';

@Entity({ table: 'readings', families: { m: { gc: maxAge('30d') } } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 32 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') litres?: number;
}

@Entity({ table: 'totals', families: { t: { gc: maxVersions(1) } } })
class Total {
  static readonly key = rowKey('device', 'day');
  @Segment('string', { maxLength: 32 }) device!: string;
  @Segment('isoDate') day!: Date;
  @Column('t', 'double') litres?: number;
}

const day = 86_400_000;

/**
 * The job: reads one day of a device and writes its total. Retries if the storage is unavailable.
 * Resolves to the number of attempts.
 */
async function total(
  readings: Repository<typeof Reading>,
  totals: Repository<typeof Total>,
  device: string,
  from: Date,
): Promise<number> {
  for (let attempts = 1; ; attempts++) {
    try {
      let litres = 0;
      const rows = readings.prefix({ device }).between('at', from, new Date(from.getTime() + day));
      for await (const row of rows) litres += row.litres ?? 0;
      await totals.save(totals.create({ device, day: from, litres }));
      return attempts;
    } catch (error) {
      if (!(error instanceof RowsmithError) || error.code !== 'UNAVAILABLE' || attempts === 3)
        throw error;
    }
  }
}

const start = new Date('2026-03-01T00:00:00Z');
let db: TestDatabase;
let seeded: Snapshot;

before(async () => {
  db = await testDatabase([Reading, Total], { now: start });
  // A reading each minute: times begin at `now`.
  await factory(Reading, { device: 'pump', litres: 0.5 }, { now: start }).saveMany(db, 1440);
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

void test('a scan that fails in the middle is read again from its start', async () => {
  const broken = db.faults.failRead({ table: 'readings', afterRows: 1000, nth: 1 });
  assert.equal(await run(), 2);
  assert.equal(broken.injected, 1);
  assert.equal(await stored(), 720, 'no reading is counted twice');
});

void test('a write can be repeated after its response was lost', async () => {
  db.faults.failWrite({ table: 'totals', nth: 1, applied: true });
  assert.equal(await run(), 2);
  assert.equal(await stored(), 720);
});

void test('if storage stays unavailable the job fails, and nothing is stored', async () => {
  const outage = db.faults.failWrite({ table: 'totals' });
  await assert.rejects(run(), { code: 'UNAVAILABLE' });
  assert.equal(outage.injected, 3);
  db.faults.clear();
  assert.equal(await stored(), undefined);
});

void test('after 30 days the readings are deleted', async () => {
  db.clock.advance('31d');
  await run();
  assert.equal(await stored(), 0);
});
