/** Timestamps of cells. */

/** Milliseconds since 1970, as Date.now. Settable for tests. */
export type Clock = () => number;

/**
 * Microseconds for cells, a multiple of 1,000 and never less than the time before: a clock that is
 * set back must not hide a newer write behind an older timestamp.
 */
export function cellClock(clock: Clock): () => number {
  let last = 0;
  return () => (last = Math.max(last, Math.floor(clock()) * 1000));
}
