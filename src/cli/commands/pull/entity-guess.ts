/** Columns of probable entities. */
import { isText } from './message-guess.js';
import { toHex } from '../../../bytes/index.js';
import type { Cell, TableSchema } from '../../../store/index.js';
import type { KeyGuess } from './key-guess.js';
import { guessValue, type ValueGuess } from './value-guess.js';

/** One probable column, or a family whose qualifiers are data. */
export interface ColumnGuess {
  readonly kind: 'column' | 'columnMap' | 'counter';
  readonly family: string;
  /** Undefined for a column map. */
  readonly qualifier: Uint8Array | undefined;
  readonly value: ValueGuess;
  /** Rows that hold it. */
  readonly rows: number;
  /** For a column map, the qualifiers that were seen. */
  readonly qualifiers: number;
  /** Most cells of it in one row. */
  readonly versions: number;
}

/** A probable entity. */
export interface EntityGuess {
  readonly key: KeyGuess;
  readonly columns: readonly ColumnGuess[];
  /** Family of an empty cell that marks rows. */
  readonly marker?: string;
  /** Segment whose moment is the timestamp of every cell. */
  readonly cellTimestamp?: string;
}

/** Values of one column that are looked at. */
const valuesRead = 500;

/** What the cells of these rows are. */
export function guessEntity(key: KeyGuess, table: TableSchema): EntityGuess {
  const columns: ColumnGuess[] = [];
  let marker: string | undefined;
  for (const [family, { aggregate }] of table.families) {
    const byQualifier = cellsByQualifier(key, family);
    if (byQualifier.size === 0) continue;
    const counter = aggregate !== undefined;
    if (!counter && areData(byQualifier, key.rows.length)) {
      const cells = [...byQualifier.values()].flat();
      const value = guessed(cells.map(({ cell }) => cell));
      columns.push({
        kind: 'columnMap',
        family,
        qualifier: undefined,
        value,
        rows: new Set(cells.map(({ row }) => row)).size,
        qualifiers: byQualifier.size,
        versions: 1,
      });
      continue;
    }
    for (const [, cells] of [...byQualifier].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [
        {
          cell: { qualifier },
        },
      ] = cells;
      if (qualifier.length === 0 && cells.every(({ cell }) => cell.value.length === 0)) {
        marker = family;
        continue;
      }
      const perRow = new Map<number, number>();
      for (const { row } of cells) perRow.set(row, (perRow.get(row) ?? 0) + 1);
      const value = counter
        ? ({ kind: 'scalar', scalar: 'int64' } as const)
        : guessed(cells.map(({ cell }) => cell));
      columns.push({
        kind: counter ? 'counter' : 'column',
        family,
        qualifier,
        value,
        rows: perRow.size,
        qualifiers: 1,
        versions: Math.max(...perRow.values()),
      });
    }
  }
  const cellTimestamp = timestampSegment(key);
  return {
    key,
    columns,
    ...(marker === undefined ? {} : { marker }),
    ...(cellTimestamp === undefined ? {} : { cellTimestamp }),
  };
}

interface Placed {
  readonly cell: Cell;
  /** Index of the row. */
  readonly row: number;
}

function cellsByQualifier({ rows }: KeyGuess, family: string): Map<string, Placed[]> {
  const cells = new Map<string, Placed[]>();
  rows.forEach((row, i) => {
    for (const cell of row.cells) {
      if (cell.family !== family) continue;
      const name = toHex(cell.qualifier);
      const there = cells.get(name);
      if (there === undefined) cells.set(name, [{ cell, row: i }]);
      else there.push({ cell, row: i });
    }
  });
  return cells;
}

function guessed(cells: readonly Cell[]): ValueGuess {
  const step = Math.ceil(cells.length / valuesRead);
  return guessValue(cells.filter((_, i) => i % step === 0).map(({ value }) => value));
}

/**
 * Qualifiers are data where they are many and few rows share one, or where none of them reads as a
 * name.
 */
function areData(byQualifier: ReadonlyMap<string, readonly Placed[]>, rows: number): boolean {
  const names = [...byQualifier.values()].map(([{ cell }]) => cell.qualifier);
  if (!names.every((name) => name.length > 0 && isText(name))) return false;
  const unnamed = names.filter((name) => !/^[A-Za-z_]/.test(Buffer.from(name).toString())).length;
  if (names.length >= 3 && unnamed === names.length) return true;
  const shared =
    [...byQualifier.values()].reduce(
      (sum, cells) => sum + new Set(cells.map(({ row }) => row)).size,
      0,
    ) /
    names.length /
    rows;
  return names.length > 60 || (names.length > 12 && shared < 0.25);
}

/** A segment that always says the moment at which the cells were written. */
function timestampSegment({ parts, rows }: KeyGuess): string | undefined {
  for (const part of parts) {
    if (
      part.kind !== 'segment' ||
      part.type.kind !== 'timestamp' ||
      part.type.floor !== undefined ||
      part.values.length !== rows.length
    )
      continue;
    if (
      part.values.every((at, i) =>
        rows[i].cells.every(
          ({ timestamp }) => timestamp === BigInt((at as Date).getTime()) * 1000n,
        ),
      )
    )
      return part.name;
  }
  return undefined;
}
