/**
 * The tour: queries as a person writes them. `codeOf` prints the text of each `run` up to its
 * `return`, so the text is the program.
 */
import { RowsmithError } from 'rowsmith';
import { type Airport, type Departure, Punctuality } from './entities.js';
import type { Step } from './step.js';

export const tour: readonly Step[] = [
  {
    headline: 'The newest flights out of Seattle',
    about:
      'The key is origin, then time descending: newest first is simply the order of the rows, and reading ends after five.',
    run: async ({ departures }) => {
      const newest = departures.prefix({ origin: 'SEA' }).limit(5);
      const rows = await newest.all();
      return { plan: newest.explain(), rows: rows.map(flightRow) };
    },
  },
  {
    headline: 'One route in one week',
    about:
      'The key of RouteFlight has the destination before the time, so a route and a span of time are one range. The end is exclusive.',
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
    about:
      'The same range read from its other end: nothing is sorted, and the limit still ends the read early.',
    run: async ({ departures }) => {
      const oldest = departures.prefix({ origin: 'SEA' }).reverse().limit(3);
      const rows = await oldest.all();
      return { plan: oldest.explain(), rows: rows.map(flightRow) };
    },
  },
  {
    headline: 'The weather on the morning after a flight to Seattle',
    about:
      'Two entities, two ranges of the same table. The weather is an average year, which its source dates 2010.',
    run: async ({ routes, weather }) => {
      const flight = await routes.prefix({ origin: 'MEM', destination: 'SEA' }).reverse().first();
      const [six, ten] = morningAfter(flight!.at);
      const morning = weather.prefix({ station: 'SEA' }).between('at', six, ten);
      const rows = await morning.all();
      return { plan: morning.explain(), rows };
    },
  },
  {
    headline: 'Flights of four airports: counted, and looked up',
    about:
      'count() reads keys and no values, but reads them all. The counter was added up by storage while loading, and costs one row.',
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
    headline: 'Airports whose code starts with SE, and only two of their properties',
    about:
      'startsWith() is a range too. select() narrows the type of the result as well as the read: the other properties are not there to be misused.',
    run: async ({ airports }) => {
      const named = airports.startsWith('iata', 'SE').select('name', 'departures');
      const rows = await named.all();
      return { plan: named.explain(), rows };
    },
  },
  {
    headline: 'A page, and the next one',
    about:
      'A cursor is text that can travel to a browser and back. It belongs to its query; another query refuses it.',
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
      'Answers come in the order of the keys, with undefined where there is no row. City, state and position are one protobuf message in one cell, destinations a Map with a column for each.',
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
    headline: 'Reading until something is found',
    about:
      'Rows arrive while they are read. Leaving the loop ends the scan, and nothing beyond that page was touched.',
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
    about: 'One atomic step in storage: two programs that increment at once both count.',
    run: async ({ airports }) => {
      const first = await airports.increment({ iata: 'SEA' }, 'lookups');
      const then = await airports.increment({ iata: 'SEA' }, 'lookups', 10n);
      return { rows: [{ first, then }] };
    },
  },
  {
    headline: 'What was posted, and when',
    about:
      'A cell is a small history. This family keeps ten versions; the board of this flight is made up, its delay of 215 minutes is not.',
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
    headline: 'The same flight as of half past one',
    about:
      'Cells written after that moment are left out. The cells of a Departure carry its own time, so the whole row can be asked.',
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
    headline: 'A write that must not happen',
    about:
      'The condition and the write are one atomic step. It does not hold, so nothing is written and the error says which row.',
    run: async ({ airports }) => {
      const seattle = await airports.get({ iata: 'SEA' });
      seattle!.name = 'Sea-Tac';
      const saved = airports.save(seattle!, { if: { equals: { name: 'Boeing Field' } } });
      return { error: await rejection(saved) };
    },
  },
  {
    headline: 'Everything, asked for by name',
    about: 'No query becomes a full scan by accident. This one is one, and its plan says so.',
    run: async ({ airports }) => {
      const all = airports.scanAll().keysOnly();
      const count = await all.count();
      return { plan: all.explain(), rows: [{ airports: count }] };
    },
  },
  {
    headline: 'A query that the key cannot serve',
    about:
      'A destination alone is no range of Departure. The compiler refuses the line with the same words that are thrown here.',
    run: async ({ departures }) => {
      const error = thrown(() =>
        // @ts-expect-error prefix() takes leading segments without gaps
        departures.prefix({ destination: 'SEA' }),
      );
      return { error };
    },
  },
];

/** A flight in one line. */
function flightRow({ at, origin, destination, delay, leg }: Departure): object {
  return {
    at,
    origin,
    destination,
    delay,
    miles: leg?.miles,
    punctuality: leg?.punctuality === undefined ? undefined : Punctuality[leg.punctuality],
  };
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

/** Six to ten o'clock of the day after, in the year of the weather. */
function morningAfter(moment: Date): [Date, Date] {
  const hour = (hours: number) =>
    new Date(Date.UTC(2010, moment.getUTCMonth(), moment.getUTCDate() + 1, hours));
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
  throw new Error('This should have been refused');
}

function thrown(call: () => unknown): RowsmithError {
  try {
    call();
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
  throw new Error('This should have been refused');
}
