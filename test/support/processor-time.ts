/** Milliseconds of processor time that this process has used: a clock that stops while it waits. */
export function processorNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds of processor time that this process needs for some work. Elapsed time depends on what
 * else the machine does.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = processorNow();
  await work();
  return processorNow() - before;
}
