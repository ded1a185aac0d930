/** What factories save, on every back end: with indexes, copies, rollups, revisions and counters. */
import { factory } from '../../../src/tools/testing/index.js';
import { backEnds } from '../../entities/repository/support/back-ends.js';
import { Customer, Flag, Order, shop } from './factory-entities.js';

describe.each(backEnds)('$name', ({ open }) => {
  test('two runs of the same factories store the same rows', async () => {
    const { db, close } = await open(shop);
    const run = async (): Promise<void> => {
      const orders = factory(Order, { hits: 3n, total: 1.5 });
      const customers = factory(Customer, { tenant: 'acme', state: 'paying' });
      for (const customer of await customers.saveMany(db, 2))
        await orders.for(customer).saveMany(db, 2);
      await factory(Flag).saveMany(db, 4);
    };
    const stored = async () => {
      const orders = db.repository(Order);
      const customers = await db.repository(Customer).scanAll().all();
      return {
        customers: customers.map(({ revision: _, ...row }) => row),
        orders: await orders.index('byCustomer').prefix({ tenant: 'acme' }).all(),
        days: await orders.rollup('daily').prefix({ tenant: 'acme' }).all(),
        flags: await db.repository(Flag).scanAll().count(),
      };
    };
    await run();
    const first = await stored();
    expect(first.orders.map(({ hits, customerState }) => [hits, customerState])).toEqual(
      Array(4).fill([3n, 'paying']),
    );
    expect(first.days.map(({ orders, total }) => [orders, total])).toEqual([[4, 6]]);
    expect([first.customers.length, first.flags]).toEqual([2, 4]);
    await run();
    expect(await stored()).toEqual(first);
    await close();
  });
});
