/**
 * Writes to rows with counters, done only while these hold what is expected: what others add
 * meanwhile is never overwritten unseen.
 */
import { RowsmithError } from '../../errors.js';
import type { Engine, Filter, RowMutation } from '../../store/index.js';
import type { MovedCell, MovedRow, RowMover } from './row-mover.js';

/** The cell of a counter, and what it should hold. */
export type ExpectedCounter = Pick<MovedCell, 'family' | 'qualifier' | 'timestamp' | 'value'>;

/**
 * A write, and the counters of its row that may be absent, or hold these values, and nothing else;
 * without any it is written whatever there is.
 */
export interface GuardedRow extends RowMutation {
  readonly counters: readonly ExpectedCounter[];
}

/** Rows under way at once: each is a call of its own. */
const inFlight = 256;
/** Milliseconds before each further try of a call that did not arrive, or whose answer did not. */
const waits = [50, 200, 1_000, 5_000, 10_000];

/**
 * Writes the rows whose counters are as expected; resolves to the others, in which nothing is
 * written. Rejects as the engine does.
 */
export async function writeGuarded(
  engine: Engine,
  table: string,
  rows: readonly GuardedRow[],
): Promise<readonly GuardedRow[]> {
  const refused: GuardedRow[] = [];
  for (let at = 0; at < rows.length; at += inFlight) {
    const some = rows.slice(at, at + inFlight);
    const found = await Promise.all(some.map((row) => writeOne(engine, table, row)));
    refused.push(...some.filter((_, i) => found[i]));
  }
  return refused;
}

/**
 * True where a counter holds another value. Engines send no such write twice by themselves; here
 * the second finds the expected values, or those of others.
 */
async function writeOne(
  engine: Engine,
  table: string,
  { key, mutations, counters }: GuardedRow,
): Promise<boolean> {
  const check = { key, predicate: anyOf(counters.map(holdsAnother)), onFalse: mutations };
  for (let tries = 0; ; tries++) {
    try {
      return await engine.checkAndMutateRow(table, check);
    } catch (error) {
      if (
        !(error instanceof RowsmithError) ||
        error.code !== 'UNAVAILABLE' ||
        tries >= waits.length
      )
        throw error;
      await new Promise((resolve) => setTimeout(resolve, waits[tries]));
    }
  }
}

function holdsAnother({ family, qualifier, timestamp, value }: ExpectedCounter): Filter {
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

function anyOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0] : { kind: 'interleave', filters };
}

/** The sums among cells that are moved: they are put in place of what is there. */
export function sumsOf(cells: readonly MovedCell[]): readonly ExpectedCounter[] {
  return cells.filter(({ aggregate }) => aggregate === 'sum');
}

/** The counters of an old row that is deleted. */
export function countersOf({ taken }: MovedRow, { from }: RowMover): readonly ExpectedCounter[] {
  return taken.filter(({ family }) => from.table.families.get(family)?.aggregate !== undefined);
}

/** What to do where two counters differ. */
export const counterAdvice =
  'let nobody add to the old rows any more, then run it again with replaceCounters (--replace-counters), which puts the old values in place of the new ones; ' +
  'what was added to new rows has to be added again';
