/** Gaps, what is read, and wrong arguments of aggregates. */
import { type Database, open } from '../../../../src/index.js';
import { openWatched } from '../support/watched.js';
import { Tick, start, minute, type AnyQuery } from './ticks.js';

describe('gaps', () => {
  const at = (minutes: number): Date => new Date(start + minutes * minute);
  let db: Database;
  beforeAll(async () => {
    db = await open('memory:', { entities: [Tick] });
    const ticks = db.repository(Tick);
    await ticks.saveMany(
      [
        ['x', 5],
        ['x', 6],
        ['x', 31],
        ['y', 11],
      ].map(([symbol, minutes]) =>
        ticks.create({ venue: 'a', symbol: String(symbol), at: at(Number(minutes)), price: 1 }),
      ),
    );
  });
  afterAll(() => db.close());
  const every = { time: 'at', every: '10m', fillGaps: true } as const;
  const flat = (rows: readonly { symbol?: string; at: Date; n: number }[]): unknown[] =>
    rows.map(({ symbol, at: time, n }) => [symbol, (time.getTime() - start) / minute, n]);

  test('between the first and the last time of each group', async () => {
    const query = db.repository(Tick).prefix({ venue: 'a' });
    expect(flat(await query.groupBy('symbol', every).aggregate({ n: 'count' }).all())).toEqual([
      ['x', 30, 1],
      ['x', 20, 0],
      ['x', 10, 0],
      ['x', 0, 2],
      ['y', 10, 1],
    ]);
  });

  test('between the ends of the bound, in the order of the query', async () => {
    const query = db.repository(Tick).prefix({ venue: 'a' }).oneOf('symbol', ['x', 'y']);
    const groups = query.between('at', at(-5), at(21)).reverse().groupBy('symbol', every);
    expect(flat(await groups.aggregate({ n: 'count' }).all())).toEqual([
      ['y', -10, 0],
      ['y', 0, 0],
      ['y', 10, 1],
      ['y', 20, 0],
      ['x', -10, 0],
      ['x', 0, 2],
      ['x', 10, 0],
      ['x', 20, 0],
    ]);
  });

  test('without any row, when the group is known', async () => {
    const query = db.repository(Tick).prefix({ venue: 'a', symbol: 'none' });
    const groups = query.between('at', at(0), at(20)).groupBy(every);
    const found = await groups
      .aggregate({ n: 'count', mean: { avg: 'price' }, s: { sum: 'price' } })
      .all();
    expect(found).toEqual([
      { at: at(10), n: 0, mean: undefined, s: 0 },
      { at: at(0), n: 0, mean: undefined, s: 0 },
    ]);
    const unknown = db.repository(Tick).prefix({ venue: 'none' }).groupBy('symbol', every);
    expect(await unknown.aggregate({ n: 'count' }).all()).toEqual([]);
  });

  test('millions of gaps come in pages', async () => {
    const query = db.repository(Tick).prefix({ venue: 'a', symbol: 'x' });
    const second = { time: 'at', every: '1s', fillGaps: true } as const;
    const groups = query.since('at', new Date(0)).groupBy(second).aggregate({ n: 'count' });
    for await (const page of groups.pages()) {
      expect(page.length).toBe(256);
      break;
    }
  });
});

describe('what is read', () => {
  test('the columns that are named; of other families one cell without its value', async () => {
    const { db, seen } = await openWatched([Tick]);
    const ticks = db.repository(Tick);
    const at = new Date(start);
    await ticks.save(ticks.create({ venue: 'a', symbol: 'x', at, note: 'only here' }));
    seen.plans.length = 0;
    expect(await ticks.scanAll().aggregate({ n: 'count', s: { sum: 'price' } })).toEqual({
      n: 1,
      s: 0,
    });
    expect(seen.plans).toHaveLength(1);
    await ticks.scanAll().aggregate({ n: 'count', at: { max: 'at' } });
    expect(seen.plans[1].filter).toEqual(
      expect.objectContaining({ filters: expect.arrayContaining([{ kind: 'stripValue' }]) }),
    );
    await db.close();
  });

  test('groups that follow the key end with their last row', async () => {
    const { db, seen } = await openWatched([Tick]);
    const ticks = db.repository(Tick);
    await ticks.saveMany(
      Array.from({ length: 2000 }, (_, i) =>
        ticks.create({ venue: 'a', symbol: `s${i}`, at: new Date(start), price: i }),
      ),
    );
    const streamed = ticks.prefix({ venue: 'a' }).groupBy('symbol').aggregate({ n: 'count' });
    seen.pages = 0;
    for await (const _ of streamed) break;
    expect(seen.pages).toBeLessThan(4);
    expect(seen.openStreams).toBe(0);
    expect(streamed.explain().toString()).toContain('groups    symbol: one at a time');
    const kept = ticks.prefix({ venue: 'a' }).groupBy('note').aggregate({ n: 'count' });
    expect(kept.explain().groups).toBe('note: kept in memory');
    expect(await kept.all()).toEqual([{ note: undefined, n: 2000 }]);
    await db.close();
  });

  test('an aborted signal ends it', async () => {
    const { db, seen } = await openWatched([Tick]);
    const ticks = db.repository(Tick);
    await ticks.save(ticks.create({ venue: 'a', symbol: 's', at: new Date(start), price: 1 }));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(ticks.scanAll().aggregate({ n: 'count' }, { signal })).rejects.toThrow('enough');
    const groups = ticks.scanAll().signal(signal).groupBy('venue').aggregate({ n: 'count' });
    await expect(groups.all()).rejects.toThrow('enough');
    expect(seen.openStreams).toBe(0);
    await db.close();
  });
});

