/** What the programs of a history do: random writes of a few rows, and repairs. */
import { RowsmithError, type Database } from '../../../../../src/index.js';
import { RowWriter } from '../../../../../src/entities/derived/index.js';
import { buildModel } from '../../../../../src/entities/model/index.js';
import type { Engine } from '../../../../../src/data/store/index.js';
import { Order } from '../entities.js';
import { storedEntries } from '../stored-entries.js';

const ids = [1, 2, 3];
/** Errors that a program may get while storage fails and other programs write. */
const expectedCodes = new Set([
  'UNAVAILABLE',
  'STORAGE_FAILED',
  'UNIQUE_VIOLATION',
  'CONTENTION',
  'CONDITION_FAILED',
  'ROW_EXISTS',
]);

/** Throws errors that no program should get. */
export function assertExpected(error: unknown): void {
  if (!(error instanceof RowsmithError) || !expectedCodes.has(error.code)) throw error;
}

export function operation(db: Database, random: () => number): Promise<unknown> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)];
  const orders = db.repository(Order);
  const key = { tenant: 'acme', id: pick(ids) };
  const status = pick(['open', 'paid', undefined]);
  const email = pick(['x', 'y', undefined]);
  const total = pick([1n, 2n]);
  const order = (id: number): Order =>
    orders.create({ tenant: 'acme', id, status, email, total, placedAt: new Date(0), note: 'n' });
  switch (pick(['save', 'insert', 'patch', 'note', 'delete', 'many', 'condition', 'removal'])) {
    case 'save':
      return orders.save(order(key.id));
    case 'insert':
      return orders.insert(order(key.id));
    case 'patch':
      return orders.patch(key, { status: status ?? null, email: email ?? null });
    case 'note':
      return orders.patch(key, { note: 'other' });
    case 'delete':
      return orders.delete(key);
    case 'many':
      return orders.saveMany(ids.map(order));
    case 'condition':
      return orders.patch(key, { email: email ?? null }, { if: { equals: { status: 'open' } } });
    default:
      return orders.patch(key, { total, status: 'open' }, { remove: ['email'] });
  }
}

/** Looks at all entries, some before their rows are written, and writes the entries of a row. */
export async function repairRound(engine: Engine, random: () => number): Promise<void> {
  const writer = new RowWriter(engine, buildModel(Order));
  for (const { entry, row } of await storedEntries(engine, writer.model))
    await writer.repair(entry, row);
  const id = ids[Math.floor(random() * ids.length)];
  await writer.rewrite(writer.model.key.encode({ tenant: 'acme', id }));
}
