/** Calls that end when their signal does. */
import { onAbort } from './on-abort.js';

/**
 * The outcome of a call, or a rejection with the signal's reason as soon as it is aborted. The call
 * itself continues; its outcome is ignored.
 */
export function abortable<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return call;
  return new Promise<T>((resolve, reject) => {
    // The reason is the caller's own, as in every API that takes a signal.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    const unsubscribe = onAbort(signal, abort);
    call.then(resolve, reject).finally(unsubscribe);
  });
}
