/** The qualifiers of an entity's cells. */
import { equalBytes } from '../bytes/index.js';
import type { ColumnModel } from '../model/index.js';
import type { Cell } from '../store/index.js';

/**
 * The qualifiers under which cells of a column may be stored, its own first; none for a column map.
 */
export function qualifiersOf(column: ColumnModel): readonly Uint8Array[] {
  switch (column.kind) {
    case 'columnMap':
      return [];
    case 'column':
    case 'packed':
      return [column.qualifier, ...(column.alsoReads ?? [])];
    default:
      return [column.qualifier];
  }
}

/** Whether a cell belongs to the column. */
export function ownsCell(column: ColumnModel, { family, qualifier }: Cell): boolean {
  if (column.family !== family) return false;
  return column.kind === 'columnMap' || qualifierRank(column, qualifier) >= 0;
}

/** Index of the qualifier among the column's own and earlier ones: readers prefer the lowest. */
export function qualifierRank(column: ColumnModel, qualifier: Uint8Array): number {
  return qualifiersOf(column).findIndex((own) => equalBytes(own, qualifier));
}
