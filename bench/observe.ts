/**
 * `npm run bench -- bench/observe.ts`: the cost of the `observe` option. The same scan and the same
 * gets on databases without it, with a log, and with OpenTelemetry without an SDK. Without the
 * option there must be no cost: the first variant is measured twice to show the noise.
 */
import { open } from '../src/entities/repository/index.js';
import { DataSet } from './data-set.js';
import { interleave } from './interleave.js';
import { Reading } from './reading.js';
import { benchOptions, Results } from './results.js';

const options = benchOptions(process.argv.slice(2), 100_000);
const data = new DataSet(options.rows);
const results = new Results(options);
const rows = data.slice(0, data.rows);
const observers = {
  unobserved: undefined,
  'unobserved-again': undefined,
  log: { log: () => {} },
  telemetry: { telemetry: true },
};
const databases = await Promise.all(
  Object.entries(observers).map(async ([name, observe]) => {
    const db = await open('memory:', { entities: [Reading], observe });
    const readings = db.repository(Reading);
    const { failures } = await readings.saveMany(rows);
    if (failures.length > 0) throw failures[0].error;
    return { name, readings };
  }),
);

const scans = await interleave(
  databases.map(({ name, readings }) => ({
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
const gets = await interleave(
  databases.map(({ name, readings }) => ({
    name,
    run: async () => {
      for (let i = 0; i < 500; i++) await readings.get(rows[(i * 7919) % rows.length]);
      return 500;
    },
  })),
  25,
  3,
);
for (const [what, unit, timings] of [
  ['scan', 'us/row', scans],
  ['get', 'us', gets],
] as const) {
  const [[baseName, base], ...others] = timings;
  results.addTiming(`${what}.${baseName}`, base, unit);
  for (const [name, timing] of others)
    results.addTiming(`${what}.${name}`, timing, unit, { with: base, of: baseName });
}
process.exit(results.finish({ rows: data.rows }));
