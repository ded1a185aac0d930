import { backEnds } from '../../repository/support/back-ends.js';
import { faultyDatabase } from '../../../../src/tools/testing/index.js';
import { Order } from './rollup-entities.js';

const day = (d: number, hour = 0): Date => new Date(Date.UTC(2026, 0, d, hour));

describe.each(backEnds)('rollups: $name', ({ name, open }) => {
  test('follow every write of their source', async () => {
    const { db, close } = await open([Order]);
    const orders = db.repository(Order);
    const of = (id: number, total?: string, more: object = {}): Order =>
      orders.create({ shop: 's', at: day(1, id), id, total, ...more });
    const sales = async (): Promise<object | undefined> => {
      // Google's emulator has no aggregate but sum: what was added last is the maximum.
      if (name.includes('emulator')) await db.derived.rollups.repair(Order);
      return orders.rollup('sales').get({ shop: 's', at: day(1, 23) });
    };
    const key = (id: number): { shop: string; at: Date; id: number } => ({
      shop: 's',
      at: day(1, id),
      id,
    });

    await orders.saveMany([
      of(1, '12.50', { items: 2, status: 'new' }),
      of(2, '0.01', { items: 1 }),
      orders.create({ shop: 's', at: day(2), id: 9, total: '1' }),
    ]);
    const base = { shop: 's', at: day(1) };
    expect(await sales()).toEqual({
      ...base,
      orders: 2,
      revenue: '12.51',
      largest: '12.50',
      mean: 1.5,
      opening: 'new',
      status: 'new',
    });
    await orders.save(of(1, '10', { status: 'paid' }));
    expect(await sales()).toMatchObject({ orders: 2, revenue: '10.01', mean: 1 });
    await orders.insert(of(3, '-5', { status: 'refund' }));
    await orders.patch(key(2), { total: '0.50', status: 'x' });
    expect(await sales()).toMatchObject({ orders: 3, revenue: '5.50', status: 'refund' });
    await orders.patchMany([{ key: key(3), changes: { total: null } }]);
    await orders.patch(key(1), { total: '7' }, { remove: ['status'] });
    expect(await sales()).toMatchObject({ orders: 3, revenue: '7.50', opening: 'x' });
    await orders.patch(key(1), { total: '8' }, { if: { equals: { total: '7' } } });
    await expect(
      orders.patch(key(1), { total: '9' }, { if: { equals: { total: '7' } } }),
    ).rejects.toMatchObject({ code: 'CONDITION_FAILED' });
    expect(await sales()).toMatchObject({ revenue: '8.50' });
    await orders.increment(key(7), 'views', 3n);
    expect(await sales()).toMatchObject({ orders: 4, revenue: '8.50' });
    await orders.incrementMany([{ key: key(8), changes: { views: 1n } }]);
    expect(await sales()).toMatchObject({ orders: 5 });
    expect((await orders.append(key(1), { status: 'x' })).status).toBe('x');
    expect(await sales()).toMatchObject({ opening: 'x' });
    await orders.patch(key(1), {}, { remove: ['status'] });
    await expect(orders.save(of(1, '1.001'))).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      details: { property: 'total' },
    });
    await orders.delete(key(8));
    await orders.deleteMany([key(7)]);
    expect(await sales()).toMatchObject({ orders: 3, revenue: '8.50' });
    expect(await orders.rollup('sales').scanAll().count()).toBe(2);

    await orders.prefix({ shop: 's' }).until('at', day(2)).delete();
    expect(await sales()).toBeUndefined();
    expect(await orders.rollup('sales').scanAll().all()).toMatchObject([
      { at: day(2), revenue: '1.00' },
    ]);
    expect(await orders.rollup('sales').scanAll().count()).toBe(1);
    await orders.prefix({ shop: 's' }).delete({ dropRanges: true });
    expect(await orders.rollup('sales').scanAll().all()).toEqual([]);
    await orders.save(of(1, '3'));
    await orders.prefix({ shop: 's' }).delete();
    expect(await orders.rollup('sales').scanAll().first()).toBeUndefined();
    expect(await db.derived.rollups.verify(Order)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });

  test('writers at the same time lose nothing', async () => {
    const { db, close } = await open([Order]);
    const orders = db.repository(Order);
    await Promise.all(
      Array.from({ length: 30 }, async (_, id) => {
        const key = { shop: 's', at: day(1), id };
        await orders.save(orders.create({ ...key, total: `${id}` }));
        if (id % 3 === 0) await orders.delete(key);
        if (id % 3 === 1) await orders.patch(key, { total: '100' });
      }),
    );
    const kept = await orders.scanAll().all();
    const revenue = kept.reduce((sum, { total }) => sum + Number(total), 0);
    const [row] = await orders.rollup('sales').scanAll().all();
    expect(row).toMatchObject({ orders: 20, revenue: `${revenue}.00` });
    await db.derived.rollups.repair(Order);
    expect(await orders.rollup('sales').scanAll().all()).toEqual([row]);
    expect(await db.derived.rollups.verify(Order)).toMatchObject({
      missing: 0,
      orphan: 0,
      wrong: 0,
    });
    await close();
  });
});

test('a scope reads a marked bucket from its source', async () => {
  await using db = await faultyDatabase('memory:', { entities: [Order] });
  const scope = db.scope({ shop: 's' });
  const orders = scope.repository(Order);
  await orders.save(orders.create({ at: day(1), id: 1, total: '1' }));
  db.faults.failRead({ table: 'orders_rollup' });
  await orders.save(orders.create({ at: day(1), id: 2, total: '2' }));
  db.faults.clear();
  expect(await orders.rollup('sales').scanAll().all()).toMatchObject([
    { at: day(1), orders: 2, revenue: '3.00' },
  ]);
  expect(await orders.rollup('sales').get({ at: day(1, 5) })).not.toHaveProperty('shop');
  expect(await db.derived.rollups.repair(Order)).toMatchObject({ repaired: 0, wrong: 0 });
});
