/** Compares the same work on our server and on another one. */
import { interleave, type Variant } from '../interleave.js';
import { progress, type Results } from '../results.js';

/** Work on one server; resolves to the number of units. */
export type Work<S> = (server: S) => Promise<number>;

/** How a comparison is measured. */
export interface Comparison<S> {
  readonly name: string;
  readonly unit: string;
  readonly work: Work<S>;
  readonly rounds?: number;
  /** Our server must be at least this many times as fast as the other one. */
  readonly target?: number;
}

/**
 * Runs the work on both servers in turns and adds a result for each: microseconds per unit, and how
 * many times faster ours is.
 */
export async function compare<S>(
  results: Results,
  ours: S,
  other: S | undefined,
  { name, unit, work, rounds = 5, target }: Comparison<S>,
): Promise<void> {
  progress(name);
  const variants: Variant[] = [{ name: 'ours', run: () => work(ours) }];
  if (other !== undefined) variants.push({ name: 'other', run: () => work(other) });
  const timings = await interleave(variants, rounds, 1);
  const own = timings.get('ours')!;
  const theirs = timings.get('other');
  if (theirs === undefined) {
    results.addTiming(`${name}.ours`, own, unit);
    return;
  }
  results.add({
    name: `${name}.ours`,
    unit,
    value: own.median,
    min: own.min,
    max: own.max,
    ratio: theirs.median / own.median,
    of: 'times faster',
    target: target === undefined ? undefined : { kind: 'atLeast', ratio: target },
  });
  results.addTiming(`${name}.emulator`, theirs, unit);
}
