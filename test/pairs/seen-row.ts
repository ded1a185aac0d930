/** Rows as repositories return them, compared with what they may be. */
import type { Item, Owner } from './declare.js';
import { type Cell, cellsOf, exists, type RowState, type Value } from './row-state.js';

/** The visible columns of a row by name; undefined if there is no row. */
export type SeenRow = ReadonlyMap<string, Value> | undefined;

/** Columns that reads do not show. */
const hidden = new Set(['marker']);
/** What is no column, or follows from another row. */
const others: Readonly<Record<'item' | 'owner', ReadonlySet<string>>> = {
  item: new Set(['tenant', 'at', 'id', 'ownerName', 'label']),
  owner: new Set(['tenant', 'owner']),
};

export function seenRow(entity: Item | Owner | undefined, kind: 'item' | 'owner'): SeenRow {
  if (entity === undefined) return undefined;
  const seen = new Map<string, Value>();
  for (const [property, value] of Object.entries(entity) as [string, unknown][]) {
    if (value === undefined || others[kind].has(property)) continue;
    if (value instanceof Map)
      for (const [entry, amount] of value as Map<string, bigint>) seen.set(`tags:${entry}`, amount);
    else if (value instanceof Date) seen.set(property, BigInt(value.getTime()));
    else seen.set(property, value as Value);
  }
  return seen;
}

/** A revision that is not known before it is read. */
export const newRevision = 'a new revision';
export const defaultStatus = 'new';

export interface Reading {
  readonly hasDefault: boolean;
}

/** The state of a row that has been read; undefined if it cannot be what was read. */
export function afterReading(
  state: RowState,
  seen: SeenRow,
  { hasDefault }: Reading,
): RowState | undefined {
  const next = new Map<string, readonly Cell[]>();
  for (const column of new Set([...state.keys(), ...(seen?.keys() ?? [])])) {
    const cells = cellsOf(state, column);
    let left = cells;
    if (seen === undefined) left = cells.filter(({ value }) => value === undefined);
    else if (!hidden.has(column)) left = visible(cells, column, seen.get(column), hasDefault);
    if (left.length === 0) return undefined;
    if (seen !== undefined && left.some(({ value }) => value !== undefined)) next.set(column, left);
  }
  return seen !== undefined && exists(next) === 'no' ? undefined : next;
}

function visible(
  cells: readonly Cell[],
  column: string,
  seen: Value | undefined,
  hasDefault: boolean,
): readonly Cell[] {
  if (column === 'revision' && seen !== undefined)
    return cells
      .filter(({ value }) => value === seen || value === newRevision)
      .map((cell) => ({ ...cell, value: seen }));
  if (column === 'status' && hasDefault && seen === defaultStatus)
    return cells.filter(({ value }) => value === undefined || value === seen);
  return cells.filter(({ value }) => value === seen);
}
