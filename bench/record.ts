/**
 * `npm run bench -- bench/record.ts`: the cost of recording accesses. The same scans, gets and
 * writes on databases without a recorder, with one in memory, and with one that writes a file. The
 * first variant is measured twice to show the noise. `first` is the cost of the first 2,000 gets of
 * a minute, all of which are in the sample: later ones are not looked at one by one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessRecorder, recordAccess } from '../src/tools/heat/index.js';
import { open } from '../src/entities/repository/index.js';
import { DataSet } from './data-set.js';
import { interleave, type Timing } from './interleave.js';
import { Reading } from './reading.js';
import { benchOptions, Results } from './results.js';

const options = benchOptions(process.argv.slice(2), 100_000);
const data = new DataSet(options.rows);
const results = new Results(options);
const rows = data.slice(0, data.rows);
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-record-'));
/** A window of the recorder that is ended before each round has only its first operations. */
const firstOnly = recordAccess();
const recorders: Readonly<Record<string, AccessRecorder | undefined>> = {
  unrecorded: undefined,
  'unrecorded-again': undefined,
  memory: recordAccess(),
  file: recordAccess({ file: join(folder, 'access.heat') }),
  first: firstOnly,
};
const databases = await Promise.all(
  Object.entries(recorders).map(async ([name, record]) => {
    const db = await open('memory:', { entities: [Reading], observe: record && { record } });
    const readings = db.repository(Reading);
    const { failures } = await readings.saveMany(rows);
    if (failures.length > 0) throw failures[0].error;
    return { name, readings };
  }),
);
const steady = databases.filter(({ name }) => name !== 'first');

const scans = await interleave(
  steady.map(({ name, readings }) => ({
    name,
    run: async () => {
      let seen = 0;
      for await (const page of readings.scanAll().pages()) seen += page.length;
      return seen;
    },
  })),
  15,
  3,
);
const getsOf = (chosen: typeof databases, count: number): Promise<ReadonlyMap<string, Timing>> =>
  interleave(
    chosen.map(({ name, readings }) => ({
      name,
      run: async () => {
        for (let i = 0; i < count; i++) await readings.get(rows[(i * 7919) % rows.length]);
        return count;
      },
    })),
    41,
    5,
    () => firstOnly.flush(),
  );
const gets = await getsOf(steady, 5000);
const firstGets = await getsOf(
  databases.filter(({ name }) => name === 'unrecorded' || name === 'first'),
  2000,
);
const saves = await interleave(
  steady.map(({ name, readings }) => ({
    name,
    run: async (round) => {
      for (let i = 0; i < 2000; i++) await readings.save(rows[(i * 7919 + round) % rows.length]);
      return 2000;
    },
  })),
  41,
  5,
);
const recorded = { kind: 'atMost', ratio: 1.03 } as const;
for (const [what, unit, timings, target] of [
  ['scan', 'us/row', scans, recorded],
  ['get', 'us', gets, recorded],
  ['save', 'us', saves, recorded],
  ['get', 'us', firstGets, undefined],
] as const) {
  const [[baseName, base], ...others] = timings;
  results.addTiming(`${what}.${baseName}`, base, unit);
  for (const [name, timing] of others)
    results.addTiming(`${what}.${name}`, timing, unit, { with: base, of: baseName, target });
}
for (const recorder of Object.values(recorders)) await recorder?.close();
rmSync(folder, { recursive: true });
process.exit(results.finish({ rows: data.rows }));
