/** Measures variants in turns, so that other work on the machine affects all of them equally. */

/** A variant to be measured. */
export interface Variant {
  readonly name: string;
  /** Does one round of work and returns its number of units (rows, calls). */
  readonly run: (round: number) => number | Promise<number>;
}

/** Measurements of a variant. */
export interface Timing {
  /** Microseconds per unit, one for each round, ascending. */
  readonly samples: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Runs every variant once in each round, each time in a different order. `warmUp` rounds come
 * first.
 */
export async function interleave(
  variants: readonly Variant[],
  rounds: number,
  warmUp: number,
  tick: () => void = () => {},
): Promise<ReadonlyMap<string, Timing>> {
  const samples = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (let i = 0; i < variants.length; i++) {
      const { name, run } = variants[(i + round + warmUp) % variants.length];
      await nextTurn();
      const started = performance.now();
      const counted = run(round + warmUp);
      const units = typeof counted === 'number' ? counted : await counted;
      const micros = ((performance.now() - started) * 1000) / units;
      if (round >= 0) samples.get(name)!.push(micros);
    }
    tick();
  }
  return new Map([...samples].map(([name, values]) => [name, timingOf(values)]));
}

/** Median and spread of samples. */
export function timingOf(values: readonly number[]): Timing {
  const samples = [...values].sort((a, b) => a - b);
  const middle = samples.length >> 1;
  let median = samples[middle];
  if (samples.length % 2 === 0) median = (samples[middle - 1] + median) / 2;
  return { samples, median, min: samples[0], max: samples[samples.length - 1] };
}

/** Runs pending work of the last variant (such as closing an iterator) before the next one. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
