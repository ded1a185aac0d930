/** The same work on our server and on another one, and how they compare. */
import { interleave, type Timing } from '../interleave.js';
import { progress, type Results, type Target } from '../results.js';

/** Work on one server: answers how many units it was. */
export type Work<S> = (server: S) => Promise<number>;

/** How a comparison is measured. */
export interface Comparison<S> {
  readonly name: string;
  readonly unit: string;
  readonly work: Work<S>;
  readonly rounds?: number;
  /** How many times ours has to be as quick as the other. */
  readonly target?: number;
}

/**
 * Runs the work on both in turns and reports a line for each: microseconds for each unit, and how
 * many times quicker ours is.
 */
export async function compare<S>(
  results: Results,
  ours: S,
  other: S | undefined,
  { name, unit, work, rounds = 5, target }: Comparison<S>,
): Promise<void> {
  progress(name);
  const timings = await interleave(
    [
      { name: 'ours', run: () => work(ours) },
      ...(other === undefined ? [] : [{ name: 'other', run: () => work(other) }]),
    ],
    rounds,
    1,
  );
  report(
    results,
    name,
    unit,
    timings.get('ours')!,
    timings.get('other'),
    target === undefined ? undefined : { kind: 'atLeast', ratio: target },
  );
}

function report(
  results: Results,
  name: string,
  unit: string,
  ours: Timing,
  other: Timing | undefined,
  target: Target | undefined,
): void {
  const add = (label: string, timing: Timing, ratio?: number): void =>
    results.add({
      name: `${name}.${label}`,
      unit,
      value: timing.median,
      min: timing.min,
      max: timing.max,
      ...(ratio === undefined
        ? {}
        : { ratio, of: 'times quicker', ...(target === undefined ? {} : { target }) }),
    });
  add('ours', ours, other === undefined ? undefined : other.median / ours.median);
  if (other !== undefined) add('emulator', other);
}
