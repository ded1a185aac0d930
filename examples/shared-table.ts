/**
 * Customers and their orders in one table: the key of an order starts with the key of its customer,
 * so they are stored together. Each entity still reads only its own rows.
 */
import assert from 'node:assert/strict';
import { Column, Entity, literal, maxVersions, open, rowKey, Segment, table } from 'rowsmith';

const shop = table('shop', { families: { d: { gc: maxVersions(1) } } });

@Entity({ table: shop })
class Customer {
  static readonly key = rowKey(literal('customer'), 'customer');
  @Segment('string', { maxLength: 32 }) customer!: string;
  @Column('d', 'string') name?: string;
}

@Entity({ table: shop })
class Order {
  static readonly key = rowKey(literal('customer'), 'customer', literal('order'), 'order');
  @Segment('string', { maxLength: 32 }) customer!: string;
  @Segment('uint', { max: 999_999 }) order!: number;
  @Column('d', 'double') total?: number;
}

@Entity({ table: shop })
class Product {
  static readonly key = rowKey(literal('product'), 'sku');
  @Segment('string', { maxLength: 32 }) sku!: string;
  @Column('d', 'string') title?: string;
}

await using db = await open('memory:', { entities: [Customer, Order, Product] });
const [customers, orders, products] = [
  db.repository(Customer),
  db.repository(Order),
  db.repository(Product),
];

for (const customer of ['ann', 'anna', 'bob']) {
  await customers.save(customers.create({ customer, name: customer.toUpperCase() }));
  await orders.saveMany(
    [1, 2, 10].map((order) => orders.create({ customer, order, total: order * 5 })),
  );
}
await products.save(products.create({ sku: 'A-1', title: 'Anvil' }));

// A prefix ends at a segment: orders of ann, not of anna. The literal after the customer is part of
// the range.
const ofAnn = orders.prefix({ customer: 'ann' });
console.log(String(ofAnn.explain()));
assert.deepEqual(
  (await ofAnn.all()).map(({ customer, order }) => `${customer} ${order}`),
  ['ann 1', 'ann 2', 'ann 10'],
);

// Each entity reads only its own rows, although customers and orders alternate in the table.
assert.deepEqual(
  (await customers.scanAll().all()).map(({ name }) => name),
  ['ANN', 'ANNA', 'BOB'],
);
assert.equal(await orders.scanAll().count(), 9);
assert.equal(await products.scanAll().count(), 1);

await orders.prefix({ customer: 'ann' }).delete();
assert.ok(await customers.exists({ customer: 'ann' }), 'deleting the orders leaves the customer');
assert.equal(await orders.scanAll().count(), 6);
console.log(
  'customers',
  await customers.scanAll().count(),
  'orders',
  await orders.scanAll().count(),
  'products',
  await products.scanAll().count(),
);
