/** How the demo converts its source files. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseCsv } from '../../demo/csv.js';
import { Punctuality } from '../../demo/entities.js';
import {
  departureOf,
  departuresByOrigin,
  parseAirports,
  parseFlights,
  parseWeather,
} from '../../demo/flights.js';

const folder = join(dirname(require.resolve('vega-datasets')), '../data');
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const flights = parseFlights(text('flights-20k.json'));

describe('flights', () => {
  test('every flight has a unique key, although two pairs share origin, minute and destination', () => {
    const keys = flights.map(
      ({ origin, at, destination, nth }) => `${origin} ${at.toISOString()} ${destination} ${nth}`,
    );
    expect(new Set(keys).size).toBe(20_000);
    expect(
      flights
        .filter(({ nth }) => nth === 1)
        .map(({ origin, date, destination }) => [origin, date, destination]),
    ).toEqual([
      ['PHX', '2001/02/18 20:40', 'SAN'],
      ['DFW', '2001/03/28 17:26', 'AUS'],
    ]);
    expect(flights.every(({ nth }) => nth <= 1)).toBe(true);
  });

  test('local times are read as UTC', () => {
    expect(flights[0]).toMatchObject({
      date: '2001/01/01 00:47',
      at: new Date('2001-01-01T00:47:00.000Z'),
    });
  });

  test.each([
    [-1, Punctuality.Early],
    [0, Punctuality.OnTime],
    [14, Punctuality.OnTime],
    [15, Punctuality.Late],
    [59, Punctuality.Late],
    [60, Punctuality.VeryLate],
  ])('a delay of %d minutes is %d', (delay, expected) => {
    expect(departureOf({ ...flights[0], delay }).leg?.punctuality).toBe(expected);
  });

  test('totals by origin add up', () => {
    const totals = departuresByOrigin(flights);
    expect(totals.size).toBe(220);
    expect([...totals.values()].reduce((sum, count) => sum + count, 0)).toBe(20_000);
  });
});

test('airports have their position and their destinations', () => {
  const airports = parseAirports(text('airports.csv'), flights);
  expect(airports).toHaveLength(3376);
  const seattle = airports.find(({ iata }) => iata === 'SEA');
  expect(seattle).toMatchObject({
    name: 'Seattle-Tacoma Intl',
    place: {
      city: 'Seattle',
      state: 'WA',
      position: { latitude: 47.44898194, longitude: -122.3093131 },
    },
  });
  expect([...seattle!.flightsTo!.values()].reduce((sum, count) => sum + count, 0)).toBe(
    departuresByOrigin(flights).get('SEA'),
  );
});

test('weather has one row per hour', () => {
  const weather = parseWeather(text('seattle-weather-hourly-normals.csv'));
  expect(new Set(weather.map(({ at }) => at.getTime())).size).toBe(8759);
  expect(weather[0]).toEqual({
    station: 'SEA',
    at: new Date('2010-01-01T01:00:00Z'),
    temperature: 4,
    wind: 3.8,
    pressure: 1016.6,
  });
});

describe('parseCsv', () => {
  test.each([
    [
      'plain',
      'a,b\n1,2\n3,4\n',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['no end of line', 'a,b\n1,2', [{ a: '1', b: '2' }]],
    [
      'empty fields',
      'a,b\n,\n1,',
      [
        { a: '', b: '' },
        { a: '1', b: '' },
      ],
    ],
    ['quotes, commas, line ends', 'a,b\r\n"x, ""y""","1\n2"\r\n', [{ a: 'x, "y"', b: '1\n2' }]],
    ['nothing', '', []],
  ])('%s', (_name, csv, expected) => {
    expect(parseCsv(csv)).toEqual(expected);
  });
});