describe('wrong arguments', () => {
  type Root = AnyQuery & { select(...names: string[]): Root; keysOnly(): Root };
  const faults: [string, string, (root: Root) => unknown][] = [
    ['no values', 'aggregate', (root) => root.aggregate({})],
    ['no object', 'aggregate', (root) => root.aggregate('count' as unknown as object)],
    ['an unknown aggregate', 'm', (root) => root.aggregate({ m: { median: 'price' } })],
    ['two aggregates', 'm', (root) => root.aggregate({ m: { min: 'price', max: 'price' } })],
    ['an unknown property', 'prise', (root) => root.aggregate({ m: { max: 'prise' } })],
    ['a sum of text', 'note', (root) => root.aggregate({ m: { sum: 'note' } })],
    ['a sum of times', 'at', (root) => root.aggregate({ m: { sum: 'at' } })],
    ['the greatest of booleans', 'open', (root) => root.aggregate({ m: { max: 'open' } })],
    [
      'decimals of numbers',
      'price',
      (root) => root.aggregate({ m: { sum: 'price', as: 'decimal' } }),
    ],
    ['another form', 'm', (root) => root.aggregate({ m: { sum: 'note', as: 'money' } })],
    [
      'an average of decimals',
      'm',
      (root) => root.aggregate({ m: { avg: 'amount', as: 'decimal' } }),
    ],
    [
      'text that is no decimal',
      'note',
      (root) => root.aggregate({ m: { sum: 'note', as: 'decimal' } }),
    ],
    ['selected columns', 'aggregate', (root) => root.select('note').aggregate({ n: 'count' })],
    ['keys', 'groupBy', (root) => root.keysOnly().groupBy('venue')],
    ['no groups', 'groupBy', (root) => root.groupBy()],
    ['an unknown group', 'colour', (root) => root.groupBy('colour')],
    ['a group twice', 'venue', (root) => root.groupBy('venue', 'venue')],
    ['a floor of text', 'note', (root) => root.groupBy({ time: 'note', every: '1h' })],
    ['no width', 'at', (root) => root.groupBy({ time: 'at' })],
    ['another width', 'at', (root) => root.groupBy({ time: 'at', every: '0h' })],
    ['an unknown option', 'at', (root) => root.groupBy({ time: 'at', every: '1h', gaps: true })],
    ['one name for two', 'venue', (root) => root.groupBy('venue').aggregate({ venue: 'count' })],
    [
      'gaps in the middle',
      'at',
      (root) => root.groupBy({ time: 'at', every: '1h', fillGaps: true }, 'symbol'),
    ],
    [
      'gaps without the segments before',
      'at',
      (root) => root.groupBy('venue', { time: 'at', every: '1h', fillGaps: true }),
    ],
    [
      'gaps of a limited read',
      'at',
      (root) =>
        root.limit(3).groupBy('venue', 'symbol', { time: 'at', every: '1h', fillGaps: true }),
    ],
  ];
  test.each(faults)('%s', async (_title, property, ask) => {
    const db = await open('memory:', { entities: [Tick] });
    const ticks = db.repository(Tick);
    await ticks.save(ticks.create({ venue: 'a', symbol: 's', at: new Date(start), note: 'n' }));
    const root = ticks.scanAll() as unknown as Root;
    await expect((async () => ask(root))()).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      details: { entity: 'Tick', property, fix: expect.any(String) },
    });
    await db.close();
  });
});
