/** Orders that the suites of queries of indexes read. */
import { column, type Database } from '../../../../src/index.js';
import { Order } from './entities.js';

export const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
export const open = { tenant: 'acme', status: 'open' };
export const columns = { level: column('m', 'int32') } as const;

/** Rows 1 to 20 of a tenant; the odd ones are open. */
export async function fill(db: Database, tenant = 'acme'): Promise<void> {
  const orders = db.repository(Order);
  const rows = Array.from({ length: 20 }, (_, i) =>
    orders.create({
      tenant,
      id: i + 1,
      status: i % 2 === 0 ? 'open' : 'paid',
      placedAt: at(i + 1),
      email: `${i + 1}@x`,
      customer: 'ann',
      total: BigInt(i),
    }),
  );
  await orders.saveMany(rows);
}
