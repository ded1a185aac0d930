/** Aggregates and groups, against the plain evaluation of all rows. */
import { Column, type Database, Entity, rowKey, Segment } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import { backEnds } from '../support/back-ends.js';
import { exact, nearest } from './exact-doubles.js';
import { Tick, start, minute, type AnyQuery } from './ticks.js';

@Entity({ table: 'fills', families: { m: {} }, shards: { count: 3, by: ['account'] } })
class Fill {
  static readonly key = rowKey('account', 'day', 'price');
  @Segment('string') account!: string;
  @Segment('isoDate') day!: Date;
  @Segment('decimal', { scale: 2, width: 8 }) price!: string;
  @Column('m', 'bytes') tag?: Uint8Array;
}

interface Row {
  venue: string;
  symbol: string;
  at: Date;
  price?: number;
  volume?: bigint;
  note?: string;
  amount?: string;
  open?: boolean;
}

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined });

const tick: fc.Arbitrary<Row> = fc
  .record({
    venue: fc.constantFrom('a', 'b'),
    symbol: fc.constantFrom('x', 'xy', 'é', '\u{1F600}', '\uFFFD'),
    at: fc.integer({ min: 0, max: 300 }).map((n) => new Date(start + n * minute)),
    price: maybe(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })),
    volume: maybe(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    note: maybe(fc.constantFrom('', 'é', '\u{1F600}', '\uFFFD', 'b')),
    amount: maybe(fc.constantFrom('0.10', '-1', '12.345', '0.2')),
    open: maybe(fc.boolean()),
  })
  .filter(({ venue: _v, symbol: _s, at: _a, ...rest }) =>
    Object.values(rest).some((value) => value !== undefined),
  );

/** What to ask: groups, and whether the rows are reversed or limited. */
const question = fc.record({
  by: fc.constantFrom<readonly unknown[]>(
    [],
    ['venue'],
    ['venue', 'symbol'],
    ['symbol'],
    ['symbol', 'venue'],
    ['open', 'note'],
    ['venue', 'symbol', { time: 'at', every: '1h' }],
    [{ time: 'at', every: '15m' }, 'symbol'],
    ['price', 'volume'],
  ),
  reversed: fc.boolean(),
  limit: maybe(fc.integer({ min: 1, max: 10 })),
  scope: fc.constantFrom<readonly string[]>([], ['a'], ['a', 'b'], []),
});

const values = {
  n: 'count',
  notes: { count: 'note' },
  sum: { sum: 'price' },
  total: { sum: 'volume' },
  mean: { avg: 'price' },
  meanVolume: { avg: 'volume' },
  low: { min: 'price' },
  high: { max: 'volume' },
  text: { max: 'note' },
  early: { min: 'at' },
  opening: { first: 'price' },
  close: { last: 'note' },
  amount: { sum: 'amount', as: 'decimal' },
  least: { min: 'amount', as: 'decimal' },
} as const;

function cents(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(3, '0'));
  return text.startsWith('-') ? -units : units;
}

function amountText(list: readonly string[]): string {
  const digits = Math.max(0, ...list.map((text) => text.split('.')[1]?.length ?? 0));
  const sum = list.reduce((total, text) => total + cents(text), 0n) / 10n ** BigInt(3 - digits);
  const text = String(sum < 0n ? -sum : sum).padStart(digits + 1, '0');
  const point = digits === 0 ? '' : `.${text.slice(-digits)}`;
  return `${sum < 0n ? '-' : ''}${text.slice(0, text.length - digits)}${point}`;
}

const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function evaluate(rows: readonly Row[]): Record<keyof typeof values, unknown> {
  function of<P extends keyof Row>(name: P): NonNullable<Row[P]>[] {
    return rows.map((row) => row[name]).filter((value) => value !== undefined);
  }
  const [prices, volumes] = [of('price'), of('volume')];
  const sum = nearest(prices.reduce((total, price) => total + exact(price), 0n));
  const total = volumes.reduce((each, volume) => each + volume, 0n);
  const count = BigInt(volumes.length);
  return {
    n: rows.length,
    notes: of('note').length,
    sum,
    total,
    mean: prices.length === 0 ? undefined : sum / prices.length,
    meanVolume:
      count === 0n ? undefined : Number(total / count) + Number(total % count) / volumes.length,
    low: prices.length === 0 ? undefined : Math.min(...prices),
    high: volumes.reduce<bigint | undefined>(
      (a, b) => (a === undefined || b > a ? b : a),
      undefined,
    ),
    text: of('note').sort(bytes).at(-1),
    early: rows.length === 0 ? undefined : new Date(Math.min(...of('at').map(Number))),
    opening: prices[0],
    close: of('note').at(-1),
    amount: amountText(of('amount')),
    least: of('amount').sort((a, b) => Number(cents(a) - cents(b)))[0],
  };
}

