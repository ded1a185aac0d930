/** Rows of an earlier declaration that a later one reads. */
import { type Database } from '../../../src/index.js';

export const families = { m: {} };

export async function cellRows(db: Database, table: string) {
  const { collectRows, everyKey } = await import('../../../src/storage.js');
  const rows = await collectRows(
    db.engine.readRows({ table, ranges: [everyKey], reversed: false }),
  );
  return rows.map(({ key, cells }) => ({
    key,
    mutations: cells.map(({ family, qualifier, timestamp, value }) => ({
      kind: 'setCell' as const,
      family,
      qualifier,
      timestamp,
      value,
    })),
  }));
}
