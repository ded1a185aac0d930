/** Time series in wide rows: a row for each hour, a column for each reading. */
import { RowsmithError, type Repository } from '../../../../src/index.js';
import type { SeriesOptions } from '../../../../src/entities/repository/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds, type OpenedBackEnd } from '../support/back-ends.js';
import { Hour, NewestHour, Sheet } from '../support/map-entities.js';
import { openWatched } from '../support/watched.js';

const day = Date.UTC(2026, 10, 20);
const minute = (n: number): Date => new Date(day + n * 60_000);
const minutes = (found: readonly { readonly at: Date; readonly value: unknown }[]): number[] =>
  found.map(({ at }) => (at.getTime() - day) / 60_000);

type Hours = Repository<typeof Hour>;

function rangeOf(range: {
  from: number | undefined;
  to: number | undefined;
  limit: number | null;
  newestFirst: boolean;
}): SeriesOptions {
  const options: { -readonly [P in keyof SeriesOptions]: SeriesOptions[P] } = {};
  const { from, to, limit, newestFirst } = range;
  if (from !== undefined) options.from = minute(from);
  if (to !== undefined) options.to = minute(to);
  if (limit !== null) options.limit = limit;
  options.newestFirst = newestFirst;
  return options;
}

async function fill(repository: Hours, device: string, values: readonly number[]): Promise<void> {
  for (const n of values)
    await repository.patch(
      { device, hour: minute(n) },
      { readings: new Map([[minute(n), n]]), notes: new Map([[minute(n), `${n}`]]) },
    );
}

describe.each(backEnds)('on $name', ({ name, open }) => {
  let opened: OpenedBackEnd;
  let all: [string, Hours][];
  beforeAll(async () => {
    opened = await open([Hour, NewestHour]);
    all = [
      ['oldest row first', opened.db.repository(Hour)],
      ['newest row first', opened.db.repository(NewestHour)],
    ];
    for (const [, hours] of all) {
      await fill(hours, 'd', [600, 640, 659, 660, 719, 720, 780, 789, 790, 900]);
      await fill(hours, 'other', [650, 700]);
    }
  });
  afterAll(() => opened.close());

  test('crosses rows and columns, in both directions', async () => {
    for (const [, hours] of all) {
      const from = minute(640);
      const to = minute(790);
      const between = [640, 659, 660, 719, 720, 780, 789];
      const device = hours.prefix({ device: 'd' });
      for (const map of ['readings', 'notes'] as const) {
        expect(minutes(await device.series(map, { from, to }).all())).toEqual(between);
        expect(minutes(await device.series(map, { from, to, newestFirst: true }).all())).toEqual(
          [...between].reverse(),
        );
        for (const limit of [1, 2, 3, 5, 7, 9]) {
          expect(minutes(await device.series(map, { from, to, limit }).all())).toEqual(
            between.slice(0, limit),
          );
          expect(
            minutes(await device.series(map, { from, to, limit, newestFirst: true }).all()),
          ).toEqual([...between].reverse().slice(0, limit));
        }
        expect(minutes(await device.series(map, { from: minute(780) }).all())).toEqual([
          780, 789, 790, 900,
        ]);
        expect(minutes(await device.series(map, { to: minute(660) }).all())).toEqual([
          600, 640, 659,
        ]);
        expect(await device.series(map).all()).toHaveLength(10);
        expect(await device.series(map, { from: minute(1000) }).first()).toBeUndefined();
        expect(await device.series(map, { from: to, to: from }).all()).toEqual([]);
      }
      const newest = await device.series('readings', { newestFirst: true }).first();
      expect(newest).toEqual({ at: minute(900), value: 900 });
      const text: string | undefined = (await device.series('notes').first())?.value;
      expect(text).toBe('600');
    }
  });

  test('is what filtering all readings gives', async () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 12 });
    const bound = fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        times,
        fc.array(fc.tuple(bound, bound, fc.option(fc.integer({ min: 1, max: 6 })), fc.boolean()), {
          minLength: 4,
          maxLength: 4,
        }),
        async (values, ranges) => {
          for (const [, hours] of all) {
            await hours.prefix({ device: 'random' }).delete();
            await fill(hours, 'random', values);
            for (const [from, to, limit, newestFirst] of ranges) {
              const options = rangeOf({ from, to, limit, newestFirst });
              const expected = values
                .filter((n) => n >= (from ?? 0) && n < (to ?? Infinity))
                .sort((a, b) => (newestFirst ? b - a : a - b))
                .slice(0, limit ?? undefined);
              for (const map of ['readings', 'notes'] as const) {
                const found = await hours.prefix({ device: 'random' }).series(map, options).all();
                expect(minutes(found)).toEqual(expected);
              }
            }
          }
        },
      ),
      { numRuns: name === 'memory' ? 40 : 6 },
    );
  });
});

