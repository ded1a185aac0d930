/** Calls that end when their signal does. */
import { onAbort } from '../store/index.js';

/**
 * The call's outcome, or a rejection with the signal's reason as soon as it is aborted; what was
 * begun goes on without anyone waiting.
 */
export function abortable<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return call;
  return new Promise<T>((resolve, reject) => {
    // The reason is the caller's own, as in every API that takes a signal.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    const unfollow = onAbort(signal, abort);
    call.then(resolve, reject).finally(unfollow);
  });
}
