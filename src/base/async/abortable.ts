/** Promises that reject when a signal is aborted. */
import { onAbort } from './on-abort.js';

/**
 * Settles as `call` does, or rejects with the signal's reason as soon as it is aborted. The call
 * itself continues; its outcome is then ignored.
 */
export function abortable<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return call;
  return new Promise<T>((resolve, reject) => {
    // The reason belongs to the caller and need not be an Error.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    const unsubscribe = onAbort(signal, abort);
    call.then(resolve, reject).finally(unsubscribe);
  });
}
