/** Rows of one time: any of them may be the first or the last of its bucket. */
import { open } from '../../../src/index.js';
import { Order } from './rollup-entities.js';

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
