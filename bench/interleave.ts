/**
 * Times things that are compared with each other in turns, so that whatever else the machine does
 * hits all of them.
 */

/** One way of doing the work. */
export interface Variant {
  readonly name: string;
  /** Does a round of the work and answers how many units (rows, calls) it was. */
  readonly run: (round: number) => number | Promise<number>;
}

/** What was measured of one variant. */
export interface Timing {
  /** Microseconds for each unit, one for each round, ascending. */
  readonly samples: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Runs every variant once a round, beginning with another one each time. The first rounds only warm
 * up.
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
      await turn();
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
  const median =
    samples.length % 2 === 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return { samples, median, min: samples[0], max: samples[samples.length - 1] };
}

/** Lets what a variant left behind (a walk to close) happen before the next one is timed. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
