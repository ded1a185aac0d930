/**
 * Many subscriptions to one AbortSignal through a single listener: Node warns of a leak when a
 * signal has more than ten.
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
    // A signal may outlive every call: it keeps no listener of ours without one.
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
 * Calls back once when the signal is aborted; never when it already is. Returns a function that
 * unsubscribes. A function is subscribed at most once.
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
