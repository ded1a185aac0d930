/**
 * How the cost of a computation grows with its size, measured robustly on slow and busy machines.
 */

/**
 * How many times as long `run(large)` takes as `run(small)`, in CPU time, so that waiting for other
 * processes does not count. Returns the minimum of several attempts, because garbage collection and
 * cold code only add time; stops as soon as the ratio is at most `enough`.
 */
export function minGrowth(
  run: (size: number) => void,
  [small, large]: readonly [number, number],
  enough: number,
): number {
  let minGrowth = Infinity;
  for (let attempt = 0; attempt < 8 && minGrowth > enough; attempt++) {
    const largeTime = cpuTime(() => run(large));
    // Measurements below a millisecond are noise.
    const smallTime = Math.max(
      cpuTime(() => run(small)),
      1000,
    );
    minGrowth = Math.min(minGrowth, largeTime / smallTime);
  }
  return minGrowth;
}

/** User CPU time in microseconds, the minimum of two runs. */
function cpuTime(run: () => void): number {
  return Math.min(
    ...[1, 2].map(() => {
      const before = process.cpuUsage();
      run();
      return process.cpuUsage(before).user;
    }),
  );
}
