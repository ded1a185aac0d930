/** Stored cells, with the properties that they belong to. */
import { errorMessage, printable } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { entryKeyText } from '../../../data/text/index.js';
import { qualifierReader } from '../../../entities/mapping/index.js';
import { type ColumnModel, type EntityModel, qualifiersOf } from '../../../entities/model/index.js';
import type { Cell } from '../../../data/store/index.js';
import { isoTime } from '../../rows/index.js';
import type { CellView } from '../protocol/row.js';
import { cellShower, cellColumn, rowLimits, ShownRow } from './shown-values.js';

/** Bytes of a value that are sent with its cell. */
const shownBytes = 256;

/** Shows the cells of one entity, or of none. */
export function cellViews(model: EntityModel | undefined): (cell: Cell) => CellView {
  const place = model === undefined ? (): undefined => undefined : cellPlaces(model);
  return (cell) => {
    const { family, qualifier, timestamp, value } = cell;
    return {
      family,
      qualifier: Buffer.from(qualifier).toString('base64'),
      name: printable(qualifier),
      at: isoTime(timestamp),
      micros: String(timestamp),
      size: value.length,
      value: Buffer.from(value.subarray(0, shownBytes)).toString('base64'),
      ...decoded(cell, place(cell)),
    };
  };
}

interface CellPlace {
  readonly column: ColumnModel;
  /** The key of an entry in a map. */
  readonly entryOf?: (qualifier: Uint8Array) => string;
}

/** The column of each cell. */
function cellPlaces(model: EntityModel): (cell: Cell) => CellPlace | undefined {
  const columns = new Map<string, CellPlace>();
  const maps = new Map<string, CellPlace>();
  for (const column of model.columns) {
    if (column.kind === 'columnMap') {
      const read = qualifierReader(column);
      const text = entryKeyText(column.qualifiers);
      const entryOf = (qualifier: Uint8Array) => text(read(qualifier, 0, qualifier.length));
      maps.set(column.family, { column, entryOf });
    } else
      for (const qualifier of qualifiersOf(column))
        columns.set(cellColumn(column.family, qualifier), { column });
  }
  return ({ family, qualifier }) => columns.get(cellColumn(family, qualifier)) ?? maps.get(family);
}

function decoded(
  { qualifier, value }: Cell,
  place: CellPlace | undefined,
): Pick<CellView, 'property' | 'entry' | 'decoded' | 'cuts' | 'problem'> {
  if (place === undefined) return {};
  const { column, entryOf } = place;
  const { property } = column;
  try {
    const entry = entryOf?.(qualifier);
    const row = new ShownRow(rowLimits);
    const shown = cellShower(column)(column.codec.decode(value, 0, value.length), row, [property]);
    const cuts = row.cuts.length === 0 ? undefined : row.cuts;
    return { property, entry, decoded: shown, cuts };
  } catch (error) {
    const problem = error instanceof CodecError ? error.problem : errorMessage(error);
    return { property, problem };
  }
}
