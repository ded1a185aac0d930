/** Converts a codec's CodecError into an error with entity and property. */
import { copyBytes, printable, RowsmithError, toHex } from '../../../base/index.js';
import { CodecError, joinPath } from '../../../data/cell/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import type { RowCursor } from '../../../data/store/index.js';

/** Like damagedCellError, for the cursor's current cell. */
export function damagedCellErrorAt(
  model: EntityModel,
  column: ColumnModel,
  cursor: RowCursor,
  error: unknown,
): unknown {
  const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
  return damagedCellError(
    model,
    column,
    key,
    copyBytes(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd),
    error,
  );
}

/**
 * DAMAGED_CELL for a cell that its codec cannot decode. Errors other than CodecError are returned
 * unchanged.
 */
export function damagedCellError(
  model: EntityModel,
  column: ColumnModel,
  key: Uint8Array,
  qualifier: Uint8Array,
  error: unknown,
): unknown {
  if (!(error instanceof CodecError)) return error;
  return new RowsmithError(
    'DAMAGED_CELL',
    {
      entity: model.name,
      property: joinPath(column.property, error.path),
      problem: error.problem,
      fix: `check what else writes this column, or skip such rows with open(url, { onDamagedCell: 'skip' })`,
      table: model.table.name,
      key: printable(key),
      keyHex: toHex(key),
      column: `${column.family}:${printable(qualifier)}`,
    },
    { cause: error },
  );
}
