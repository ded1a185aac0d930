/** Guesses the columns of an entity. */
import { compareText, toHex } from '../../base/index.js';
import type { Cell, TableSchema } from '../../data/store/index.js';
import type { KeyGuess } from './key-guess.js';
import { isText } from './message-guess.js';
import { guessValue, type ValueGuess } from './value-guess.js';

/** A probable column, or a family with data as qualifiers. */
export interface ColumnGuess {
  readonly kind: 'column' | 'columnMap' | 'counter';
  readonly family: string;
  /** Undefined for a column map. */
  readonly qualifier: Uint8Array | undefined;
  readonly value: ValueGuess;
  /** Rows that contain it. */
  readonly rows: number;
  /** Different qualifiers; more than 1 only for a column map. */
  readonly qualifiers: number;
  /** The largest number of its cells in one row. */
  readonly versions: number;
}

/** A probable entity. */
export interface EntityGuess {
  readonly key: KeyGuess;
  readonly columns: readonly ColumnGuess[];
  /** Family of an empty cell that marks rows. */
  readonly marker?: string;
  /** Segment with the timestamp of every cell as its value. */
  readonly cellTimestamp?: string;
}

/** Values of one column that are decoded. */
const maxValues = 500;

/** The probable columns of the rows with this key. */
export function guessEntity(key: KeyGuess, table: TableSchema): EntityGuess {
  const columns: ColumnGuess[] = [];
  let marker: string | undefined;
  for (const [family, { aggregate }] of table.families) {
    const byQualifier = cellsByQualifier(key, family);
    if (byQualifier.size === 0) continue;
    if (aggregate === undefined && areData(byQualifier, key.rows.length)) {
      columns.push(columnMapGuess(family, byQualifier));
      continue;
    }
    for (const [, cells] of [...byQualifier].sort(([a], [b]) => compareText(a, b))) {
      if (isMarker(cells)) marker = family;
      else columns.push(columnGuess(family, cells, aggregate !== undefined));
    }
  }
  return { key, columns, marker, cellTimestamp: timestampSegment(key) };
}

interface CellOfRow {
  readonly cell: Cell;
  /** Index of the row. */
  readonly row: number;
}

/** The cells of a family by their qualifier as hex. */
function cellsByQualifier({ rows }: KeyGuess, family: string): Map<string, CellOfRow[]> {
  const cells = new Map<string, CellOfRow[]>();
  rows.forEach((row, i) => {
    for (const cell of row.cells) {
      if (cell.family !== family) continue;
      const qualifier = toHex(cell.qualifier);
      const present = cells.get(qualifier);
      if (present === undefined) cells.set(qualifier, [{ cell, row: i }]);
      else present.push({ cell, row: i });
    }
  });
  return cells;
}

function isMarker(cells: readonly CellOfRow[]): boolean {
  return cells.every(({ cell }) => cell.qualifier.length === 0 && cell.value.length === 0);
}

function columnMapGuess(
  family: string,
  byQualifier: ReadonlyMap<string, readonly CellOfRow[]>,
): ColumnGuess {
  const cells = [...byQualifier.values()].flat();
  return {
    kind: 'columnMap',
    family,
    qualifier: undefined,
    value: guessSampled(cells),
    rows: countRows(cells),
    qualifiers: byQualifier.size,
    versions: 1,
  };
}

function columnGuess(family: string, cells: readonly CellOfRow[], counter: boolean): ColumnGuess {
  const perRow = new Map<number, number>();
  for (const { row } of cells) perRow.set(row, (perRow.get(row) ?? 0) + 1);
  return {
    kind: counter ? 'counter' : 'column',
    family,
    qualifier: cells[0].cell.qualifier,
    value: counter ? { kind: 'scalar', scalar: 'int64' } : guessSampled(cells),
    rows: perRow.size,
    qualifiers: 1,
    versions: Math.max(...perRow.values()),
  };
}

/** Guesses from at most maxValues of the cells. */
function guessSampled(cells: readonly CellOfRow[]): ValueGuess {
  const step = Math.ceil(cells.length / maxValues);
  return guessValue(cells.filter((_, i) => i % step === 0).map(({ cell }) => cell.value));
}

function countRows(cells: readonly CellOfRow[]): number {
  return new Set(cells.map(({ row }) => row)).size;
}

/**
 * Qualifiers are data if there are many and few rows share one, or if none of them looks like a
 * name.
 */
function areData(
  byQualifier: ReadonlyMap<string, readonly CellOfRow[]>,
  rowCount: number,
): boolean {
  const columns = [...byQualifier.values()];
  const names = columns.map(([{ cell }]) => cell.qualifier);
  if (!names.every((name) => name.length > 0 && isText(name))) return false;
  const noNames = names.every((name) => !/^[A-Za-z_]/.test(Buffer.from(name).toString()));
  if (names.length >= 3 && noNames) return true;
  const rowsPerName = columns.reduce((sum, cells) => sum + countRows(cells), 0) / names.length;
  return names.length > 60 || (names.length > 12 && rowsPerName / rowCount < 0.25);
}

/** A segment that always equals the timestamp of the cells. */
function timestampSegment({ parts, rows }: KeyGuess): string | undefined {
  for (const part of parts) {
    if (part.kind !== 'segment' || part.type.kind !== 'timestamp') continue;
    if (part.type.floor !== undefined || part.values.length !== rows.length) continue;
    const matches = part.values.every((at, i) => {
      const micros = BigInt((at as Date).getTime()) * 1000n;
      return rows[i].cells.every(({ timestamp }) => timestamp === micros);
    });
    if (matches) return part.name;
  }
  return undefined;
}
