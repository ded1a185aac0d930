/** Loads the source files into the database and shows the speed. */
import type { Database, Init, KeyParts } from 'rowsmith';
import type { KeyedRepository } from 'rowsmith/types';
import { Airport, Departure, RouteFlight, WeatherHour } from './entities.js';
import {
  departureOf,
  departuresByOrigin,
  type Flight,
  parseAirports,
  parseFlights,
  parseWeather,
  routeFlightOf,
} from './flights.js';
import { Progress } from '../src/cli/terminal/progress.js';
import { sourceText } from './source-files.js';
import type { Style } from '../src/cli/terminal/style.js';

/** Expected number of rows by entity. */
export type Counts = Readonly<
  Record<'Departure' | 'RouteFlight' | 'Airport' | 'WeatherHour', number>
>;

/** Small enough for a smooth progress bar; larger batches load slightly faster. */
const batchRows = 1024;

/** Loads everything. Throws if a row cannot be written. */
export async function loadAll(db: Database, style: Style): Promise<Counts> {
  const flights = parseFlights(sourceText('flights-20k.json'));
  const airports = parseAirports(sourceText('airports.csv'), flights);
  const weather = parseWeather(sourceText('seattle-weather-hourly-normals.csv'));
  await load(db.repository(Departure), flights, departureOf, style);
  await load(db.repository(RouteFlight), flights, routeFlightOf, style);
  await load(db.repository(Airport), airports, (airport) => airport, style);
  await load(db.repository(WeatherHour), weather, (hour) => hour, style);
  await addTotals(db, flights, style);
  return {
    Departure: flights.length,
    RouteFlight: flights.length,
    Airport: airports.length,
    WeatherHour: weather.length,
  };
}

async function load<T, E extends object, K extends KeyParts>(
  repository: KeyedRepository<E, K>,
  source: readonly T[],
  valuesOf: (item: T) => Init<E>,
  style: Style,
): Promise<void> {
  const progress = new Progress(repository.model.name, source.length, process.stdout, style);
  const entities = function* (): Generator<E> {
    for (const item of source) yield repository.create(valuesOf(item));
  };
  const { written, failures } = await repository.saveMany(entities(), {
    batchRows,
    onProgress: ({ written: count }) => progress.update(count),
  });
  if (failures.length > 0) throw failures[0].error;
  progress.done(written);
}

/**
 * Adds the number of flights to the counter of each airport. Storage adds in this family, so no read
 * and no lock is needed.
 */
async function addTotals(db: Database, flights: readonly Flight[], style: Style): Promise<void> {
  const totals = departuresByOrigin(flights);
  const progress = new Progress('counters', totals.size, process.stdout, style);
  const airports = db.repository(Airport);
  await Promise.all(
    [...totals].map(([iata, count]) => airports.increment({ iata }, 'departures', BigInt(count))),
  );
  progress.done(totals.size);
}
