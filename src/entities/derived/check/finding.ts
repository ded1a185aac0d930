/** What a check of indexes and copies finds. */
import type { RowsmithError } from '../../../base/index.js';

/** Kinds of findings; see `FindingKind`. */
export const findingKinds = [
  'missing',
  'wrong',
  'orphan',
  'duplicate',
  'invalid',
  'stale copy',
] as const;

/**
 * - `missing`: a row has no entry.
 * - `wrong`: an entry's token or covered cells differ from its row.
 * - `orphan`: no row backs an entry.
 * - `duplicate`: two rows have one value of a unique index.
 * - `invalid`: the values of a row cannot be in the index.
 * - `stale copy`: a copy differs from its source.
 */
export type FindingKind = (typeof findingKinds)[number];

/** A fault of an index or a copy, by the keys of storage. */
export interface StoredFinding {
  readonly kind: FindingKind;
  /** Position of the index in the entity's declaration; of a copy, the one that finds it. */
  readonly index: number;
  /** The base row. */
  readonly row: Uint8Array;
  /** The entry; undefined for `invalid` and copies. */
  readonly entry?: Uint8Array | undefined;
  /** The property that holds a copy. */
  readonly property?: string | undefined;
  /** `duplicate`: the row that has the entry. */
  readonly holder?: Uint8Array | undefined;
  /** `invalid`: why. */
  readonly error?: RowsmithError | undefined;
  /** Whether the check has put it right. */
  readonly repaired: boolean;
}

/** Milliseconds before a finding is looked at again: a write on its way has ended by then. */
const settlingMillis = [5, 20, 75, 200];

/** Keeps the findings that `look` still has after each pause; the last look counts. */
export async function settled<F>(
  findings: readonly F[],
  look: (findings: readonly F[]) => Promise<F[]>,
  pauses: readonly number[] = settlingMillis,
): Promise<F[]> {
  let left = [...findings];
  for (const pause of pauses) {
    if (left.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    left = await look(left);
  }
  return left;
}

/** Maps items, at most `inFlight` of them at the same time; rejects once all of them have ended. */
export async function inTurn<T, R>(
  items: readonly T[],
  inFlight: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const i = next++;
      try {
        results[i] = await map(items[i]);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(inFlight, items.length) }, work);
  for (const worker of await Promise.allSettled(workers))
    if (worker.status === 'rejected') throw worker.reason;
  return results;
}
