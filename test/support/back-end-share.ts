/**
 * Suites that repeat their tests on every back end run twice: in `npm test` in memory, and in the
 * project `slow` on the rest (disk, our server and Google's emulator).
 */
declare const backEndShare: 'usual' | 'rest';

/** The share of this run. */
export function shareOf<T>(
  shares: Readonly<Record<typeof backEndShare, readonly T[]>>,
): readonly T[] {
  return shares[backEndShare];
}
