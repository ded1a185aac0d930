/** The tour: typical queries. `codeOf` prints the source of each `run` up to its `return`. */
import { RowsmithError } from 'rowsmith';
import { type Airport, type Departure, Punctuality } from './entities.js';
import type { Step } from './step.js';

export const tour: readonly Step[] = [
  {
    headline: 'The newest flights out of Seattle',
    about:
      'The key is origin, then time descending, so the rows are stored newest first. The read ends after five rows.',
    run: async ({ departures }) => {
      const newest = departures.prefix({ origin: 'SEA' }).limit(5);
      const rows = await newest.all();
      return { plan: newest.explain(), rows: rows.map(flightRow) };
    },
  },
  {
    headline: 'One route in one week',
    about:
      'The key of RouteFlight has the destination before the time, so one route in one period is one range. The end is exclusive.',
    run: async ({ routes }) => {
      const week = routes
        .prefix({ origin: 'LAX', destination: 'PHX' })
        .between('at', new Date('2001-02-05'), new Date('2001-02-12'));
      const rows = await week.all();
      return { plan: week.explain(), rows };
    },
  },
  {
    headline: 'The oldest flights out of Seattle',
    about: 'The same range in reverse: nothing is sorted, and the limit still ends the read early.',
    run: async ({ departures }) => {
      const oldest = departures.prefix({ origin: 'SEA' }).reverse().limit(3);
      const rows = await oldest.all();
      return { plan: oldest.explain(), rows: rows.map(flightRow) };
    },
  },
  {
    headline: 'The weather on the morning after a flight to Seattle',
    about:
      'Two entities, two ranges of the same table. The weather is of an average year, dated 2010 in the source.',
    run: async ({ routes, weather }) => {
      const flight = await routes.prefix({ origin: 'MEM', destination: 'SEA' }).reverse().first();
      const [six, ten] = morningAfter(flight!.at);
      const morning = weather.prefix({ station: 'SEA' }).between('at', six, ten);
      const rows = await morning.all();
      return { plan: morning.explain(), rows };
    },
  },
  {
    headline: 'Flights of four airports: count() and a counter',
    about:
      'count() reads all keys, but no values. Storage added up the counter while loading; reading it costs one row.',
    run: async ({ departures, airports }) => {
      const rows: object[] = [];
      for (const iata of ['ATL', 'DFW', 'ORD', 'SEA']) {
        const counted = await departures.prefix({ origin: iata }).count();
        const airport = await airports.get({ iata });
        rows.push({ iata, name: airport?.name, counted, counter: airport?.departures });
      }
      return { plan: departures.prefix({ origin: 'ORD' }).keysOnly().explain(), rows };
    },
  },
  {
    headline: 'Airports with codes that start with SE, with only two properties',
    about:
      'startsWith() is a range too. select() narrows the read and also the type of the result: the other properties do not exist in it.',
    run: async ({ airports }) => {
      const named = airports.startsWith('iata', 'SE').select('name', 'departures');
      const rows = await named.all();
      return { plan: named.explain(), rows };
    },
  },
  {
    headline: 'Two pages',
    about:
      'A cursor is text that can be sent to a browser and back. It belongs to its query; other queries reject it.',
    run: async ({ departures }) => {
      const query = departures.prefix({ origin: 'ORD' });
      const one = await query.page({ size: 3 });
      const two = await query.page({ size: 3, after: one.next });
      return {
        plan: query.explain(),
        rows: [
          ...one.rows.map((row) => ({ page: 1, ...flightRow(row) })),
          ...two.rows.map((row) => ({ page: 2, ...flightRow(row) })),
        ],
        note: `cursor of page 3: ${two.next}`,
      };
    },
  },
  {
    headline: 'Many rows by key',
    about:
      'The results are in the order of the keys, with undefined for a missing row. City, state and position are one protobuf message in one cell; the destinations are a Map with one column for each.',
    run: async ({ airports }) => {
      const found = await airports.getMany([{ iata: 'SEA' }, { iata: 'QQQ' }, { iata: 'HNL' }]);
      return {
        rows: found.map((airport) =>
          airport === undefined ? { iata: '(undefined)' } : airportRow(airport),
        ),
      };
    },
  },
  {
    headline: 'Reading until a row matches',
    about: 'Rows are streamed. Leaving the loop ends the scan; later pages are not read.',
    run: async ({ departures }) => {
      let read = 0;
      let found: Departure | undefined;
      for await (const flight of departures.prefix({ origin: 'ORD' })) {
        read++;
        found = flight;
        if (flight.leg?.punctuality === Punctuality.VeryLate) break;
      }
      return { rows: [{ read, ...flightRow(found!) }] };
    },
  },
  {
    headline: 'A counter',
    about: 'An increment is atomic in storage: concurrent increments are never lost.',
    run: async ({ airports }) => {
      const first = await airports.increment({ iata: 'SEA' }, 'lookups');
      const then = await airports.increment({ iata: 'SEA' }, 'lookups', 10n);
      return { rows: [{ first, then }] };
    },
  },
  {
    headline: 'The history of a column',
    about:
      'A column keeps several versions of its value, in this family ten. These posted delays are invented; the final delay of 215 minutes is real.',
    run: async ({ departures }) => {
      const key = { origin: 'MEM', at: utc('2001-03-31 12:32'), destination: 'SEA', nth: 0 };
      await departures.patch(key, {
        postedDelay: [
          { at: utc('2001-03-31 12:40'), value: 45 },
          { at: utc('2001-03-31 13:15'), value: 120 },
          { at: utc('2001-03-31 14:30'), value: 215 },
        ],
      });
      const history = await departures.history(key, 'postedDelay');
      return { rows: history.map(({ at, value }) => ({ at, 'minutes late': value })) };
    },
  },
  {
    headline: 'The same flight as of 13:30',
    about:
      'Cells with a later timestamp are left out. The cells of a Departure have the time of the flight as their timestamp, so this applies to the whole row.',
    run: async ({ departures }) => {
      const then = departures
        .prefix({ origin: 'MEM', at: utc('2001-03-31 12:32'), destination: 'SEA' })
        .asOf(utc('2001-03-31 13:30'))
        .versions(1);
      const flight = await then.first();
      return {
        plan: then.explain(),
        rows:
          flight === undefined
            ? []
            : [{ ...flightRow(flight), posted: flight.postedDelay?.[0].value }],
      };
    },
  },
  {
    headline: 'A write with a condition that does not hold',
    about:
      'The condition and the write are one atomic step. The condition does not hold, so nothing is written and the error names the row.',
    run: async ({ airports }) => {
      const seattle = await airports.get({ iata: 'SEA' });
      seattle!.name = 'Sea-Tac';
      const saved = airports.save(seattle!, { if: { equals: { name: 'Boeing Field' } } });
      return { error: await rejection(saved) };
    },
  },
  {
    headline: 'A full scan',
    about:
      'A query never becomes a full scan by accident: only scanAll() is one, and its plan shows it.',
    run: async ({ airports }) => {
      const all = airports.scanAll().keysOnly();
      const count = await all.count();
      return { plan: all.explain(), rows: [{ airports: count }] };
    },
  },
  {
    headline: 'A query that the key does not support',
    about:
      'The destination alone is not a range of Departure keys. The compiler rejects the line with the same message that is thrown here.',
    run: async ({ departures }) => {
      const error = thrown(() =>
        // @ts-expect-error prefix() takes leading segments without gaps
        departures.prefix({ destination: 'SEA' }),
      );
      return { error };
    },
  },
];

