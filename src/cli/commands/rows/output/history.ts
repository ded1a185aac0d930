/** The stored versions of a row's columns, decoded. */
import { latin1Text } from '../../../../base/index.js';
import { damagedCellError, qualifierReader } from '../../../../entities/mapping/index.js';
import {
  type ColumnModel,
  type EntityModel,
  qualifiersOf,
} from '../../../../entities/model/index.js';
import type { Cell, Row } from '../../../../data/store/index.js';
import { cellTextForm, entryKeyText, segmentTextForms } from '../../../../data/text/index.js';
import { isoTime } from '../../../../tools/rows/index.js';
import type { PrintedRow } from './row-printer.js';

/** The column of a cell, and the key of its entry in a column map. */
interface CellPlace {
  readonly column: ColumnModel;
  readonly entry?: string;
}

/**
 * A function that returns a line for each stored version: the key, the property, the entry of
 * a column map, time and value. Cells that the entity does not declare are left out. The function
 * throws DAMAGED_CELL.
 */
export function historyLines(
  model: EntityModel,
  select: readonly string[],
): (row: Row) => PrintedRow[] {
  const decode = model.key.decoder();
  const place = cellPlaces(model);
  return ({ key, cells }) => {
    const values: Record<string, unknown> = {};
    decode(key, 0, key.length, values);
    const segments = Object.fromEntries(
      model.segments.map(({ property, type }) => [
        property,
        values[property] === null ? null : segmentTextForms[type.kind].format(values[property]),
      ]),
    );
    return cells.flatMap((cell) => {
      const found = place(key, cell);
      if (found === undefined) return [];
      const { column, entry } = found;
      if (select.length > 0 && !select.includes(column.property)) return [];
      const at = isoTime(cell.timestamp);
      const value = readable({ model, column, key, cell }, () =>
        cellTextForm(column).format(column.codec.decode(cell.value, 0, cell.value.length)),
      );
      return [{ key: segments, property: column.property, entry, at, value }];
    });
  };
}

interface StoredCell {
  readonly model: EntityModel;
  readonly column: ColumnModel;
  readonly key: Uint8Array;
  readonly cell: Cell;
}

/** Runs a decoder; what it rejects is DAMAGED_CELL. */
function readable<T>({ model, column, key, cell }: StoredCell, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw damagedCellError(model, column, key, cell.qualifier, error);
  }
}

function cellPlaces(model: EntityModel): (key: Uint8Array, cell: Cell) => CellPlace | undefined {
  const columns = new Map<string, ColumnModel>();
  const maps = new Map<string, (key: Uint8Array, cell: Cell) => CellPlace>();
  for (const column of model.columns) {
    if (column.kind === 'columnMap') {
      const read = qualifierReader(column);
      const text = entryKeyText(column.qualifiers);
      maps.set(column.family, (key, cell) => ({
        column,
        entry: readable({ model, column, key, cell }, () =>
          text(read(cell.qualifier, 0, cell.qualifier.length)),
        ),
      }));
    }
    for (const qualifier of qualifiersOf(column))
      columns.set(`${column.family}:${latin1Text(qualifier)}`, column);
  }
  return (key, cell) => {
    const column = columns.get(`${cell.family}:${latin1Text(cell.qualifier)}`);
    if (column !== undefined) return { column };
    return maps.get(cell.family)?.(key, cell);
  };
}
