/**
 * `npm run demo`: loads real data into a database on disk, runs queries, and verifies the data after
 * a restart. With `--studio` it shows them in a browser afterwards, or
 * prints the link only with `--no-open`.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { type Database, open } from 'rowsmith';
import { bytesIn, prepareDirectory } from './directory.js';
import { Airport, Departure, entities, RouteFlight, WeatherHour } from './entities.js';
import { type Counts, loadAll } from './load.js';
import { Printer } from './print.js';
import { grouped } from '../src/cli/terminal/progress.js';
import type { Repositories } from './step.js';
import { styleFor } from '../src/cli/terminal/style.js';
import { tour } from './tour.js';

const style = styleFor(process.stdout);
const print = new Printer(style);
const started = performance.now();
const { values: flags, positionals } = parseArgs({
  options: { studio: { type: 'boolean' }, 'no-open': { type: 'boolean' } },
  allowPositionals: true,
});
const directory = prepareDirectory(positionals[0]);
const url = `file:${directory}`;

const expected = await loadAndTour();
const intact = await reopen(expected);
printSummary();
process.exitCode = intact ? 0 : 1;
if (flags.studio === true)
  await (await import('./studio.js')).showStudio(url, flags['no-open'] !== true);

async function loadAndTour(): Promise<Snapshot> {
  await using db = await open(url, { entities });
  const repositories = {
    departures: db.repository(Departure),
    routes: db.repository(RouteFlight),
    airports: db.repository(Airport),
    weather: db.repository(WeatherHour),
  };
  introduce(repositories);
  print.chapter('Loading');
  const counts = await loadAll(db, style);
  print.text(
    `\nNow ${tour.length} steps. Each shows its code, the plan of its query (from explain()), the result, and ` +
      'the time of this first run.',
  );
  await runTour(repositories);
  return { counts, ...(await samples(db)) };
}

/** Explains the tables, with row keys that will be in the database. */
function introduce({ departures, routes, airports, weather }: Repositories): void {
  const flight = { origin: 'SEA', at: new Date('2001-03-31T07:56Z'), destination: 'JFK', nth: 0 };
  const key = (
    repository: Repositories[keyof Repositories],
    values: Readonly<Record<string, unknown>>,
  ): string => Buffer.from(repository.model.key.encode(values)).toString();
  print.line(style.bold('Rowsmith: a tour on real data'));
  print.text(
    '\nA Bigtable table is a list of rows sorted by key. Rows are found by their key, and a query is a range of keys. ' +
      'The order of the key segments decides which queries are possible: leading segments choose a range, the next one narrows it.',
  );
  print.table([
    {
      'row key': key(departures, flight),
      'what it is': 'Departure: origin, time (newest first), destination, nth',
    },
    { 'row key': key(routes, flight), 'what it is': 'RouteFlight: the same flight by its route' },
    { 'row key': key(airports, { iata: 'SEA' }), 'what it is': 'Airport' },
    {
      'row key': key(weather, { station: 'SEA', at: new Date('2010-04-01T06:00Z') }),
      'what it is': 'WeatherHour',
    },
  ]);
  print.text(
    '\nAll four entities share one table; demo/entities.ts declares them. Flight times are local times without a time zone in the source, and are read as UTC.',
  );
}

async function runTour(repositories: Repositories): Promise<void> {
  const source = readFileSync(new URL('./tour.ts', import.meta.url), 'utf8');
  for (const [i, step] of tour.entries()) {
    const start = performance.now();
    const findings = await step.run(repositories);
    print.step(i + 1, step, source, findings, performance.now() - start);
  }
}

/** What is compared after the database was closed and reopened. */
interface Snapshot {
  readonly counts: Counts;
  readonly flight: Departure | undefined;
  readonly airport: Airport | undefined;
}

/** Two rows: one with a history, one with a message, a map and counters. */
async function samples(db: Database): Promise<Omit<Snapshot, 'counts'>> {
  return {
    flight: await db.repository(Departure).prefix({ origin: 'MEM' }).first(),
    airport: await db.repository(Airport).get({ iata: 'SEA' }),
  };
}

/** Compares the reopened database with the snapshot. */
async function reopen(before: Snapshot): Promise<boolean> {
  print.chapter('Closed and reopened');
  const start = performance.now();
  await using db = await open(url, { entities });
  print.line(`Opened in ${(performance.now() - start).toFixed(1)} ms.`);
  const rows: Comparison[] = [];
  for (const entity of entities) {
    const loaded = before.counts[entity.name as keyof Counts];
    const found = await db.repository(entity).scanAll().count();
    rows.push(comparison(entity.name, loaded, found));
  }
  rows.push(comparison('sum of counters', before.counts.Departure, await sumOfCounters(db)));
  print.table(rows);
  const { flight, airport } = await samples(db);
  const equal = isDeepStrictEqual(
    { flight, airport },
    { flight: before.flight, airport: before.airport },
  );
  const complete = rows.every(({ found, loaded }) => found === loaded);
  const intact = complete && equal && flight !== undefined && airport !== undefined;
  if (intact)
    print.line(`\n${style.good('All data is intact')}: counts and two whole rows are equal.`);
  else if (equal)
    print.line(`\n${style.bad('Data is missing')}, although two whole rows are equal.`);
  else print.line(`\n${style.bad('Data has changed')}: two whole rows are not equal.`);
  return intact;
}

interface Comparison {
  readonly entity: string;
  readonly loaded: number;
  readonly found: number;
  readonly '': 'ok' | 'DIFFERENT';
}

function comparison(entity: string, loaded: number, found: number): Comparison {
  return { entity, loaded, found, '': loaded === found ? 'ok' : 'DIFFERENT' };
}

async function sumOfCounters(db: Database): Promise<number> {
  let sum = 0n;
  for await (const { departures } of db.repository(Airport).scanAll().select('departures'))
    sum += departures ?? 0n;
  return Number(sum);
}

function printSummary(): void {
  const readNext = [
    ['demo/entities.ts', 'the four entities of this demo'],
    ['demo/tour.ts', 'the queries above'],
    ['examples/', 'small programs; npm run examples runs them'],
    ['README.md', 'your first entity, and the guides'],
  ] as const;
  print.chapter('What to read next');
  const rows = Object.values(expected.counts).reduce((sum, count) => sum + count, 0);
  const megabytes = (bytesIn(directory) / 1e6).toFixed(1);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print.line(
    `${grouped(rows)} rows, ${megabytes} MB in ${relative('.', directory)}/, ${seconds} s in total.\n`,
  );
  for (const [path, about] of readNext) print.line(`    ${style.code(path.padEnd(18))}${about}`);
  print.line();
}
