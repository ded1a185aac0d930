/** Converts source records to entities. No I/O, so that the counts can be tested. */
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

/** A flight with a unique key. */
export interface Flight extends SourceFlight {
  readonly at: Date;
  /** 0 for the first flight with this origin, time and destination, 1 for the second. */
  readonly nth: number;
}

/**
 * Parses flights. The data names no time zone: local times are read as UTC. Flights that would have
 * the same key are numbered.
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
 * Late is 15 minutes or more, as the US Department of Transportation defines it. Very late, an hour
 * or more, is our own class.
 */
function punctualityOf(delay: number): Punctuality {
  if (delay < 0) return Punctuality.Early;
  if (delay < 15) return Punctuality.OnTime;
  if (delay < 60) return Punctuality.Late;
  return Punctuality.VeryLate;
}

/** Airports of airports.csv. Those with departures have `flightsTo`. */
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

/** Number of flights by origin, which is the expected counter of each airport. */
export function departuresByOrigin(flights: readonly Flight[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { origin } of flights) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return counts;
}

/**
 * The hours of seattle-weather-hourly-normals.csv: averages over many years, dated 2010. Local times
 * are read as UTC.
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
