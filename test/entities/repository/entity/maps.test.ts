/** Column maps with typed qualifiers: whole, in parts, and entry by entry. */
import { setTimeout } from 'node:timers/promises';
import {
  DateMap,
  entriesOf,
  type Entries,
  entryCountOf,
  entryKeysOf,
  type Repository,
} from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds, type OpenedBackEnd } from '../support/back-ends.js';
import { Sheet } from '../support/map-entities.js';

const at = (ms: number): Date => new Date(1_700_000_000_000 + ms);
const times = (map: Iterable<readonly [Date, unknown]> | undefined): number[] =>
  [...(map ?? [])].map(([time]) => time.getTime() - 1_700_000_000_000);

describe.each(backEnds)('on $name', ({ name, open }) => {
  let opened: OpenedBackEnd;
  let sheets: Repository<typeof Sheet>;
  beforeAll(async () => {
    opened = await open([Sheet]);
    sheets = opened.db.repository(Sheet);
    await sheets.save(full('full'));
  });
  afterAll(() => opened.close());

  function full(id: string): Sheet {
    return sheets.create({
      id,
      name: 'n',
      tags: new Map([
        ['b', '2'],
        ['a', '1'],
        ['ab', '3'],
      ]),
      offsets: new Map([
        [5, 1],
        [-5, 2],
        [-10, 3],
        [0, 4],
      ]),
      seconds: new Map([
        [0, 1],
        [3599, 2],
        [7, 3],
      ]),
      ids: new Map([
        [10n ** 20n, true],
        [-3n, false],
        [9n, true],
      ]),
      prices: new DateMap([1, 2, 3, 4, 5].map((n) => [at(n), n])),
      news: new Map([1, 2, 3, 4, 5].map((n) => [at(n), n])),
      levels: new Map([
        ['HIGH', 3],
        ['LOW', 1],
      ]),
    });
  }

  test('maps are read in the order of their keys, with keys of their type', async () => {
    const found = (await sheets.get({ id: 'full' }))!;
    expect([...found.tags!]).toEqual([
      ['a', '1'],
      ['ab', '3'],
      ['b', '2'],
    ]);
    expect([...found.offsets!.keys()]).toEqual([-10, -5, 0, 5]);
    expect([...found.seconds!.keys()]).toEqual([3599, 7, 0]);
    expect([...found.ids!]).toEqual([
      [-3n, false],
      [9n, true],
      [10n ** 20n, true],
    ]);
    expect(times(found.prices)).toEqual([1, 2, 3, 4, 5]);
    expect(times(found.news)).toEqual([5, 4, 3, 2, 1]);
    expect([...found.levels!.keys()]).toEqual(['LOW', 'HIGH']);
    expect(found.prices!.get(at(3))).toBe(3);
    expect(found.prices).toBeInstanceOf(DateMap);
    await sheets.save(found);
    expect(await sheets.get({ id: 'full' })).toEqual(found);
  });

  test('a range, a limit and an offset of entries', async () => {
    const row = (selected: Entries<any, any>) => sheetPart(sheets, selected);
    const from = at(2);
    const to = at(4);
    expect(times((await row(entriesOf('prices', { from, to })))?.prices)).toEqual([2, 3]);
    expect(times((await row(entriesOf('news', { from, to })))?.news)).toEqual([3, 2]);
    expect(times((await row(entriesOf('prices', { from })))?.prices)).toEqual([2, 3, 4, 5]);
    expect(times((await row(entriesOf('news', { to })))?.news)).toEqual([3, 2, 1]);
    expect(times((await row(entriesOf('news', { limit: 2 })))?.news)).toEqual([5, 4]);
    expect(times((await row(entriesOf('news', { limit: 2, offset: 2 })))?.news)).toEqual([3, 2]);
    expect(times((await row(entriesOf('news', { offset: 1, limit: 1, to })))?.news)).toEqual([2]);
    expect([...(await row(entriesOf('offsets', { from: -5, to: 5 })))!.offsets!.keys()]).toEqual([
      -5, 0,
    ]);
    expect([...(await row(entriesOf('seconds', { from: 1, limit: 1 })))!.seconds!.keys()]).toEqual([
      3599,
    ]);
    expect([...(await row(entriesOf('ids', { from: 9n })))!.ids!.keys()]).toEqual([9n, 10n ** 20n]);
    expect([...(await row(entriesOf('levels', { from: 'MID' })))!.levels!.keys()]).toEqual([
      'HIGH',
    ]);
    expect([...(await row(entriesOf('tags', { startsWith: 'a' })))!.tags!.keys()]).toEqual([
      'a',
      'ab',
    ]);
    expect([...(await row(entriesOf('tags', { startsWith: '' })))!.tags!.keys()]).toHaveLength(3);
    expect(await row(entriesOf('prices', { from: to, to: from }))).toBeUndefined();
    expect(await row(entriesOf('prices', { from: at(9) }))).toBeUndefined();
  });

  test('several parts and columns in one read', async () => {
    const query = sheets
      .scanAll()
      .select(
        'name',
        'levels',
        entriesOf('prices', { limit: 1 }),
        entriesOf('news', { limit: 1 }),
        entryKeysOf('offsets', { to: 0 }),
        entryCountOf('tags'),
        entryCountOf('totals'),
        entriesOf('ids', { from: 5n, to: 5n }),
      );
    const [found] = await query.all();
    expect({ ...found, prices: times(found.prices), news: times(found.news) }).toEqual({
      id: 'full',
      name: 'n',
      levels: new Map([
        ['LOW', 1],
        ['HIGH', 3],
      ]),
      prices: [1],
      news: [5],
      offsets: [-10, -5],
      tags: 3,
      totals: 0,
      ids: undefined,
    });
    expect(await query.count()).toBe(1);
    expect(await query.keysOnly().all()).toEqual([{ id: 'full' }]);
    const page = await query.page({ size: 1 });
    expect(page.rows).toHaveLength(1);
  });

  test('only stored keys and counts are sent', async () => {
    const [found] = await sheets
      .scanAll()
      .select(entryKeysOf('news'), entryCountOf('prices'))
      .all();
    expect(found.news.map((time) => time.getTime())).toEqual([5, 4, 3, 2, 1].map((n) => +at(n)));
    expect(found.prices).toBe(5);
    const { filters } = sheets
      .scanAll()
      .select(entryCountOf('prices', { from: at(2), limit: 9 }))
      .explain();
    expect(filters).toEqual([
      'columns p:[1700000000002 .. last]',
      'newest cell of each column',
      'first 9 cells of each row',
      'without values',
    ]);
  });

  test('an entry counts once, whatever its versions', async () => {
    const key = { id: 'versions' };
    for (const value of [1, 2, 3]) {
      await sheets.patch(key, { prices: new Map([[at(1), value]]) });
      // Cells of one millisecond would be one version.
      await setTimeout(3);
    }
    await sheets.patch(key, { prices: new Map([[at(2), 9]]) });
    const [found] = await sheets
      .oneOf('id', ['versions'])
      .select(entriesOf('prices', { limit: 2 }))
      .all();
    expect([...found.prices!.values()]).toEqual([3, 9]);
    const [counted] = await sheets.oneOf('id', ['versions']).select(entryCountOf('prices')).all();
    expect(counted.prices).toBe(2);
    const history = await sheets.entryHistory(key, 'prices', at(1));
    expect(history.map(({ value }) => value)).toEqual([3, 2, 1]);
    expect(await sheets.entryHistory(key, 'prices', at(1), { limit: 1 })).toHaveLength(1);
    await sheets.delete(key);
  });

  test('single entries are set and removed', async () => {
    const key = { id: 'entries' };
    await sheets.save(full('entries'));
    await sheets.patch(key, {
      prices: new Map<Date, number | null>([
        [at(2), null],
        [at(9), 90],
      ]),
      levels: new Map<'LOW' | 'MID' | 'HIGH', number | null>([['LOW', null]]),
    });
    const found = (await sheets.get(key))!;
    expect(times(found.prices)).toEqual([1, 3, 4, 5, 9]);
    expect([...found.levels!.keys()]).toEqual(['HIGH']);
    await sheets.delete(key);
  });

  test('single entries are incremented', async () => {
    const key = { id: 'counts' };
    const second = new Date(1_700_000_000_000);
    expect(await sheets.incrementEntry(key, 'hits', second)).toBe(1n);
    expect(await sheets.incrementEntry(key, 'hits', second, 41n)).toBe(42n);
    await Promise.all(
      ['x', 'y', 'x'].map((entry) => sheets.incrementEntry(key, 'totals', entry, 5n)),
    );
    let found = (await sheets.get(key))!;
    expect([...found.hits!]).toEqual([[second, 42n]]);
    expect([...found.totals!]).toEqual([
      ['x', 10n],
      ['y', 5n],
    ]);
    // Like counters, they are not part of what save() replaces.
    found.totals = undefined;
    found.name = 'saved';
    await sheets.save(found);
    found = (await sheets.get(key))!;
    expect([...found.totals!.values()]).toEqual([10n, 5n]);
    await sheets.patch(key, { totals: new Map([['x', null]]) });
    expect([...(await sheets.get(key))!.totals!.keys()]).toEqual(['y']);
    await sheets.delete(key);
  });

  test('entries of aggregate families are added to many at a time', async () => {
    const key = { id: 'added' };
    const totals = (amounts: Readonly<Record<string, bigint>>) => new Map(Object.entries(amounts));
    await sheets.patch(key, { name: 'x' }, { add: { totals: totals({ x: 1n, y: 2n }) } });
    await sheets.patchMany([{ key, changes: {}, add: { totals: totals({ y: 3n }) } }]);
    await sheets.incrementMany([{ key, changes: { totals: totals({ x: -5n, z: 1n }) } }]);
    const found = (await sheets.get(key))!;
    expect(found.totals).toEqual(totals({ x: -4n, y: 5n, z: 1n }));
    const wrong: readonly [object, object][] = [
      [{ totals: 1n }, { property: 'totals' }],
      [{ totals: new Map([['x', 1]]) }, { property: 'totals["x"]' }],
      [{ hits: new Map() }, { property: 'hits', problem: expect.stringContaining("family 'c'") }],
      [{ name: 1n }, { property: 'name' }],
    ];
    for (const [add, details] of wrong)
      await expect(sheets.patch(key, {}, { add })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details,
      });
    await sheets.delete(key);
  });

  test('parts of maps are what filtering whole maps gives', async () => {
    const value = fc.integer({ min: 0, max: 12 });
    const range = fc.record(
      {
        from: value,
        to: value,
        offset: fc.integer({ min: 1, max: 3 }),
        limit: fc.integer({ min: 1, max: 4 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(value, { maxLength: 10 }),
        fc.uniqueArray(value, { maxLength: 10 }),
        fc.array(fc.tuple(range, range), { minLength: 3, maxLength: 3 }),
        async (ups, downs, ranges) => {
          await sheets.delete({ id: 'random' });
          await sheets.patch(
            { id: 'random' },
            {
              name: 'r',
              prices: new Map(ups.map((n) => [at(n), n])),
              news: new Map(downs.map((n) => [at(n), n])),
            },
          );
          for (const [up, down] of ranges) {
            const [found] = await sheets
              .oneOf('id', ['random'])
              .select('name', entriesOf('prices', dated(up)), entriesOf('news', dated(down)))
              .all();
            expect(times(found.prices)).toEqual(part(ups, up, false));
            expect(times(found.news)).toEqual(part(downs, down, true));
            const [counted] = await sheets
              .oneOf('id', ['random'])
              .select('name', entryCountOf('prices', dated(up)), entryKeysOf('news', dated(down)))
              .all();
            expect(counted.prices).toBe(part(ups, up, false).length);
            expect(counted.news.map((time) => time.getTime() - +at(0))).toEqual(
              part(downs, down, true),
            );
          }
          await sheets.delete({ id: 'random' });
        },
      ),
      { numRuns: name === 'memory' ? 100 : 15 },
    );
  });
});

interface Range {
  readonly from?: number;
  readonly to?: number;
  readonly offset?: number;
  readonly limit?: number;
}

function dated({ from, to, ...rest }: Range): {
  from?: Date;
  to?: Date;
  offset?: number;
  limit?: number;
} {
  const range: { from?: Date; to?: Date } = {};
  if (from !== undefined) range.from = at(from);
  if (to !== undefined) range.to = at(to);
  return { ...range, ...rest };
}

function part(values: readonly number[], range: Range, descending: boolean): number[] {
  const { from = -Infinity, to = Infinity, offset = 0, limit = Infinity } = range;
  const sorted = values.filter((n) => n >= from && n < to).sort((a, b) => a - b);
  if (descending) sorted.reverse();
  return sorted.slice(offset, offset + limit);
}

function sheetPart(
  sheets: Repository<typeof Sheet>,
  selected: Entries<any, any>,
): Promise<Partial<Sheet> | undefined> {
  return sheets.oneOf('id', ['full']).select(selected).first() as Promise<
    Partial<Sheet> | undefined
  >;
}
