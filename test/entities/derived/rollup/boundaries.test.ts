/** The edges of buckets: rows of one time, the first and the last row, and ends of ranges. */
import { open } from '../../../../src/index.js';
import { Order, Reading } from './rollup-entities.js';

test.each([
  [1, 2, 3],
  [3, 2, 1],
  [2, 3, 1],
])('verify accepts what was stored last: %d, %d, %d', async (...ids) => {
  await using db = await open('memory:', { entities: [Order] });
  const orders = db.repository(Order);
  const at = new Date(Date.UTC(2026, 0, 5, 12));
  for (const id of ids) await orders.save(orders.create({ shop: 's', at, id, status: `of ${id}` }));
  const [{ opening, status }] = await orders.rollup('sales').scanAll().all();
  expect([opening, status]).toEqual([expect.any(String), expect.any(String)]);
  expect(await db.derived.rollups.verify(Order)).toMatchObject({ compared: 1, wrong: 0 });
  expect(await db.derived.rollups.repair(Order)).toMatchObject({ repaired: 0 });
});

test('verify expects the value of the earliest and of the latest row', async () => {
  await using db = await open('memory:', { entities: [Order] });
  const orders = db.repository(Order);
  for (const hour of [12, 9, 15])
    await orders.save(
      orders.create({
        ...{ shop: 's', at: new Date(Date.UTC(2026, 0, 5, hour)), id: hour },
        status: `at ${hour}`,
        total: `${hour}.00`,
      }),
    );
  expect(await orders.rollup('sales').scanAll().all()).toMatchObject([
    { orders: 3, opening: 'at 9', status: 'at 15', largest: '15.00' },
  ]);
  expect(await db.derived.rollups.verify(Order)).toMatchObject({ compared: 1, wrong: 0 });
});

test('a check ends before the bucket that begins at its end', async () => {
  await using db = await open('memory:', { entities: [Reading] });
  const readings = db.repository(Reading);
  const hour = (h: number): Date => new Date(Date.UTC(2026, 0, 5, h));
  for (let h = 1; h <= 5; h++)
    await readings.save(
      readings.create({ tenant: 'a', device: `d${h % 2}`, at: hour(h), temperature: h }),
    );
  const compared = async (prefix: object): Promise<unknown> => {
    const part = { name: 'hourly', prefix, since: hour(2), until: hour(4) } as const;
    return (await db.derived.rollups.verify(Reading, part as never)).compared;
  };
  expect(await compared({ tenant: 'a' })).toBe(2);
  expect(await compared({ tenant: 'a', device: 'd0' })).toBe(1);
});
