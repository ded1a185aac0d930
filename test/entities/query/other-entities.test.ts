/** explain() names other entities if a query walks their rows beside its own. */
import {
  Column,
  Entity,
  literal,
  maxVersions,
  rowKey,
  Segment,
  table,
} from '../../../src/index.js';
import { type Database, open } from '../../../src/index.js';

const shop = table('shop', { families: { d: { gc: maxVersions(1) } } });

@Entity({ table: shop })
class Customer {
  static readonly key = rowKey(literal('customer'), 'customer');
  @Segment('string') customer!: string;
  @Column('d', 'string') name?: string;
}

@Entity({ table: shop })
class Order {
  static readonly key = rowKey(literal('customer'), 'customer', literal('order'), 'order');
  @Segment('string') customer!: string;
  @Segment('uint', { max: 999_999 }) order!: number;
  @Column('d', 'double') total?: number;
}

@Entity({ table: shop })
class Product {
  static readonly key = rowKey(literal('product'), 'sku');
  @Segment('string') sku!: string;
  @Column('d', 'string') title?: string;
}

let db: Database;
beforeAll(async () => {
  db = await open('memory:', { entities: [Customer, Order, Product] });
});
afterAll(() => db.close());

test('all customers are read with their orders', () => {
  const plan = db.repository(Customer).scanAll().explain();
  expect(plan.others).toEqual(['Order']);
  expect(String(plan)).toContain('walks     rows of Order in these ranges, too, and drops them');
});

test('orders of a customer are alone in their range, as products are', () => {
  const orders = db.repository(Order).prefix({ customer: 'ann' }).explain();
  expect(orders.others).toEqual([]);
  expect(String(orders)).not.toContain('walks');
  expect(db.repository(Product).scanAll().explain().others).toEqual([]);
});

test('the orders of all customers are read with the customers', () => {
  expect(db.repository(Order).scanAll().explain().others).toEqual(['Customer']);
});

test('without the other entity in the program, nothing is said of it', async () => {
  await using alone = await open('memory:', { entities: [Customer] });
  expect(alone.repository(Customer).scanAll().explain().others).toEqual([]);
});

test('in a scope, too', () => {
  const scoped = db.scope({ customer: 'ann' });
  expect(scoped.repository(Order).scanAll().explain().others).toEqual([]);
});