test('one request reads the rows of the range, and of their columns those in it', async () => {
  const { db, seen } = await openWatched([Hour]);
  const hours = db.repository(Hour);
  await fill(
    hours,
    'd',
    Array.from({ length: 100 }, (_, i) => i * 10),
  );
  seen.plans.length = 0;
  const options = { from: minute(100), to: minute(500) };
  const series = hours.prefix({ device: 'd' }).series('readings', options);
  expect(await series.all()).toHaveLength(40);
  expect(seen.plans).toHaveLength(1);
  expect(seen.plans[0].ranges).toHaveLength(1);
  expect(series.explain().toString().split('\n')).toEqual([
    'scan      Hour in table wide',
    "where     device = 'd' and hour >= 2026-11-20T01:40:00.000Z and hour < 2026-11-20T08:20:00.000Z",
    'range     [d#2026112001 .. d#2026112008\\x00)',
    'order     device ascending, hour ascending',
    'reads     device, hour, readings  (families r)',
    'entries   readings from 2026-11-20T01:40:00.000Z to 2026-11-20T08:20:00.000Z',
    'filter    columns r:[1795138800000 .. 1795162800000), then newest cell of each column',
    'limit     none',
  ]);
  await db.close();
});

test('a loop that is left reads no further', async () => {
  const { db, seen } = await openWatched([Hour]);
  const hours = db.repository(Hour);
  await fill(
    hours,
    'd',
    Array.from({ length: 60 }, (_, i) => i * 60),
  );
  seen.pages = 0;
  for await (const { at } of hours.prefix({ device: 'd' }).series('readings'))
    if (+at >= +minute(120)) break;
  expect(seen.openStreams).toBe(0);
  expect(seen.pages).toBe(1);
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  const aborted = hours.prefix({ device: 'd' }).series('readings', { signal: controller.signal });
  await expect(aborted.all()).rejects.toThrow('enough');
  await db.close();
});

describe('wrong arguments', () => {
  interface Untyped {
    series(map: unknown, options?: unknown): unknown;
    prefix(segments: object): Untyped;
    prefixes(list: object): Untyped;
    scanAll(): Untyped;
    reverse(): Untyped;
    limit(rows: number): Untyped;
    since(segment: string, from: Date): Untyped;
  }
  const device = (root: Untyped): Untyped => root.prefix({ device: 'd' });
  const faults: [string, string, (root: Untyped) => unknown][] = [
    ['no map', 'site', (root) => device(root).series('site')],
    ['nothing', 'nothing', (root) => device(root).series('nothing')],
    ['no prefix', 'hour', (root) => root.series('readings')],
    ['a scan', 'hour', (root) => root.scanAll().series('readings')],
    [
      'two prefixes',
      'hour',
      (root) => root.prefixes([{ device: 'a' }, { device: 'b' }]).series('readings'),
    ],
    ['a bound before', 'hour', (root) => device(root).since('hour', minute(0)).series('readings')],
    ['a reversed query', 'hour', (root) => device(root).reverse().series('readings')],
    ['a limited query', 'hour', (root) => device(root).limit(3).series('readings')],
    ['a number', 'from', (root) => device(root).series('readings', { from: 5 })],
    ['undefined', 'to', (root) => device(root).series('readings', { to: undefined })],
    ['an invalid Date', 'from', (root) => device(root).series('readings', { from: new Date(NaN) })],
    ['limit 0', 'limit', (root) => device(root).series('readings', { limit: 0 })],
    ['no boolean', 'newestFirst', (root) => device(root).series('readings', { newestFirst: 1 })],
    ['an unknown option', 'since', (root) => device(root).series('readings', { since: minute(0) })],
  ];
  test.each(faults)('%s', async (_name, property, run) => {
    const { db } = await openWatched([Hour]);
    let error: unknown;
    try {
      run(db.repository(Hour) as unknown as Untyped);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(RowsmithError);
    expect((error as RowsmithError).details).toMatchObject({ entity: 'Hour', property });
    expect((error as RowsmithError).details.fix).toBeTruthy();
    await db.close();
  });

  test('an entity without a floored time at the end of its key', async () => {
    const { db } = await openWatched([Sheet]);
    const root = db.repository(Sheet) as unknown as Untyped;
    expect(() => root.series('prices')).toThrow(expect.objectContaining({ code: 'INVALID_QUERY' }));
    await db.close();
  });
});
