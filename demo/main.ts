/**
 * `npm run demo`: real data into a database on disk, a tour of queries, and the proof that it is
 * all still there after a restart.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
const directory = prepareDirectory(process.argv[2]);
const url = `file:${directory}`;

const expected = await loadAndTour();
const intact = await reopen(expected);
farewell();
process.exitCode = intact ? 0 : 1;

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
    `\nNow ${tour.length} stops. Each shows the code that ran, the plan of its query (what explain() says), what it found, and how long it took this first time.`,
  );
  await walk(repositories);
  return { counts, ...(await samples(db)) };
}

/** What a reader needs to know, with keys that are in the database a moment later. */
function introduce({ departures, routes, airports, weather }: Repositories): void {
  const flight = { origin: 'SEA', at: new Date('2001-03-31T07:56Z'), destination: 'JFK', nth: 0 };
  const key = (
    repository: Repositories[keyof Repositories],
    values: Readonly<Record<string, unknown>>,
  ): string => Buffer.from(repository.model.key.encode(values)).toString();
  print.line(style.bold('Rowsmith: a tour on real data'));
  print.text(
    '\nBigtable-style storage is one long list of rows, sorted by key. The key is its only index, and a query is a range of it. ' +
      'So the order of the parts of a key decides what can be asked: the first parts choose a range, the next one narrows it.',
  );
  print.table([
    {
      'row key': key(departures, flight),
      'what it is': 'Departure: origin, time (newest first), destination, nth',
    },
    { 'row key': key(routes, flight), 'what it is': 'RouteFlight: the same flight, by its route' },
    { 'row key': key(airports, { iata: 'SEA' }), 'what it is': 'Airport' },
    {
      'row key': key(weather, { station: 'SEA', at: new Date('2010-04-01T06:00Z') }),
      'what it is': 'WeatherHour',
    },
  ]);
  print.text(
    '\nAll four kinds live in one table; demo/entities.ts declares them. The source gives flight times without a zone (they are local), and they are read as if they were UTC.',
  );
}

async function walk(repositories: Repositories): Promise<void> {
  const source = readFileSync(new URL('./tour.ts', import.meta.url), 'utf8');
  for (const [i, step] of tour.entries()) {
    const start = performance.now();
    const findings = await step.run(repositories);
    print.step(i + 1, step, source, findings, performance.now() - start);
  }
}

/** What must be the same after the database was closed and opened again. */
interface Snapshot {
  readonly counts: Counts;
  readonly flight: Departure | undefined;
  readonly airport: Airport | undefined;
}

/** Two whole rows: one with a history, one with a message, a map and counters. */
async function samples(db: Database): Promise<Omit<Snapshot, 'counts'>> {
  return {
    flight: await db.repository(Departure).prefix({ origin: 'MEM' }).first(),
    airport: await db.repository(Airport).get({ iata: 'SEA' }),
  };
}

async function reopen(before: Snapshot): Promise<boolean> {
  print.chapter('Closed, and opened again');
  const start = performance.now();
  await using db = await open(url, { entities });
  print.line(`Opened in ${(performance.now() - start).toFixed(1)} ms.`);
  const rows = await Promise.all(
    entities.map(async (entity) => {
      const expectedRows = before.counts[entity.name as keyof Counts];
      const found = await db.repository(entity).scanAll().count();
      return {
        entity: entity.name,
        loaded: expectedRows,
        found,
        '': found === expectedRows ? 'ok' : 'DIFFERENT',
      };
    }),
  );
  const { flight, airport } = await samples(db);
  const whole = isDeepStrictEqual(
    { flight, airport },
    { flight: before.flight, airport: before.airport },
  );
  const counted = await sumOfCounters(db);
  print.table([
    ...rows,
    {
      entity: 'sum of counters',
      loaded: before.counts.Departure,
      found: counted,
      '': counted === before.counts.Departure ? 'ok' : 'DIFFERENT',
    },
  ]);
  const intact =
    whole &&
    flight !== undefined &&
    airport !== undefined &&
    [...rows.map((row) => row.found === row.loaded), counted === before.counts.Departure].every(
      Boolean,
    );
  print.line(
    `\n${intact ? style.good('Everything is still there') : style.bad('Something is not as it was')}, and two rows compared value by value are ${whole ? 'the same' : 'not the same'}.`,
  );
  return intact;
}

async function sumOfCounters(db: Database): Promise<number> {
  let sum = 0n;
  for await (const { departures } of db.repository(Airport).scanAll().select('departures'))
    sum += departures ?? 0n;
  return Number(sum);
}

function farewell(): void {
  const readNext = [
    ['demo/entities.ts', 'the four entities of this tour'],
    ['demo/tour.ts', 'the queries above, each printed from the lines that ran'],
    ['examples/', 'small programs to start from; npm run examples runs them'],
    ['README.md', 'a first entity of your own, and the guides'],
  ] as const;
  print.chapter('Where to go from here');
  const rows = Object.values(expected.counts).reduce((sum, count) => sum + count, 0);
  print.line(
    `${grouped(rows)} rows, ${(bytesIn(directory) / 1e6).toFixed(1)} MB in ${relative('.', directory)}/, ${((performance.now() - started) / 1000).toFixed(1)} s in all. To read next:\n`,
  );
  for (const [path, about] of readNext) print.line(`    ${style.code(path.padEnd(18))}${about}`);
  print.line();
}
