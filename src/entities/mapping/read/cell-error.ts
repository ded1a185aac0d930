/** Converts a codec's CodecError into an error with entity and property. */
import {
  copyBytes,
  printable,
  quotedList,
  RowsmithError,
  toHex,
  type Values,
  type FaultTexts,
} from '../../../base/index.js';
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
      ...faults.damagedCell(error.problem),
      table: model.table.name,
      key: printable(key),
      keyHex: toHex(key),
      column: `${column.family}:${printable(qualifier)}`,
    },
    { cause: error },
  );
}

/** INCOMPLETE_ROW for the cursor's current row, which lacks some of its required columns. */
export function incompleteRowError(
  model: EntityModel,
  required: readonly string[],
  row: Values,
  { keyBytes, keyStart, keyEnd }: RowCursor,
): RowsmithError {
  const key = copyBytes(keyBytes, keyStart, keyEnd);
  const missing = required.filter((property) => row[property] === undefined);
  return new RowsmithError('INCOMPLETE_ROW', {
    entity: model.name,
    property: missing[0],
    ...faults.missingRequired(missing, missing.length === 1 ? 'is' : 'are'),
    table: model.table.name,
    key: printable(key),
    keyHex: toHex(key),
  });
}

const faults = {
  damagedCell: (problem: string) => ({
    problem,
    fix: `check what else writes this column, or skip such rows with open(url, { onDamagedCell: 'skip' })`,
    shell: {
      fix: 'check what else writes this column; rowsmith get and scan show the stored bytes with --raw',
    },
  }),
  missingRequired: (missing: readonly string[], text: string) => ({
    problem: `the row has no value of ${quotedList(missing)}, which ${text} required`,
    fix:
      'complete the row with patch(), or delete it; patch() with mustExist makes no such rows; ' +
      "skip them with open(url, { onIncompleteRow: 'skip' })",
    shell: {
      fix: 'complete the row with rowsmith patch, or delete it; rowsmith scan --raw shows its cells',
    },
  }),
} satisfies FaultTexts;
