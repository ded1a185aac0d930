/** Where a pattern is seen: the busiest ranges of a window, for the picture. */
import type { KeySample } from '../access-log.js';
import type { Buckets } from '../grid/buckets.js';
import type { EntityWindow } from './entity-traffic.js';
import type { FindingPlace } from './finding.js';
import { countsOf, maxGap } from './window-figures.js';

/** Places of a window, at most. */
const maxPlaces = 8;

/** The busiest 5 % of a window's ranges, as runs of neighbours. */
export function busyPlaces(
  { start, samples }: Pick<EntityWindow, 'start' | 'samples'>,
  buckets: Buckets,
  chosen: (sample: KeySample) => boolean = () => true,
): readonly FindingPlace[] {
  const counts = countsOf(samples.filter(chosen), buckets);
  const most = Math.max(1, Math.floor(buckets.count / 20));
  const busy = [...counts.keys()]
    .filter((bucket) => counts[bucket] > 0)
    .sort((a, b) => counts[b] - counts[a])
    .slice(0, most)
    .sort((a, b) => a - b);
  const runs: { from: number; to: number; count: number }[] = [];
  for (const bucket of busy) {
    const run = runs.at(-1);
    if (run !== undefined && bucket - run.to <= maxGap + 1) {
      run.to = bucket;
      run.count += counts[bucket];
    } else runs.push({ from: bucket, to: bucket, count: counts[bucket] });
  }
  return runs
    .sort((a, b) => b.count - a.count)
    .slice(0, maxPlaces)
    .map(({ from, to }) => ({ start, first: buckets.start(from), last: buckets.last(to) }));
}

/** Whether an operation is a write. */
export function isWrite({ kind }: KeySample): boolean {
  return kind === 'write';
}
