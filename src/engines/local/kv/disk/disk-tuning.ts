/** Sizes and times that only tests change, so that they need no large files and no long waits. */

const mebibyte = 1024 * 1024;

/**
 * A process shows that it runs by the time of its owner file, for processes of other containers,
 * which cannot see it. They wait for a new time, `silent`, or `shortSilent` if the time is more
 * than `old` ago. All in milliseconds.
 */
export interface OwnerSigns {
  readonly interval: number;
  readonly silent: number;
  readonly shortSilent: number;
  readonly old: number;
  /** After so long without a sign, the owner looks for a newer owner before it writes. */
  readonly late: number;
}

export interface DiskTuning {
  /** Larger files are verified while they are used (lazy-check.ts); this much takes about 0.1 s. */
  readonly maxVerifiedBytes: number;
  /** The same for all processes that open a directory. */
  readonly signs: OwnerSigns;
}

export const defaultTuning: DiskTuning = {
  maxVerifiedBytes: 64 * mebibyte,
  signs: { interval: 2000, silent: 20_000, shortSilent: 5000, old: 60_000, late: 10_000 },
};
