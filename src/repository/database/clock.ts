/** The source of cell timestamps. */

/** Returns milliseconds since 1970, like `Date.now`. Replaceable for tests. */
export type Clock = () => number;

/**
 * Returns cell timestamps in microseconds: multiples of 1,000 that never decrease, so that a write
 * made after the clock was set back is still the newest version.
 */
export function cellClock(clock: Clock): () => number {
  let last = 0;
  return () => (last = Math.max(last, Math.floor(clock()) * 1000));
}
