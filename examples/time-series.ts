/** Share prices, newest first: time ranges, pages with a cursor, and reverse order. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Column, Entity, maxVersions, open, rowKey, Segment } from 'rowsmith';

@Entity({ table: 'prices', families: { p: { gc: maxVersions(1) } } })
class Price {
  static readonly key = rowKey('symbol', 'month');
  @Segment('string', { maxLength: 32 }) symbol!: string;
  @Segment('timestamp', { order: 'desc' }) month!: Date;
  @Column('p', 'double') dollars?: number;
}

const file = join(createRequire(import.meta.url).resolve('vega-datasets'), '../../data/stocks.csv');
const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);

await using db = await open('memory:', { entities: [Price] });
const prices = db.repository(Price);
await prices.saveMany(
  lines.map((line) => {
    const [symbol, month, dollars] = line.split(',');
    return prices.create({ symbol, month: new Date(`${month} UTC`), dollars: Number(dollars) });
  }),
);
const apple = prices.prefix({ symbol: 'AAPL' });
assert.equal(await apple.count(), lines.filter((line) => line.startsWith('AAPL')).length);

// Bounds are values, in ascending order also for a descending segment. The first is inclusive, the
// second exclusive.
const year = apple.between('month', new Date('2008-01-01'), new Date('2009-01-01'));
const months = await year.all();
assert.equal(months.length, 12);
assert.deepEqual(
  [months[0].month.getUTCMonth(), months[11].month.getUTCMonth()],
  [11, 0],
  'newest first',
);
assert.deepEqual(
  (await year.reverse().all()).map(({ month }) => month),
  months.map(({ month }) => month).reverse(),
);

const crash = await apple.since('month', new Date('2009-03-01')).reverse().first();
console.log('March 2009', crash?.dollars);
assert.equal(crash?.month.toISOString(), '2009-03-01T00:00:00.000Z');

// Pages: the cursor is text with the position of the next page. Other queries reject it.
const seen: Price[] = [];
let after: string | undefined;
do {
  const page = await apple.page({ size: 50, after });
  seen.push(...page.rows);
  after = page.next;
  console.log(
    `page of ${page.rows.length}`,
    after === undefined ? '(last)' : `next ${after.slice(0, 12)}...`,
  );
} while (after !== undefined);
assert.deepEqual(seen, await apple.all());

const { next } = await apple.page({ size: 1 });
await assert.rejects(prices.prefix({ symbol: 'MSFT' }).page({ size: 1, after: next }), {
  code: 'INVALID_CURSOR',
});
