/**
 * Trades of shares: candles (open, high, low, close) computed by the query, and prices that are
 * exact, because they are decimal text and not floating point.
 */
import assert from 'node:assert/strict';
import { Column, ColumnMap, Entity, maxVersions, open, rollups, rowKey, Segment } from 'rowsmith';

@Entity({ table: 'trades', families: { t: { gc: maxVersions(1) } } })
class Trade {
  static readonly key = rowKey('symbol', 'at', 'sequence');
  // Candles that are kept while trades arrive: prices as integers of a hundredth, so sums are exact.
  static readonly rollups = rollups({
    candles: {
      by: ['symbol', { time: 'at', every: '1m' }],
      values: {
        open: { first: 'price' },
        high: { max: 'price', as: 'decimal', decimals: 2 },
        low: { min: 'price', as: 'decimal', decimals: 2 },
        close: { last: 'price' },
        volume: { sum: 'shares' },
      },
    },
  });
  @Segment('string', { maxLength: 12 }) symbol!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date; // newest first
  @Segment('uint', { max: 999, order: 'desc' }) sequence!: number; // several in a millisecond
  @Column('t', 'string') price!: string; // '12.50': decimal text keeps every digit
  @Column('t', 'int64') shares!: bigint;
}

/** Quotes: an hour in a row, a column for each, newest first in the row as well. */
@Entity({
  table: 'quotes',
  families: { q: { gc: maxVersions(1) } },
  lint: { expect: { bids: { maxEntries: 100_000 } } },
})
class QuoteHour {
  static readonly key = rowKey('symbol', 'hour');
  @Segment('string', { maxLength: 12 }) symbol!: string;
  @Segment('timestamp', { floor: 'hour', order: 'desc' }) hour!: Date;
  @ColumnMap('q', 'string', { qualifiers: 'timestamp', order: 'desc' }) bids?: Map<Date, string>;
}

await using db = await open('memory:', { entities: [Trade, QuoteHour] });
const trades = db.repository(Trade);
const second = (s: number) => new Date(Date.UTC(2026, 10, 20, 14, 30, s));

const ticks: readonly (readonly [s: number, price: string, shares: bigint])[] = [
  [0, '10.10', 100n],
  [20, '10.30', 50n],
  [20, '10.05', 10n], // in the same millisecond: the next sequence
  [59, '10.20', 40n],
  [130, '10.20', 2n ** 60n],
  [170, '9.99', 1n],
];
await trades.insertMany(
  ticks.map(([s, price, shares], i) =>
    trades.create({ symbol: 'ACME', at: second(s), sequence: i, price, shares }),
  ),
);
const acme = trades.prefix({ symbol: 'ACME' });

// The tape: the newest trades are the first rows of the symbol.
assert.deepEqual(
  (await acme.limit(2).all()).map(({ price }) => price),
  ['9.99', '10.20'],
);

// Candles of a minute, newest first, without reading a trade.
const kept = await trades.rollup('candles').prefix({ symbol: 'ACME' }).all();
assert.deepEqual(
  kept.map(({ at, open, high, low, close, volume }) => [at, open, high, low, close, volume]),
  [
    [second(120), '10.20', '10.20', '9.99', '9.99', 2n ** 60n + 1n],
    [second(0), '10.10', '10.30', '10.05', '10.20', 200n],
  ],
);

// The same, computed by a query and with gaps. The key is descending, so `reverse` reads the oldest
// trade first, and then first is the opening and last the closing price.
const candles = acme
  .between('at', second(0), second(180))
  .reverse()
  .groupBy({ time: 'at', every: '1m', fillGaps: true })
  .aggregate({
    open: { first: 'price' },
    high: { max: 'price', as: 'decimal' },
    low: { min: 'price', as: 'decimal' },
    close: { last: 'price' },
    volume: { sum: 'shares' },
  });
for await (const { at, ...candle } of candles) console.log(at.toISOString(), candle);
assert.deepEqual(
  (await candles.all()).map(({ at, ...candle }) => [at, ...Object.values(candle)]),
  [
    [second(0), '10.10', '10.30', '10.05', '10.20', 200n],
    [second(60), undefined, undefined, undefined, undefined, 0n], // no trade in this minute
    [second(120), '10.20', '10.20', '9.99', '9.99', 2n ** 60n + 1n],
  ],
);

// Sums are exact: of decimals, which floating point adds to 60.83999..., and of int64 beyond 2^53.
assert.deepEqual(
  await acme.aggregate({ sum: { sum: 'price', as: 'decimal' }, shares: { sum: 'shares' } }),
  { sum: '60.84', shares: 2n ** 60n + 201n },
);

// Large trades: the range is read, and storage sends only the rows that match.
const large = acme.where({ shares: { atLeast: 100n } });
console.log(String(large.explain()));
assert.equal(await large.count(), 2);

// The last trade of each symbol, whatever the number of trades.
await trades.insert(
  trades.create({ symbol: 'ZED', at: second(1), sequence: 0, price: '3', shares: 5n }),
);
assert.deepEqual(
  (await trades.firstPer('symbol').all()).map(({ symbol, price }) => [symbol, price]),
  [
    ['ACME', '9.99'],
    ['ZED', '3'],
  ],
);

// Quotes arrive fast: one batch writes them, and the newest ten are read across the full hour.
const quotes = db.repository(QuoteHour);
const quoted = Array.from({ length: 120 }, (_, n) => new Date(Date.UTC(2026, 10, 20, 14, n)));
await quotes.patchMany(
  quoted.map((at, n) => ({
    key: { symbol: 'ACME', hour: at },
    changes: { bids: new Map([[at, `10.${n}`]]) },
  })),
);
const bids = quotes.prefix({ symbol: 'ACME' });
const newest = await bids.series('bids', { newestFirst: true, to: quoted[65], limit: 10 }).all();
assert.deepEqual(
  newest.map(({ value }) => value),
  Array.from({ length: 10 }, (_, n) => `10.${64 - n}`),
);