const floorOf = (part: unknown, row: Row): [string, unknown] => {
  if (typeof part === 'string') return [part, row[part as keyof Row]];
  const { every } = part as { every: string };
  const width = every === '1h' ? 3_600_000 : 900_000;
  return ['at', new Date(Math.floor(row.at.getTime() / width) * width)];
};

function expectedGroups(rows: readonly Row[], by: readonly unknown[]): object[] {
  const groups = new Map<string, { group: object; rows: Row[] }>();
  for (const row of rows) {
    const parts = by.map((part) => floorOf(part, row));
    const id = parts
      .map(([, value]) =>
        value instanceof Date ? value.toISOString() : `${typeof value} ${value}`,
      )
      .join('/');
    const found = groups.get(id) ?? { group: Object.fromEntries(parts), rows: [] };
    groups.set(id, found);
    found.rows.push(row);
  }
  return [...groups.values()].map((each) => ({ ...each.group, ...evaluate(each.rows) }));
}

const keyOf = (row: Row): string => `${row.venue}/${row.symbol}/${row.at.getTime()}`;

describe.each(backEnds)('on $name', (backEnd) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => ({ db, close } = await backEnd.open([Tick, Fill])));
  afterAll(() => close());

  test('equals the evaluation of all rows', async () => {
    const ticks = db.repository(Tick);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(tick, { maxLength: 40, selector: keyOf }),
        fc.array(question, { minLength: 6, maxLength: 6 }),
        async (rows, questions) => {
          await ticks.deleteMany(ticks.scanAll().keysOnly());
          await ticks.saveMany(rows.map((row) => Object.assign(new Tick(), row)));
          for (const question of questions)
            await check(ticks as unknown as AnyQuery, rows, question);
        },
      ),
      { numRuns: backEnd.name === 'memory' ? 40 : 8 },
    );
  });

  async function check(
    root: AnyQuery,
    rows: readonly Row[],
    { by, reversed, limit, scope }: typeof question extends fc.Arbitrary<infer Q> ? Q : never,
  ): Promise<void> {
    let query = root.scanAll();
    if (scope.length === 1) query = root.prefix({ venue: scope[0] });
    if (scope.length === 2) query = root.oneOf('venue', scope);
    if (reversed) query = query.reverse();
    if (limit !== undefined) query = query.limit(limit);
    let found = rows
      .filter(({ venue }) => scope.length === 0 || scope.includes(venue))
      .sort((a, b) => bytes(a.venue, b.venue) || bytes(a.symbol, b.symbol) || +b.at - +a.at);
    if (reversed) found.reverse();
    found = found.slice(0, limit);
    if (by.length === 0) {
      expect(await query.aggregate(values)).toEqual(evaluate(found));
      return;
    }
    const groups = await query
      .groupBy(...by)
      .aggregate(values)
      .all();
    expect(groups).toEqual(expectedGroups(found, by));
  }

  test('segments, counters, decimals and bytes', async () => {
    const fills = db.repository(Fill);
    const day = new Date('2026-11-20T00:00:00Z');
    await fills.saveMany(
      ['0.10', '-2.25', '10.00'].map((price, i) =>
        fills.create({ account: 'a', day, price, tag: new Uint8Array([i % 2]) }),
      ),
    );
    expect(
      await fills.prefix({ account: 'a' }).aggregate({
        n: 'count',
        total: { sum: 'price', as: 'decimal' },
        low: { min: 'price' },
        high: { max: 'price' },
        tag: { max: 'tag' },
        day: { last: 'day' },
      }),
    ).toEqual({ n: 3, total: '7.85', low: '-2.25', high: '10.00', tag: new Uint8Array([1]), day });
    const byTag = await fills.scanAll().groupBy('tag').aggregate({ n: 'count' }).all();
    expect(byTag).toEqual([
      { tag: new Uint8Array([1]), n: 1 },
      { tag: new Uint8Array([0]), n: 2 },
    ]);
    const ticks = db.repository(Tick);
    const key = { venue: 'z', symbol: 's', at: day };
    await ticks.increment(key, 'seen', 5n);
    expect(await ticks.prefix({ venue: 'z' }).aggregate({ seen: { sum: 'seen' } })).toEqual({
      seen: 5n,
    });
  });
});
