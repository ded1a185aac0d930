/** Times that only tests change, so that they need no long waits. */

/**
 * A process shows that it runs by the time of its owner file, for processes of other containers,
 * which cannot see it. They wait for a new time, `silent`, or `shortSilent` if the time is more
 * than `old` ago. All in milliseconds; the same for all processes that open a directory.
 */
export interface OwnerSigns {
  readonly interval: number;
  readonly silent: number;
  readonly shortSilent: number;
  readonly old: number;
}

export interface DiskTuning {
  readonly signs: OwnerSigns;
}

export const defaultTuning: DiskTuning = {
  signs: { interval: 2000, silent: 20_000, shortSilent: 5000, old: 60_000 },
};
