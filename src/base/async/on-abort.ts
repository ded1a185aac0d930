/**
 * Many subscriptions to one AbortSignal through a single listener, because Node warns about a leak
 * when a signal has more than ten listeners.
 */

const subscriptions = new WeakMap<AbortSignal, Subscriptions>();

class Subscriptions {
  readonly #signal: AbortSignal;
  readonly #callbacks = new Set<() => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(callback: () => void): void {
    if (this.#callbacks.size === 0)
      this.#signal.addEventListener('abort', this.#notify, { once: true });
    this.#callbacks.add(callback);
  }

  remove(callback: () => void): void {
    // A signal may outlive many calls, so the listener is removed with the last callback.
    if (this.#callbacks.delete(callback) && this.#callbacks.size === 0)
      this.#signal.removeEventListener('abort', this.#notify);
  }

  readonly #notify = (): void => {
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback();
  };
}

/**
 * Calls `callback` once when the signal is aborted; never if it is already aborted. Returns a
 * function that unsubscribes. Subscribing the same function twice has no further effect.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let all = subscriptions.get(signal);
  if (all === undefined) {
    all = new Subscriptions(signal);
    subscriptions.set(signal, all);
  }
  all.add(callback);
  const subscribed = all;
  return () => subscribed.remove(callback);
}
