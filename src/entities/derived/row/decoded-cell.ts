/** The value of a column on which something depends. */
import { damagedCellError } from '../../mapping/index.js';
import { type ColumnModel, type EntityModel, qualifiersOf } from '../../model/index.js';
import { type CellValues, columnId, valueOf } from './row-after.js';

/** Undefined where there is neither a cell nor a default. Throws DAMAGED_CELL. */
export function decodedCell(
  model: EntityModel,
  key: Uint8Array,
  column: ColumnModel,
  cells: CellValues,
): unknown {
  const value = valueOf(cells, column);
  if (value === undefined) return 'default' in column ? column.default?.() : undefined;
  try {
    return column.codec.decode(value, 0, value.length);
  } catch (error) {
    const hasCell = (each: Uint8Array): boolean => cells.has(columnId(column.family, each));
    throw damagedCellError(model, column, key, qualifiersOf(column).find(hasCell)!, error);
  }
}
