/** CheckAndMutateRow: a check and a write that are atomic, however long the check takes. */
import { pointRange, RowsmithError, type FaultTexts } from '../../base/index.js';
import type { CheckAndMutate, ReadOptions, ReadPlan, RowStream } from '../../data/store/index.js';
import { mutationBytes } from './arguments.js';
import type { PairWriter } from './kv/ordered-store.js';
import { rowStoreKey } from './kv/store-key.js';
import type { PairWatch, WriteQueue } from './kv/write-queue.js';
import type { PageCursor } from './read/page-cursor.js';
import { RowTakesLong } from './read/filter/row-filtering.js';
import { checkFamilies } from './row/record/apply-mutations.js';
import type { RowWrites } from './row/row-writes.js';
import type { TableState } from './table/table-state.js';

/** Times that a predicate is evaluated on a row that is written meanwhile. */
const maxAttempts = 10;

/** What a check needs of the engine. */
export interface CheckContext {
  readonly queue: WriteQueue;
  readonly writes: RowWrites;
  /** The table as it is now; throws if it was dropped, or the engine closed. */
  readonly tableState: (name: string) => TableState;
  readonly cursor: (table: TableState, plan: ReadPlan) => PageCursor;
  readonly readRows: (plan: ReadPlan, options: ReadOptions) => RowStream;
}

/** A check with valid arguments. */
export type CheckedCheck = Required<Omit<CheckAndMutate, 'predicate'>> &
  Pick<CheckAndMutate, 'predicate'>;

/**
 * Evaluates the predicate and applies its branch within a commit. Undefined when the predicate
 * takes longer than some milliseconds; nothing has been written then.
 */
export function checkNow(
  context: CheckContext,
  table: string,
  check: CheckedCheck,
  writer: PairWriter,
): boolean | undefined {
  const cursor = context.cursor(context.tableState(table), planOf(table, check));
  const matched = matchesNow(cursor, context.writes.nowMicros());
  if (matched !== undefined) applyBranch(context, table, check, matched, writer);
  return matched;
}

/**
 * Evaluates the predicate before the commit, in many turns of the event loop, and again if the row
 * was written meanwhile.
 */
export async function checkLater(
  context: CheckContext,
  table: string,
  check: CheckedCheck,
  options: ReadOptions,
): Promise<boolean> {
  const { queue, tableState } = context;
  const bytes = mutationBytes(check.onTrue) + mutationBytes(check.onFalse);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const state = tableState(table);
    const watch = queue.watch(rowStoreKey(state.id, check.key));
    try {
      const matched = await matchesLater(context.readRows(planOf(table, check), options), watch);
      const written = await queue.enqueue(1, bytes, (writer) => {
        if (watch.changed || tableState(table) !== state) return false;
        applyBranch(context, table, check, matched, writer);
        return true;
      });
      if (written) return matched;
    } finally {
      watch.release();
    }
  }
  throw new RowsmithError('LIMIT_EXCEEDED', { property: 'predicate', ...faults.changedMeanwhile });
}

function planOf(table: string, { key, predicate }: CheckedCheck): ReadPlan {
  return { table, ranges: [pointRange(key)], reversed: false, filter: predicate };
}

function applyBranch(
  { writes, tableState }: CheckContext,
  table: string,
  { key, onTrue, onFalse }: CheckedCheck,
  matched: boolean,
  writer: PairWriter,
): void {
  const [mutations, others] = matched ? [onTrue, onFalse] : [onFalse, onTrue];
  checkFamilies(tableState(table), others);
  if (mutations.length > 0) writes.applyMutations(table, { key, mutations }, writer);
}

/** Whether the predicate matches the row; undefined if that takes too long. */
function matchesNow(cursor: PageCursor, now: number): boolean | undefined {
  cursor.beginPage(1, now);
  try {
    return cursor.nextRow();
  } catch (error) {
    if (error instanceof RowTakesLong) return undefined;
    throw error;
  } finally {
    cursor.close();
  }
}

/** The same in many turns; the result is of no use once the row has changed. */
async function matchesLater(rows: RowStream, watch: PairWatch): Promise<boolean> {
  try {
    for (let page = await rows.next(); page !== undefined; page = await rows.next()) {
      if (page.nextRow()) return true;
      if (watch.changed) return false;
    }
    return false;
  } finally {
    await rows.close();
  }
}

const faults = {
  changedMeanwhile: {
    problem: `the row was written ${maxAttempts} times while the predicate was evaluated`,
    fix: 'use a predicate of fewer steps, or one that selects columns first',
  },
} satisfies FaultTexts;
