/** Progress of work that takes a while, as lines of a stream. */
import type { ProgressLine, WorkProgress } from './protocol/failure.js';

/** Milliseconds between two lines. */
const everyMs = 250;

/** Waits for work, and tells how far it is; work that is quick has no progress. */
export async function* withProgress<T>(
  work: Promise<T>,
  progress: () => WorkProgress,
): AsyncGenerator<ProgressLine, T> {
  let ended = false;
  const end = (): void => void (ended = true);
  work.then(end, end);
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const tick = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, everyMs);
    });
    await Promise.race([work, tick]).finally(() => clearTimeout(timer));
    if (ended) return work;
    yield { type: 'progress', ...progress() };
  }
}