/** A flight as a row of the printed table. */
function flightRow({ at, origin, destination, delay, leg }: Departure): object {
  return {
    at,
    origin,
    destination,
    delay,
    miles: leg?.miles,
    punctuality: punctualityText(leg?.punctuality),
  };
}

function punctualityText(punctuality: Punctuality | undefined): string | undefined {
  if (punctuality === undefined) return undefined;
  return Punctuality[punctuality];
}

function airportRow({ iata, place, flightsTo }: Airport): object {
  const { city, state, position } = place ?? {};
  return {
    iata,
    city,
    state,
    latitude: position?.latitude,
    longitude: position?.longitude,
    destinations: flightsTo?.size,
  };
}

/** 6:00 to 10:00 of the next day, in the year of the weather data. */
function morningAfter(time: Date): [Date, Date] {
  const hour = (hours: number) =>
    new Date(Date.UTC(2010, time.getUTCMonth(), time.getUTCDate() + 1, hours));
  return [hour(6), hour(10)];
}

function utc(minute: string): Date {
  return new Date(`${minute.replace(' ', 'T')}Z`);
}

async function rejection(promise: Promise<unknown>): Promise<RowsmithError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
  throw new Error('Expected an error');
}

function thrown(call: () => unknown): RowsmithError {
  try {
    call();
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
  throw new Error('Expected an error');
}
