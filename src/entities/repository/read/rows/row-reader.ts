/** Reads rows into results: hydrates them, tests them, and leaves out what was only tested. */
import { copyBytes, printable } from '../../../../base/index.js';
import { absentRow, compileHydrator, type Hydrator } from '../../../mapping/index.js';
import { type EntityModel, plainRowJson } from '../../../model/index.js';
import type { ColumnSelection } from '../../../query/index.js';
import { hookOf } from '../../managed/hooks.js';

/**
 * Reads the cursor's current row. Returns undefined if the key does not belong to the entity, and
 * `absentRow` for a row that is no result. Throws DAMAGED_CELL.
 */
export type RowReader = Hydrator;

/** One reader per selection: queries are read repeatedly, and all point reads share one. */
const readers = new WeakMap<ColumnSelection, RowReader>();

/** The reader of a selection. */
export function rowReaderOf(model: EntityModel, selection: ColumnSelection): RowReader {
  let read = readers.get(selection);
  if (read === undefined) {
    read = withAfterRead(model, selection, compileReader(model, selection));
    readers.set(selection, read);
  }
  return read;
}

/** A reader that calls `afterRead` with each whole entity; the same one without that hook. */
export function withAfterRead(
  model: EntityModel,
  { whole }: ColumnSelection,
  read: RowReader,
): RowReader {
  const afterRead = whole ? hookOf(model, 'afterRead') : undefined;
  if (afterRead === undefined) return read;
  return (cursor) => {
    const row = read(cursor);
    if (row !== undefined && row !== absentRow)
      afterRead(row, () => printable(copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd)));
    return row;
  };
}

function compileReader(model: EntityModel, selection: ColumnSelection): RowReader {
  const { where, whole, partial, forms } = selection;
  if (where === undefined) return compileHydrator(model, selection);
  const { columns, existsIn } = where;
  const hydrate = compileHydrator(model, { columns, whole, forms, partial, existsIn });
  const { matches } = where.plan;
  const finish = resultOf(model, selection);
  return (cursor) => {
    const row = hydrate(cursor);
    if (row === undefined || row === absentRow) return row;
    if (!matches(row as Readonly<Record<string, unknown>>)) return absentRow;
    return finish(row);
  };
}

/** Leaves out the columns that were only read to be tested. */
function resultOf(model: EntityModel, selection: ColumnSelection): (row: object) => object {
  const { columns, whole, where } = selection;
  if (whole || where!.columns.length === columns.length) return (row) => row;
  const properties = [...model.key.names, ...columns.map(({ property }) => property)];
  const addJson = plainRowJson(model, columns);
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const property of properties)
      if (Object.hasOwn(row, property))
        result[property] = (row as Readonly<Record<string, unknown>>)[property];
    addJson?.(result);
    return result;
  };
}
