/**
 * Any two calls that make the same new row at the same time count it once. RUNS=n makes n rows with
 * each two calls, at most 60.
 */
import type { Database } from '../../../../src/index.js';
import { faultyDatabase } from '../../../../src/tools/testing/index.js';
import { openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { Reading } from './rollup-entities.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 5, 1, minute));
const rounds = Number(process.env.RUNS ?? 8);

type Call = (db: Database, reading: Reading) => Promise<unknown>;

const keyOf = ({ tenant, device, at: time }: Reading): object => ({ tenant, device, at: time });
const many: Readonly<Record<string, Call>> = {
  saveMany: (db, reading) => db.repository(Reading).saveMany([reading]),
  patchMany: (db, reading) =>
    db
      .repository(Reading)
      .patchMany([
        { key: keyOf(reading) as Reading, changes: { temperature: reading.temperature } },
      ]),
};
const all: Readonly<Record<string, Call>> = {
  ...many,
  save: (db, reading) => db.repository(Reading).save(reading),
  insert: (db, reading) => db.repository(Reading).insert(reading),
  patch: (db, reading) =>
    db.repository(Reading).patch(keyOf(reading) as Reading, { temperature: reading.temperature }),
  insertMany: (db, reading) => db.repository(Reading).insertMany([reading]),
};
const pairs = Object.keys(many).flatMap((first) =>
  Object.keys(all).map((second): [string, string] => [first, second]),
);

/** Writes `rounds` new rows, each by both calls, and compares the bucket with the rows. */
async function runPair(db: Database, first: Call, second: Call): Promise<void> {
  const readings = db.repository(Reading);
  const reading = (minute: number, temperature: number): Reading =>
    readings.create({ tenant: 'a', device: 'd', at: at(minute), temperature });
  for (let minute = 0; minute < rounds; minute++)
    await Promise.allSettled([first(db, reading(minute, 1)), second(db, reading(minute, 2))]);
  const rows = await readings.scanAll().all();
  expect(rows).toHaveLength(rounds);
  const total = rows.reduce((sum, { temperature }) => sum + temperature!, 0);
  expect(await readings.rollup('hourly').scanAll().all()).toMatchObject([{ count: rounds, total }]);
  expect(await db.derived.rollups.verify(Reading)).toMatchObject({
    missing: 0,
    orphan: 0,
    wrong: 0,
  });
  await readings.prefix({ tenant: 'a' }).delete();
}

test('in one process', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Reading] });
  for (const [i, [first, second]] of pairs.entries()) {
    db.faults.delay({ millis: [0, 1], seed: i, only: 'writes' });
    await runPair(db, many[first], all[second]);
    db.faults.clear();
  }
}, 600_000);

test('in two processes', async () => {
  const server = await openOverOurServer();
  const open = () =>
    faultyDatabase('bigtable://p/instance-1', {
      entities: [Reading],
      bigtable: { emulatorHost: server.address },
    });
  const [db, other] = await Promise.all([open(), open()]);
  await db.admin.apply();
  for (const [first, second] of pairs)
    await runPair(db, many[first], (_, reading) => all[second](other, reading));
  await db.close();
  await other.close();
  await server.close();
}, 600_000);
