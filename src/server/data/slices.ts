/** Work that is divided so that other calls are served in between. */

/** Milliseconds of work after which the event loop turns. */
const maxSliceMs = 10;

/** Lets the event loop turn; rejects with the signal's reason when the call has ended meanwhile. */
export async function nextTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  signal.throwIfAborted();
}

/** Runs all steps, and returns their result. */
export async function runInSlices<T>(
  steps: Generator<void, T, void>,
  signal: AbortSignal,
): Promise<T> {
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - started < maxSliceMs) continue;
    await nextTurn(signal);
    started = performance.now();
  }
}
