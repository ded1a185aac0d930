/**
 * `npm run bench -- bench/observe.ts`: what being watched costs. The same scan and the same gets on
 * a database nobody watches (opened with no `observe`), and on ones with a log, and with
 * OpenTelemetry without an SDK. Nobody watching must cost nothing: twice the same, in turns, says
 * how much is noise.
 */
import { open } from '../src/repository/index.js';
import { DataSet } from './data-set.js';
import { interleave } from './interleave.js';
import { Reading } from './reading.js';
import { benchOptions, Results } from './results.js';

const options = benchOptions(process.argv.slice(2), 100_000);
const data = new DataSet(options.rows);
const results = new Results(options);
const rows = data.slice(0, data.rows);
const watched = {
  nobody: undefined,
  'nobody-again': undefined,
  log: { log: () => {} },
  telemetry: { telemetry: true },
};
const databases = await Promise.all(
  Object.entries(watched).map(async ([name, observe]) => {
    const db = await open('memory:', {
      entities: [Reading],
      ...(observe === undefined ? {} : { observe }),
    });
    const readings = db.repository(Reading);
    const { failed } = await readings.saveMany(rows);
    if (failed.length > 0) throw failed[0].error;
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
  const base = timings.get('nobody')!;
  for (const [name, timing] of timings)
    results.addTiming(
      `${what}.${name}`,
      timing,
      unit,
      name === 'nobody' ? undefined : { with: base, of: 'nobody' },
    );
}
process.exit(results.finish({ rows: data.rows }) ? 0 : 2);
