/**
 * Conditional writes to rows with counters: a row is written only if its counters hold the expected
 * values, so that concurrent increments are not overwritten.
 */
import { allEnded, RowsmithError } from '../../../base/index.js';
import type { CheckAndMutate, Engine, Filter, RowMutation } from '../../../data/store/index.js';
import type { MovedCell, MovedRow } from './moved-row.js';
import type { RowMover } from './row-mover.js';

/** The cell of a counter with its expected value. */
export type ExpectedCounter = Pick<MovedCell, 'family' | 'qualifier' | 'timestamp' | 'value'>;

/**
 * A write that is applied only if each of these counters has its expected value or does not exist.
 * Without counters it is applied unconditionally.
 */
export interface GuardedRow extends RowMutation {
  readonly counters: readonly ExpectedCounter[];
}

/** Maximum number of rows in flight: each is a separate call. */
const maxInFlight = 256;
/** Milliseconds before each further attempt of a call that failed with UNAVAILABLE. */
const retryDelays = [50, 200, 1_000, 5_000, 10_000];

/**
 * Writes the rows with counters that have their expected values. Returns the other rows, which it
 * does not write. Rejects if the engine does.
 */
export async function writeGuarded(
  engine: Engine,
  table: string,
  rows: readonly GuardedRow[],
): Promise<readonly GuardedRow[]> {
  const conflicting: GuardedRow[] = [];
  for (let i = 0; i < rows.length; i += maxInFlight) {
    const batch = rows.slice(i, i + maxInFlight);
    const written = await allEnded(batch.map((row) => writeOne(engine, table, row)));
    conflicting.push(...batch.filter((_, j) => !written[j]));
  }
  return conflicting;
}

/**
 * Returns false if a counter has another value. Retries here, because engines do not retry
 * conditional writes: a repeated one finds either the expected values, or changes by other writers.
 */
async function writeOne(
  engine: Engine,
  table: string,
  { key, mutations, counters }: GuardedRow,
): Promise<boolean> {
  const predicate = anyOf(counters.map(hasOtherValue));
  const check: CheckAndMutate = { key, predicate, onFalse: mutations };
  const started = performance.now();
  const { totalTimeoutMs = Infinity } = engine;
  for (let attempts = 0; ; attempts++) {
    try {
      return !(await engine.checkAndMutateRow(table, check));
    } catch (error) {
      if (!isUnavailable(error) || attempts >= retryDelays.length) throw error;
      const delayMs = retryDelays[attempts];
      if (performance.now() - started + delayMs >= totalTimeoutMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof RowsmithError && error.code === 'UNAVAILABLE';
}

function hasOtherValue({ family, qualifier, timestamp, value }: ExpectedCounter): Filter {
  const bound = { value, inclusive: false };
  return {
    kind: 'chain',
    filters: [
      { kind: 'columns', columns: [{ family, qualifiers: [qualifier] }] },
      { kind: 'timestampRange', start: timestamp, end: timestamp + 1000n },
      anyOf([
        { kind: 'valueRange', end: bound },
        { kind: 'valueRange', start: bound },
      ]),
    ],
  };
}

/** An interleave, which needs at least two filters. */
function anyOf(filters: readonly Filter[]): Filter {
  if (filters.length === 1) return filters[0];
  return { kind: 'interleave', filters };
}

/** The sums among moved cells: they replace stored ones, which must not have been added to. */
export function sumsOf(cells: readonly MovedCell[]): readonly ExpectedCounter[] {
  return cells.filter(({ aggregate }) => aggregate === 'sum');
}

/** The aggregates of an old row that is deleted. */
export function countersOf({ taken }: MovedRow, { from }: RowMover): readonly ExpectedCounter[] {
  return taken.filter(({ family }) => from.table.families.get(family)?.aggregate !== undefined);
}

/** What to do if a counter differs between the old and the new row. */
export const counterAdvice =
  'stop adding to the old rows, then run it again with replaceCounters (--replace-counters), which ' +
  'replaces the new values with the old ones; repeat what was added to new rows';
