/**
 * Whether a moved row is where it belongs, as far as garbage collection and later writes allow; and
 * what to delete of the old one.
 */
import { equalBytes, pointRange, printable, toHex, unionRanges } from '../../bytes/index.js';
import {
  collectRows,
  type Engine,
  type GcRule,
  type Mutation,
  type Row,
} from '../../store/index.js';
import { isInPlace, type MovedCell, type MovedRow, type RowMover } from './row-mover.js';

/** A row that is not where it belongs, and why in a sentence. */
export interface RowDifference {
  readonly row: MovedRow;
  readonly problem: string;
}

/** Reads where the rows were moved to; answers those that are not there as they should be. */
export async function differencesOf(
  engine: Engine,
  rows: readonly MovedRow[],
  mover: RowMover,
): Promise<readonly RowDifference[]> {
  const wanted = rows.filter(({ to }) => to !== undefined);
  if (wanted.length === 0) return [];
  const stored = new Map<string, Row>();
  const ranges = unionRanges(wanted.map(({ to }) => pointRange(to!)));
  for (const row of await collectRows(
    engine.readRows({ table: mover.to.table.name, ranges, reversed: false }),
  ))
    stored.set(toHex(row.key), row);
  const now = BigInt(Date.now()) * 1000n;
  return wanted.flatMap((row) => {
    const problem = rowDifference(row, stored.get(toHex(row.to!)), mover, now);
    return problem === undefined ? [] : [{ row, problem }];
  });
}

/** What is wrong with the stored row, in a sentence; undefined when nothing is. */
function rowDifference(
  { cells }: MovedRow,
  stored: Row | undefined,
  { to }: RowMover,
  nowMicros: bigint,
): string | undefined {
  for (const [i, cell] of cells.entries()) {
    const newest =
      i === 0 ||
      cells[i - 1].family !== cell.family ||
      !equalBytes(cells[i - 1].qualifier, cell.qualifier);
    const problem = cellDifference(
      cell,
      stored,
      newest,
      to.table.families.get(cell.family)?.gc,
      nowMicros,
    );
    if (problem !== undefined) return `${cell.family}:${printable(cell.qualifier)} ${problem}`;
  }
  return undefined;
}

function cellDifference(
  cell: MovedCell,
  stored: Row | undefined,
  newest: boolean,
  gc: GcRule | undefined,
  nowMicros: bigint,
): string | undefined {
  const there =
    stored?.cells.filter(
      ({ family, qualifier }) => family === cell.family && equalBytes(qualifier, cell.qualifier),
    ) ?? [];
  const same = there.find(({ timestamp }) => timestamp === cell.timestamp);
  if (same !== undefined && cell.aggregate !== undefined)
    return counterDifference(cell, same.value);
  if (same !== undefined)
    return equalBytes(same.value, cell.value) ? undefined : 'holds another value';
  // Written since the copy: the newer value is the right one.
  if (there.some(({ timestamp }) => timestamp > cell.timestamp)) return undefined;
  if (!newest && gc !== undefined) return undefined;
  return ages(gc).some((age) => nowMicros - cell.timestamp >= BigInt(age))
    ? undefined
    : 'is missing';
}

/** How the difference of a counter ends. */
export const addedTo = 'one of the two was added to';

/**
 * A sum is the same or was added to, in one row or the other; the least and the greatest may have
 * gone on in the new row.
 */
function counterDifference(
  { aggregate, value }: MovedCell,
  stored: Uint8Array,
): string | undefined {
  const [old, now] = [value, stored].map((bytes) =>
    new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0),
  );
  if (old === now || (aggregate === 'min' && now < old) || (aggregate === 'max' && now > old))
    return undefined;
  return `is ${now}, and ${old} in the old row: ${addedTo}`;
}

/** The ages in a rule, in microseconds. */
function ages(rule: GcRule | undefined): readonly number[] {
  if (rule === undefined || rule.kind === 'maxVersions') return [];
  return rule.kind === 'maxAge' ? [rule.micros] : rule.rules.flatMap(ages);
}

/**
 * Deletes the cells that were copied, up to their newest timestamp, and not what was written since;
 * nor what has its new place where it is.
 */
export function deletionsOf(
  { source, taken, to, cells }: MovedRow,
  { from, to: target }: RowMover,
): Mutation[] {
  const inPlace = to !== undefined && isInPlace(from, target, source.key, to);
  const placeOf = (family: string, qualifier: Uint8Array): string =>
    `${family}:${toHex(qualifier)}`;
  const kept = new Set(
    inPlace ? cells.map(({ family, qualifier }) => placeOf(family, qualifier)) : [],
  );
  const deletions = new Map<string, Mutation>();
  for (const { family, qualifier, timestamp } of taken) {
    const place = placeOf(family, qualifier);
    // Cells come newest first: the first of a column is the last that was copied.
    if (!kept.has(place) && !deletions.has(place))
      deletions.set(place, { kind: 'deleteFromColumn', family, qualifier, end: timestamp + 1000n });
  }
  return [...deletions.values()];
}
