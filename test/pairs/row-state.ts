/**
 * What one row may be, in plain JavaScript: for each column the cells that it may have. A column of
 * a map is named `tags:a`; `marker` and the managed columns are columns, too.
 */

export type Value = string | bigint;
/** One cell that a column may have; no value: none. */
export interface Cell {
  readonly value?: Value | undefined;
  /** The least and the greatest time that the cell may have, in milliseconds. */
  readonly from: number;
  readonly to: number;
}
export type RowState = ReadonlyMap<string, readonly Cell[]>;
export type Answer = 'yes' | 'no' | 'maybe';

/** What one call does to one row. */
export interface RowChange {
  readonly kind: 'set' | 'delete';
  /** New values by column, also from the value before; undefined deletes. */
  readonly set?: ReadonlyMap<string, Value | undefined | ((before: Value | undefined) => Value)>;
  /** Deletes all columns of maps first, whatever their time. */
  readonly replacesMaps?: boolean;
  /** Writes all columns that `save` writes again, as they were when the row was read. */
  readonly rewrites?: boolean;
  /** Changes no revision, so that a write of a row that was read before is made all the same. */
  readonly isUnseen?: boolean;
  /** Columns that it may set or not, by how it is made. */
  readonly maySet?: ReadonlyMap<string, Value>;
  /** Whether it is the newest, whatever the clock of its writer. */
  readonly wins: boolean;
  /** Whether later calls of its program wait for it: it needs several requests. */
  readonly takesTurn?: boolean;
  /** On which condition it is made. */
  readonly requires?: (state: RowState) => Answer;
  /** The time of its cells. */
  readonly time: { from: number; to: number };
  /** The time of values that are made of the values before; default: `time`. */
  readonly stepTime?: { from: number; to: number };
}

const noCell: Cell = { from: 0, to: 0 };
const absent: readonly Cell[] = [noCell];
/** How much later than all cells of a row a write that wins may be. */
const slackMillis = 20;

/** Columns that `save` leaves as they are. */
const counters = new Set(['views', 'hits']);

export const emptyRow: RowState = new Map();
export const cellsOf = (state: RowState, column: string): readonly Cell[] =>
  state.get(column) ?? absent;

/** Whether a row exists: it has a cell. */
export function exists(state: RowState): Answer {
  let answer: Answer = 'no';
  for (const cells of state.values()) {
    if (cells.every(({ value }) => value !== undefined)) return 'yes';
    if (cells.some(({ value }) => value !== undefined)) answer = 'maybe';
  }
  return answer;
}

/** Whether a column has the value. */
export function equals(state: RowState, column: string, value: Value | undefined): Answer {
  const cells = cellsOf(state, column);
  if (cells.every((cell) => cell.value === value)) return 'yes';
  return cells.some((cell) => cell.value === value) ? 'maybe' : 'no';
}

/** The row after a change of it as it was read; `stored` is what it has become since. */
export function changed(state: RowState, change: RowChange, stored: RowState = state): RowState {
  if (change.kind === 'delete') return emptyRow;
  const next = new Map(state);
  if (change.replacesMaps === true)
    for (const column of next.keys()) if (column.includes(':')) next.delete(column);
  const newest = Math.max(0, ...[...stored.values()].flat().map(({ to }) => to));
  if (change.rewrites === true)
    for (const [column, cells] of next)
      if (!counters.has(column))
        next.set(
          column,
          cells.map((cell) =>
            cell.value === undefined ? cell : { ...cell, ...winningTime(change, newest) },
          ),
        );
  for (const [column, value] of change.set ?? [])
    next.set(column, written(cellsOf(next, column), value, winning(column, change), newest));
  for (const [column, value] of change.maySet ?? [])
    next.set(column, distinct([...cellsOf(next, column), { value, ...change.time }]));
  return next;
}

/** Each write changes the revision that is read, also if its other values lose. */
const winning = (column: string, change: RowChange): RowChange =>
  column === 'revision' ? { ...change, wins: true } : change;

function written(
  before: readonly Cell[],
  value: Value | undefined | ((before: Value | undefined) => Value),
  { wins, time, stepTime }: RowChange,
  newest: number,
): readonly Cell[] {
  const cells: Cell[] = [];
  for (const old of before) {
    if (typeof value === 'function') {
      const { from, to } = stepTime ?? time;
      const at = { from: Math.max(from, old.from), to: Math.max(to, old.to + slackMillis) };
      cells.push({ value: value(old.value), ...at });
    } else if (wins) cells.push({ value, ...winningTime({ time }, newest) });
    else {
      if (old.value === undefined || time.to >= old.from) cells.push({ value, ...time });
      if (old.value !== undefined && time.from < old.to) cells.push(old);
    }
  }
  return distinct(cells);
}

/** The time of cells that are the newest of a row. */
function winningTime({ time }: Pick<RowChange, 'time'>, newest: number): RowChange['time'] {
  return { from: time.from, to: Math.max(time.to, newest + slackMillis) };
}

/** Cells with equal values become one. No cell has no time: a deletion leaves nothing. */
function distinct(cells: readonly Cell[]): readonly Cell[] {
  const byValue = new Map<Value | undefined, Cell>();
  for (const cell of cells) {
    if (cell.value === undefined) {
      byValue.set(undefined, noCell);
      continue;
    }
    const known = byValue.get(cell.value);
    const from = Math.min(cell.from, known?.from ?? cell.from);
    byValue.set(cell.value, {
      value: cell.value,
      from,
      to: Math.max(cell.to, known?.to ?? cell.to),
    });
  }
  return [...byValue.values()];
}
