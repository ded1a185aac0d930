/** Customers, orders that refer to them, and places. */
import {
  Column,
  column,
  defineEntity,
  type Database,
  Entity,
  indexes,
  indexOn,
  reference,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';

@Entity({ table: 'customers', families: { c: {} } })
export class Customer {
  static readonly key = rowKey('tenant', 'id');
  static readonly latest = reference(() => Order, { tenant: 'tenant', n: 'latestOrder' });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('c', 'string') name?: string;
  @Column('c', 'int32') latestOrder?: number;
}

@Entity({ table: 'orders', families: { o: {} } })
export class Order {
  static readonly key = rowKey('tenant', 'n');
  static readonly indexes = indexes({
    byStatus: indexOn('tenant', 'status').including('buyerId'),
  });
  static readonly buyer = reference(() => Customer, { tenant: 'tenant', id: 'buyerId' });
  static readonly seller = reference(() => Customer, { tenant: 'sellerTenant', id: 'sellerId' });
  static readonly before = reference(() => Order, { tenant: 'tenant', n: 'beforeN' });
  static readonly place = reference(() => Place, { code: 'placeCode' });
  @Segment('string') tenant!: string;
  @Segment('int') n!: number;
  @Column('o', 'string') status?: string;
  @Column('o', 'string') buyerId?: string;
  @Column('o', 'string') sellerTenant?: string;
  @Column('o', 'string') sellerId?: string;
  @Column('o', 'int32') beforeN?: number;
  @Column('o', 'string') placeCode?: string;
}

export const Place = defineEntity(
  class Place {
    code = '';
    title?: string;
  },
  {
    table: 'places',
    families: { p: {} },
    key: rowKey('code'),
    segments: { code: 'string' },
    columns: { title: column('p', 'string') },
    indexes: indexes({ byTitle: uniqueIndexOn('title') }),
  },
);

export const entities = [Customer, Order, Place];

export async function fill(db: Database): Promise<void> {
  const customers = db.repository(Customer);
  await customers.saveMany([
    customers.create({ tenant: 'a', id: 'ann', name: 'Ann', latestOrder: 2 }),
    customers.create({ tenant: 'a', id: 'bob', name: 'Bob' }),
    customers.create({ tenant: 'b', id: 'eve', name: 'Eve' }),
  ]);
  const orders = db.repository(Order);
  const seen = { tenant: 'a', sellerTenant: 'a', sellerId: 'bob', status: 'open' };
  await orders.saveMany([
    orders.create({ ...seen, n: 1, buyerId: 'ann', placeCode: 'oslo' }),
    orders.create({ ...seen, n: 2, buyerId: 'ann', beforeN: 1 }),
    orders.create({ ...seen, n: 3, buyerId: 'nobody', beforeN: 2 }),
    orders.create({ tenant: 'a', n: 4, status: 'done' }),
    orders.create({ tenant: 'b', n: 5, buyerId: 'eve', status: 'open' }),
  ]);
  const places = db.repository(Place);
  await places.save(places.create({ code: 'oslo', title: 'Oslo' }));
}
