/**
 * How the cost of a computation grows with its size, told so that a slow or busy machine gives the
 * same answer as a quiet one.
 */

/**
 * Times as long that `run(large)` takes as `run(small)`, in time of the processor and not of the
 * clock on the wall, so that waiting for other processes does not count. The least of several
 * tries, because collecting garbage and cold code only ever add; tries end as soon as one is at
 * most `enough`.
 */
export function leastGrowth(
  run: (size: number) => void,
  [small, large]: readonly [number, number],
  enough: number,
): number {
  let least = Infinity;
  for (let tries = 0; tries < 8 && least > enough; tries++) {
    // Below a millisecond a measure is noise.
    least = Math.min(
      least,
      processorTime(() => run(large)) /
        Math.max(
          processorTime(() => run(small)),
          1000,
        ),
    );
  }
  return least;
}

/** Microseconds of this process' user time, of the better of two runs. */
function processorTime(run: () => void): number {
  return Math.min(
    ...[1, 2].map(() => {
      const before = process.cpuUsage();
      run();
      return process.cpuUsage(before).user;
    }),
  );
}
