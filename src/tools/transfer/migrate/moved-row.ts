/** The result of moving one row: its new key and cells. */
import { compareBytes, equalBytes } from '../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import type { Aggregate, Cell, Mutation, Row } from '../../../data/store/index.js';
import { ownsCell } from '../column-qualifiers.js';

/** A cell of the new row. */
export interface MovedCell {
  readonly family: string;
  readonly qualifier: Uint8Array;
  readonly timestamp: bigint;
  readonly value: Uint8Array;
  /** Set in aggregate families, where cells are merged instead of set. */
  readonly aggregate: Aggregate | undefined;
}

/** An old row and the row it becomes. */
export interface MovedRow {
  /** The old row. */
  readonly source: Row;
  /** The new key; undefined if the migration leaves the row out. */
  readonly to: Uint8Array | undefined;
  /** The cells of the new row, sorted like the cells of a stored row. */
  readonly cells: readonly MovedCell[];
  /** Cells of the old row that the new row replaces. */
  readonly taken: readonly Cell[];
  /**
   * Number of cells of the old row that remain: neither class declares them, or they are dropped.
   */
  readonly undeclared: number;
}

/** Whether the new row is the old one, with other columns. */
export function isInPlace(
  from: EntityModel,
  to: EntityModel,
  oldKey: Uint8Array,
  newKey: Uint8Array,
): boolean {
  return from.table.name === to.table.name && equalBytes(oldKey, newKey);
}

/** Whether the entity declares a cell. */
export function declaresCell(model: EntityModel, cell: Cell): boolean {
  return isMarker(model, cell) || model.columns.some((column) => ownsCell(column, cell));
}

/** Whether a cell is the marker of the entity's rows. */
export function isMarker({ marker }: EntityModel, { family, qualifier, value }: Cell): boolean {
  return (
    marker !== undefined &&
    marker.family === family &&
    equalBytes(marker.qualifier, qualifier) &&
    value.length === 0
  );
}

/** The aggregate of a counter's family; undefined for any other column. */
export function aggregateOf({ table }: EntityModel, column: ColumnModel): Aggregate | undefined {
  if (column.kind !== 'counter' || !column.aggregate) return undefined;
  return table.families.get(column.family)?.aggregate;
}

/** Orders cells like the cells of a stored row: by family and qualifier, newest first. */
export function compareCells(
  a: Omit<MovedCell, 'aggregate'>,
  b: Omit<MovedCell, 'aggregate'>,
): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return compareBytes(a.qualifier, b.qualifier) || Number(b.timestamp - a.timestamp);
}

/** The mutations that write the new row. */
export function moveMutations({ cells }: MovedRow): Mutation[] {
  return cells.flatMap(({ family, qualifier, timestamp, value, aggregate }): Mutation[] => {
    if (aggregate === undefined) return [{ kind: 'setCell', family, qualifier, timestamp, value }];
    const merge: Mutation = { kind: 'mergeToCell', family, qualifier, timestamp, input: value };
    // Merging a minimum or maximum again does not change it. A sum replaces the stored one, so that
    // a row moved twice counts once.
    if (aggregate !== 'sum') return [merge];
    const end = timestamp + 1000n;
    return [{ kind: 'deleteFromColumn', family, qualifier, start: timestamp, end }, merge];
  });
}
