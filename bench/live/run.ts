/** One run of the benchmark, and how variants are compared in it. */
import { interleave, type Variant } from '../interleave.js';
import { progress, type Results, type Target } from '../results.js';

/** The results so far, and the sizes of the tables. */
export interface Run {
  readonly results: Results;
  readonly narrowRows: number;
  readonly wideRows: number;
}

/** Bounds of ratios, by server or delay, then by variant. */
export type Targets = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Runs variants in turns. Each result shows how many times faster it is than the first variant. */
export async function race(
  { results }: Run,
  name: string,
  unit: string,
  variants: readonly Variant[],
  targets: Readonly<Record<string, number>>,
  rounds: number,
): Promise<void> {
  progress(name);
  const timings = await interleave(variants, rounds, 2);
  const [{ name: baseName }, ...others] = variants;
  const base = timings.get(baseName)!;
  results.addTiming(`${name}.${baseName}`, base, unit);
  for (const variant of others) {
    const timing = timings.get(variant.name)!;
    results.add({
      name: `${name}.${variant.name}`,
      unit,
      value: timing.median,
      min: timing.min,
      max: timing.max,
      ratio: base.median / timing.median,
      of: `x ${baseName}`,
      target: atLeast(targets[variant.name]),
    });
  }
}

function atLeast(ratio: number | undefined): Target | undefined {
  if (ratio === undefined) return undefined;
  return { kind: 'atLeast', ratio };
}
