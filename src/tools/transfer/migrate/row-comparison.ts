/**
 * Compares moved rows with what is stored, allowing for garbage collection and later writes; and
 * determines what to delete of the old rows.
 */
import {
  equalBytes,
  pointRange,
  printable,
  toHex,
  unionRanges,
  type FaultTexts,
  type ProblemText,
} from '../../../base/index.js';
import { type EntityModel, qualifiersOf } from '../../../entities/model/index.js';
import {
  collectRows,
  type Engine,
  type GcRule,
  type Mutation,
  type Row,
} from '../../../data/store/index.js';
import { counterAdvice } from './counter-guard.js';
import { isInPlace, type MovedCell, type MovedRow } from './moved-row.js';
import type { RowMover } from './row-mover.js';

/** What differs, and how to resolve it, in a sentence each. */
interface Difference {
  readonly problem: string;
  readonly fix: string;
}

/** A row that is not stored as it was moved. */
export interface RowDifference extends Difference {
  readonly row: MovedRow;
}

/** Reads the new rows and returns the differing ones. */
export async function rowDifferences(
  engine: Engine,
  rows: readonly MovedRow[],
  mover: RowMover,
): Promise<readonly RowDifference[]> {
  const expected = rows.filter(({ to }) => to !== undefined);
  if (expected.length === 0) return [];
  const stored = new Map<string, Row>();
  const ranges = unionRanges(expected.map(({ to }) => pointRange(to!)));
  const plan = { table: mover.to.table.name, ranges, reversed: false };
  for (const row of await collectRows(engine.readRows(plan))) stored.set(toHex(row.key), row);
  const now = BigInt(Date.now()) * 1000n;
  return expected.flatMap((row) => {
    const difference = rowDifference(row, stored.get(toHex(row.to!)), mover, now);
    if (difference === undefined) return [];
    return [{ row, ...difference }];
  });
}

/** The first difference of a row; undefined if there is none. */
function rowDifference(
  { cells }: MovedRow,
  stored: Row | undefined,
  { to }: RowMover,
  nowMicros: bigint,
): Difference | undefined {
  for (const [i, cell] of cells.entries()) {
    // The library writes copies, whatever was moved.
    if (isCopy(to, cell)) continue;
    const isNewest =
      i === 0 ||
      cells[i - 1].family !== cell.family ||
      !equalBytes(cells[i - 1].qualifier, cell.qualifier);
    const gc = to.table.families.get(cell.family)?.gc;
    const difference = cellDifference(cell, stored, isNewest, gc, nowMicros);
    if (difference === undefined) continue;
    const column = `${cell.family}:${printable(cell.qualifier)}`;
    return { ...difference, ...faults.differentColumn(column, difference.problem) };
  }
  return undefined;
}

function isCopy({ copies = [] }: EntityModel, { family, qualifier }: MovedCell): boolean {
  const columns = copies.flatMap((copy) => copy.columns.map(({ to }) => to));
  return columns.some(
    (column) =>
      column.family === family && qualifiersOf(column).some((each) => equalBytes(each, qualifier)),
  );
}

function cellDifference(
  cell: MovedCell,
  stored: Row | undefined,
  isNewest: boolean,
  gc: GcRule | undefined,
  nowMicros: bigint,
): Difference | undefined {
  const column =
    stored?.cells.filter(
      ({ family, qualifier }) => family === cell.family && equalBytes(qualifier, cell.qualifier),
    ) ?? [];
  const same = column.find(({ timestamp }) => timestamp === cell.timestamp);
  if (same !== undefined) return valueDifference(cell, same.value);
  // Written since the copy: the newer value is the right one.
  if (column.some(({ timestamp }) => timestamp > cell.timestamp)) return undefined;
  if (!isNewest && gc !== undefined) return undefined;
  if (maxAges(gc).some((age) => nowMicros - cell.timestamp >= BigInt(age))) return undefined;
  return cellProblem(faults.missingCell);
}

function valueDifference(cell: MovedCell, stored: Uint8Array): Difference | undefined {
  if (cell.aggregate !== undefined) return counterDifference(cell, stored);
  if (equalBytes(stored, cell.value)) return undefined;
  return cellProblem(faults.differentValue);
}

function cellProblem({ problem }: ProblemText): Difference {
  return faults.differentCell(problem);
}

/**
 * Sums must be equal: otherwise the old or the new row was added to. A minimum or maximum may have
 * been exceeded in the new row.
 */
function counterDifference(
  { aggregate, value }: MovedCell,
  stored: Uint8Array,
): Difference | undefined {
  const [old, now] = [value, stored].map((bytes) =>
    new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0),
  );
  if (old === now) return undefined;
  if (aggregate === 'min' && now < old) return undefined;
  if (aggregate === 'max' && now > old) return undefined;
  return faults.differentCounter(now, old);
}

/** The maximum ages in a rule, in microseconds. */
function maxAges(rule: GcRule | undefined): readonly number[] {
  if (rule === undefined || rule.kind === 'maxVersions') return [];
  if (rule.kind === 'maxAge') return [rule.micros];
  return rule.rules.flatMap(maxAges);
}

/**
 * Deletes the copied cells up to the newest timestamp of each column, and not what was written
 * since; nor columns that the new row uses, if it is the same row.
 */
export function deletionsOf(
  { source, taken, to, cells }: MovedRow,
  { from, to: target }: RowMover,
): Mutation[] {
  const columnOf = (family: string, qualifier: Uint8Array): string =>
    `${family}:${toHex(qualifier)}`;
  const kept = new Set<string>();
  if (to !== undefined && isInPlace(from, target, source.key, to))
    for (const { family, qualifier } of cells) kept.add(columnOf(family, qualifier));
  const deletions = new Map<string, Mutation>();
  for (const { family, qualifier, timestamp } of taken) {
    const column = columnOf(family, qualifier);
    // Cells are ordered newest first: the first of a column has the newest timestamp.
    if (!kept.has(column) && !deletions.has(column))
      deletions.set(column, {
        kind: 'deleteFromColumn',
        family,
        qualifier,
        end: timestamp + 1000n,
      });
  }
  return [...deletions.values()];
}

const faults = {
  differentColumn: (column: string, problem: string) => ({ problem: `${column} ${problem}` }),
  missingCell: { problem: 'is missing' },
  differentValue: { problem: 'has a different value' },
  differentCell: (problem: string) => ({
    problem,
    fix: 'run the migration again to copy what was written since; nothing was deleted',
  }),
  differentCounter: (now: bigint, old: bigint) => ({
    problem: `is ${now}, and ${old} in the old row: one of the two was added to`,
    fix: counterAdvice,
  }),
} satisfies FaultTexts;
