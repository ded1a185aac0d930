/** Waiting for what other code brings about. */

const looksAtMost = 30_000;

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms));

/** Waits until the condition holds. Looks are counted, not time: a busy machine looks less often. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await holds()); looks++) {
    if (looks === looksAtMost) throw new Error(`It never held: ${holds.toString()}`);
    await pause(2);
  }
}
