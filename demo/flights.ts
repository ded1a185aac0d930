/** Source records -> what the entities take. Pure, so that its counts can be tested. */
import { parseCsv } from './csv.js';
import {
  type Airport,
  type Departure,
  Punctuality,
  type RouteFlight,
  type WeatherHour,
} from './entities.js';

/** One record of flights-20k.json. */
export interface SourceFlight {
  /** `2001/01/01 00:47`, local time at the origin, without a zone. */
  readonly date: string;
  /** Minutes; negative is early. */
  readonly delay: number;
  /** Miles. */
  readonly distance: number;
  readonly origin: string;
  readonly destination: string;
}

/** A flight with a key of its own. */
export interface Flight extends SourceFlight {
  readonly at: Date;
  /** 0 for the first flight with this origin, time and destination, 1 for the second. */
  readonly nth: number;
}

/**
 * Reads local times as if they were UTC, since the data names no zone, and numbers flights that
 * would share a key.
 */
export function parseFlights(json: string): Flight[] {
  const seen = new Map<string, number>();
  return (JSON.parse(json) as SourceFlight[]).map((flight) => {
    const key = `${flight.origin} ${flight.date} ${flight.destination}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return {
      ...flight,
      nth,
      at: new Date(`${flight.date.replaceAll('/', '-').replace(' ', 'T')}Z`),
    };
  });
}

export function departureOf({ origin, destination, at, nth, delay, distance }: Flight): Departure {
  return {
    origin,
    at,
    destination,
    nth,
    delay,
    leg: { miles: distance, delayMinutes: delay, punctuality: punctualityOf(delay) },
  };
}

export function routeFlightOf({ origin, destination, at, nth, delay }: Flight): RouteFlight {
  return { origin, destination, at, nth, delay };
}

/**
 * The line of the US Department of Transportation: late is 15 minutes or more. Very late, from an
 * hour on, is ours.
 */
function punctualityOf(delay: number): Punctuality {
  if (delay < 0) return Punctuality.Early;
  if (delay < 15) return Punctuality.OnTime;
  return delay < 60 ? Punctuality.Late : Punctuality.VeryLate;
}

/** Airports of airports.csv; `flightsTo` for those that flights leave. */
export function parseAirports(csv: string, flights: readonly Flight[]): Airport[] {
  const flightsFrom = new Map<string, Map<string, number>>();
  for (const { origin, destination } of flights) {
    const to = flightsFrom.get(origin) ?? new Map<string, number>();
    flightsFrom.set(origin, to.set(destination, (to.get(destination) ?? 0) + 1));
  }
  return parseCsv(csv).map(({ iata, name, city, state, latitude, longitude }) => ({
    iata,
    name,
    place: { city, state, position: { latitude: Number(latitude), longitude: Number(longitude) } },
    flightsTo: flightsFrom.get(iata),
  }));
}

/** Flights by origin: what the counter of each airport must come to. */
export function departuresByOrigin(flights: readonly Flight[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { origin } of flights) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return counts;
}

/**
 * seattle-weather-hourly-normals.csv: averages of each hour over many years, dated 2010, in local
 * time read as UTC.
 */
export function parseWeather(csv: string): WeatherHour[] {
  return parseCsv(csv).map(({ date, temperature, wind, pressure }) => ({
    station: 'SEA',
    at: new Date(`${date}Z`),
    temperature: Number(temperature),
    wind: Number(wind),
    pressure: Number(pressure),
  }));
}
