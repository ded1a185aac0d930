/** A case of the benchmark. */
import { interleave, type Variant } from '../interleave.js';
import type { Results, Target } from '../results.js';
import type { Store } from './stores.js';

/** Runs on every store; the part of the name before the first dot selects it. */
export interface Case {
  readonly name: string;
  readonly run: (store: Store, results: Results) => Promise<void>;
}

/**
 * Runs variants in turns. Each result shows how many times faster it is than the first variant.
 */
export async function race(
  results: Results,
  name: string,
  variants: readonly Variant[],
  targets: Readonly<Record<string, number>> = {},
  rounds = 5,
): Promise<void> {
  const timings = await interleave(variants, rounds, 1);
  const [base] = variants;
  const { median } = timings.get(base.name)!;
  for (const variant of variants) {
    const timing = timings.get(variant.name)!;
    const ratio = targets[variant.name];
    const target: Target | undefined = ratio === undefined ? undefined : { kind: 'atLeast', ratio };
    results.add({
      name: `${name}.${variant.name}`,
      unit: 'us/row',
      value: timing.median,
      min: timing.min,
      max: timing.max,
      ratio: variant === base ? undefined : median / timing.median,
      of: variant === base ? undefined : `x ${base.name}`,
      target,
    });
  }
}
