/**
 * `npm run bench -- bench/databases.ts`: figures for docs/guide/testing.md and engines.md.
 * Snapshots of a test database and restoring them, which must not take longer with more rows; and
 * the cost of verifying all files of a database when it is opened (`verify`).
 */
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '../src/entities/repository/index.js';
import { testDatabase } from '../src/tools/testing/index.js';
import { DataSet } from './data-set.js';
import { interleave } from './interleave.js';
import { Reading } from './reading.js';
import { benchOptions, Results } from './results.js';
import { scratchDirectory } from './stores.js';

const options = benchOptions(process.argv.slice(2), 200_000);
const results = new Results(options);
const calls = 200;

/** A test database with rows. */
async function seeded(rows: number) {
  const data = new DataSet(rows);
  const db = await testDatabase([Reading]);
  const { failures } = await db.repository(Reading).saveMany(data.slice(0, rows));
  if (failures.length > 0) throw failures[0].error;
  return { db, rows };
}

const databases = [await seeded(1000), await seeded(options.rows)];
const timings = await interleave(
  databases.flatMap(({ db, rows }) => {
    const readings = db.repository(Reading);
    const reading = new DataSet(1000).slice(0, 1)[0];
    const snapshot = db.snapshot();
    const repeat = (each: () => unknown) => async () => {
      for (let i = 0; i < calls; i++) {
        // Without a change since the last snapshot it would cost almost nothing.
        await readings.save(reading);
        await each();
      }
      return calls;
    };
    return [
      { name: `save.${rows}-rows`, run: repeat(() => undefined) },
      { name: `save-and-snapshot.${rows}-rows`, run: repeat(() => db.snapshot()) },
      { name: `save-and-restore.${rows}-rows`, run: repeat(() => db.restore(snapshot)) },
    ];
  }),
  25,
  5,
);
for (const what of ['save', 'save-and-snapshot', 'save-and-restore']) {
  const [few, many] = databases.map(({ rows }) => timings.get(`${what}.${rows}-rows`)!);
  results.addTiming(`${what}.1000-rows`, few, 'us');
  results.addTiming(`${what}.${options.rows}-rows`, many, 'us', {
    with: few,
    of: '1000 rows',
    target: { kind: 'atMost', ratio: 2 },
  });
}
for (const { db } of databases) await db.close();

const directory = mkdtempSync(join(scratchDirectory(), 'verified-'));
const opened = () => open(`file:${directory}`, { entities: [Reading], durability: 'relaxed' });
const filled = await opened();
const data = new DataSet(options.rows);
await filled.repository(Reading).saveMany(data.slice(0, data.rows));
await filled.close();
const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
const mebibytes = sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
const opening = await interleave(
  [true, false].map((verify) => ({
    name: String(verify),
    run: async () => {
      await (await open(`file:${directory}`, { entities: [Reading], verify })).close();
      return 1;
    },
  })),
  11,
  2,
);
results.addTiming('open.verified', opening.get('true')!, 'ms', undefined, 1e-3);
results.addTiming('open.unverified', opening.get('false')!, 'ms', undefined, 1e-3);
results.add({
  name: 'open.verify-per-MiB',
  value: (opening.get('true')!.min - opening.get('false')!.min) / 1000 / mebibytes,
  unit: 'ms',
});
process.exit(results.finish({ rows: options.rows, mebibytes: Math.round(mebibytes) }));
