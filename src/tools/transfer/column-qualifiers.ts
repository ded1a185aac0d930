/** The qualifiers of an entity's cells. */
import { equalBytes } from '../../base/index.js';
import { type ColumnModel, qualifiersOf } from '../../entities/model/index.js';
import type { Cell } from '../../data/store/index.js';

/** Whether a cell belongs to the column. */
export function ownsCell(column: ColumnModel, { family, qualifier }: Cell): boolean {
  if (column.family !== family) return false;
  return column.kind === 'columnMap' || qualifierRank(column, qualifier) >= 0;
}

/** Index of the qualifier among the column's own and earlier ones: readers prefer the lowest. */
export function qualifierRank(column: ColumnModel, qualifier: Uint8Array): number {
  return qualifiersOf(column).findIndex((own) => equalBytes(own, qualifier));
}
