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

/**
 * The live back ends of this run: both, unless LIVE_BACK_END is `server` or `emulator`. CI has one,
 * which changes with the commit. Without the emulator it is the server.
 */
export function chosenLive<T>(server: T, emulator: T | undefined): readonly T[] {
  const wanted = process.env.LIVE_BACK_END;
  if (wanted === 'server' || emulator === undefined) return [server];
  if (wanted === undefined) return [server, emulator];
  if (wanted === 'emulator') return [emulator];
  throw new Error(`LIVE_BACK_END=${wanted} is neither server nor emulator`);
}
