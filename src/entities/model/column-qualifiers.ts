/** The qualifiers of a column. */
import type { ColumnModel } from './model.js';

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
