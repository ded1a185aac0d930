/**
 * Sums and averages of every kind of double, against fractions. Found by an attack: the sum of
 * `[MAX, MAX, -Infinity]` was NaN, because MAX + MAX had become Infinity on the way.
 */
import { Column, type Database, Entity, open, rowKey, Segment } from '../../../../src/index.js';
import {
  DecimalSum,
  parseDecimal,
} from '../../../../src/entities/repository/aggregate/exact-sum.js';
import fc from '../../../support/fast-check.js';
import { exact, nearest } from './exact-doubles.js';

@Entity({ table: 'values', families: { f: {} } })
class Value {
  static readonly key = rowKey('list', 'n');
  @Segment('uint') list!: number;
  @Segment('uint') n!: number;
  @Column('f', 'double') value?: number;
}

const max = Number.MAX_VALUE;
const min = Number.MIN_VALUE;

let db: Database;
let lists = 0;
beforeAll(async () => (db = await open('memory:', { entities: [Value] })));
afterAll(() => db.close());

/** The sum and the average of values, in this order. */
async function aggregated(values: readonly number[]): Promise<{ sum: number; avg?: number }> {
  const repository = db.repository(Value);
  const list = lists++;
  await repository.saveMany(values.map((value, n) => repository.create({ list, n, value })));
  const { sum, avg } = await repository
    .prefix({ list })
    .aggregate({ sum: { sum: 'value' }, avg: { avg: 'value' } });
  return { sum, avg };
}

function evaluate(values: readonly number[]): { sum: number; avg?: number } {
  const special = values.filter((value) => !Number.isFinite(value)).reduce((a, b) => a + b, 0);
  if (special !== 0) return { sum: special, avg: special };
  const total = values.reduce((each, value) => each + exact(value), 0n);
  const sum = nearest(total);
  if (values.length === 0) return { sum, avg: undefined };
  if (Number.isFinite(sum)) return { sum, avg: sum / values.length };
  return { sum, avg: nearestQuotient(total, BigInt(values.length)) };
}

/** The double nearest to a fraction: sums have 54 bits or more beyond what a double keeps. */
function nearestQuotient(total: bigint, count: bigint): number {
  const quotient = total / count;
  if (total % count === 0n) return nearest(quotient);
  // What is cut off breaks a tie; it is far below the last digit of so great a number.
  return nearest(quotient + (total < 0n ? -1n : 1n));
}

test.each([
  { values: [max, max, -Infinity], sum: -Infinity, avg: -Infinity },
  { values: [-max, -max, Infinity], sum: Infinity, avg: Infinity },
  { values: [max, max, Infinity], sum: Infinity, avg: Infinity },
  { values: [max, max, NaN], sum: NaN, avg: NaN },
  { values: [Infinity, -Infinity], sum: NaN, avg: NaN },
  { values: [max, max], sum: Infinity, avg: max },
  { values: [-max, -max, -max], sum: -Infinity, avg: -max },
  { values: [max, max, -max], sum: max, avg: max / 3 },
  { values: [max, max, -max, -max], sum: 0, avg: 0 },
  { values: [max, max, -max, -max, min], sum: min, avg: 0 },
  { values: [max, 2 ** 970], sum: Infinity, avg: 2 ** 1023 },
  { values: [max, 2 ** 970, -min], sum: max, avg: max / 3 },
  { values: [1, max, max, -max, -max, 1], sum: 2, avg: 2 / 6 },
])('of $values', async ({ values, sum, avg }) => {
  expect(evaluate(values)).toEqual({ sum, avg });
  expect(await aggregated(values)).toEqual({ sum, avg });
  expect(await aggregated(values.toReversed())).toEqual({ sum, avg });
});

const double = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(max, -max, 2 ** 1023, -(2 ** 1023)) },
  { weight: 3, arbitrary: fc.constantFrom(2 ** 970, -(2 ** 970), 2 ** 969, 2 ** 971, 1, -1) },
  { weight: 2, arbitrary: fc.constantFrom(min, -min, 2 ** -1022, 0, -0, 2 ** 53, 0.1) },
  { weight: 3, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);
const special = fc.constantFrom(Infinity, -Infinity, NaN);

test('are exact, whatever the order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(double, { maxLength: 12 }),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant<number[]>([]) },
        { weight: 1, arbitrary: fc.array(special, { minLength: 1, maxLength: 2 }) },
      ),
      fc.infiniteStream(fc.nat()),
      async (finite, others, random) => {
        const values = [...finite, ...others]
          .map((value) => ({ value, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ value }) => value);
        expect(await aggregated(values)).toEqual(evaluate(values));
      },
    ),
    { numRuns: 100 },
  );
});

test('of decimals have as many digits as the longest, and no negative zero', () => {
  const sumOf = (...texts: readonly string[]): string => {
    const sum = new DecimalSum();
    for (const text of texts) sum.add(parseDecimal(text)!);
    return sum.total();
  };
  expect(sumOf()).toBe('0');
  expect(sumOf('1.50', '-1.5')).toBe('0.00');
  expect(sumOf('-0.05', '0.004')).toBe('-0.046');
  expect(sumOf('0.95', '0.05')).toBe('1.00');
});
