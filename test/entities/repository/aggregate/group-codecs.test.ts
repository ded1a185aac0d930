/** Groups by columns with a custom codec: values are the same if their bytes are. */
import { type CellCodec, Column, Entity, open, rowKey, Segment } from '../../../../src/index.js';

/** Its state is private: no two instances differ by their properties. */
class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}

/** A time with a zone, which comparing Dates ignores. */
class Local extends Date {
  constructor(
    time: number,
    readonly zone: number,
  ) {
    super(time);
  }
}

let maxCents = Infinity;
const money: CellCodec<Money> = {
  kind: 'money',
  encode(value) {
    if (value.cents > maxCents) throw new TypeError('no such coin');
    return Uint8Array.of(value.cents);
  },
  decode: (bytes, start) => new Money(bytes[start]),
};
const local: CellCodec<Local> = {
  kind: 'local',
  encode: (value) => Uint8Array.of(value.getTime(), value.zone),
  decode: (bytes, start) => new Local(bytes[start], bytes[start + 1]),
};
@Entity({ table: 'orders', families: { m: {} }, marker: true })
class Order {
  static readonly key = rowKey('n');
  @Segment('uint', { width: 3 }) n!: number;
  @Column('m', money) price?: Money;
  @Column('m', local) at?: Local;
}

/** The types of `groupBy` leave such values out; JavaScript can name them. */
interface Untyped {
  groupBy(property: string): {
    aggregate(values: { rows: 'count' }): { all(): Promise<(Order & { rows: number })[]> };
  };
}

test('one group for each encoded value, and one for rows without', async () => {
  const db = await open('memory:', { entities: [Order] });
  const orders = db.repository(Order);
  for (let n = 0; n < 12; n++)
    await orders.save(
      orders.create({
        n,
        price: n === 11 ? undefined : new Money(n % 3),
        at: n === 11 ? undefined : new Local(5, n % 2),
      }),
    );
  const query = orders.scanAll() as unknown as Untyped;
  const byPrice = await query.groupBy('price').aggregate({ rows: 'count' }).all();
  expect(byPrice.map(({ price, rows }) => [price?.cents, rows])).toEqual([
    [0, 4],
    [1, 4],
    [2, 3],
    [undefined, 1],
  ]);
  const byTime = await query.groupBy('at').aggregate({ rows: 'count' }).all();
  expect(byTime.map(({ at, rows }) => [at?.zone, rows])).toEqual([
    [0, 6],
    [1, 5],
    [undefined, 1],
  ]);
  await db.close();
});

test('a value that its codec cannot encode again is reported', async () => {
  const db = await open('memory:', { entities: [Order] });
  const orders = db.repository(Order);
  await orders.save(orders.create({ n: 1, price: new Money(2) }));
  const query = orders.scanAll() as unknown as Untyped;
  maxCents = 1;
  await expect(query.groupBy('price').aggregate({ rows: 'count' }).all()).rejects.toMatchObject({
    name: 'RowsmithError',
    details: { entity: 'Order', property: 'price' },
  });
  await db.close();
});
