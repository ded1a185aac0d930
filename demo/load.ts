/** Fills the database from the source files and says how fast. */
import type { Database } from 'rowsmith';
import { Airport, Departure, RouteFlight, WeatherHour } from './entities.js';
import { departureOf, departuresByOrigin, type Flight, parseAirports, parseFlights, parseWeather, routeFlightOf } from './flights.js';
import { Progress } from './progress.js';
import { sourceText } from './source-files.js';
import type { Style } from './style.js';

/** Rows that must be in the database, by entity. */
export type Counts = Readonly<Record<'Departure' | 'RouteFlight' | 'Airport' | 'WeatherHour', number>>;

/** Small enough that the bar moves; larger batches load a little faster. */
const batchRows = 1024;

/** Loads everything; throws when a single row fails. */
export async function loadAll(db: Database, style: Style): Promise<Counts> {
  const flights = parseFlights(sourceText('flights-20k.json'));
  const airportRows = parseAirports(sourceText('airports.csv'), flights);
  const weatherRows = parseWeather(sourceText('seattle-weather-hourly-normals.csv'));
  const [departures, routes, airports, weather] = [db.repository(Departure), db.repository(RouteFlight), db.repository(Airport), db.repository(WeatherHour)];

  await load('Departure', flights, (flight) => departures.create(departureOf(flight)), departures, style);
  await load('RouteFlight', flights, (flight) => routes.create(routeFlightOf(flight)), routes, style);
  await load('Airport', airportRows, (row) => airports.create(row), airports, style);
  await load('WeatherHour', weatherRows, (row) => weather.create(row), weather, style);
  await addTotals(db, flights, style);
  return { Departure: flights.length, RouteFlight: flights.length, Airport: airportRows.length, WeatherHour: weatherRows.length };
}

/** The part of a repository that loading needs. */
type Saver<E> = { saveMany(entities: Iterable<E>, options: object): Promise<{ readonly written: number; readonly failed: readonly { readonly error: Error }[] }> };

async function load<T, E extends object>(name: string, source: readonly T[], entityOf: (item: T) => E, repository: Saver<E>, style: Style): Promise<void> {
  const progress = new Progress(name, source.length, process.stdout, style);
  const entities = function* (): Generator<E> {
    for (const item of source) yield entityOf(item);
  };
  const onProgress = ({ written }: { readonly written: number }): void => progress.update(written);
  const { written, failed } = await repository.saveMany(entities(), { batchRows, onProgress });
  if (failed.length > 0) throw failed[0].error;
  progress.done(written);
}

/** Adds each airport's flights to its counter. The family is a sum, so adding reads nothing and needs no lock. */
async function addTotals(db: Database, flights: readonly Flight[], style: Style): Promise<void> {
  const totals = departuresByOrigin(flights);
  const progress = new Progress('counters', totals.size, process.stdout, style);
  const airports = db.repository(Airport);
  await Promise.all([...totals].map(([iata, count]) => airports.increment({ iata }, 'departures', BigInt(count))));
  progress.done(totals.size);
}
