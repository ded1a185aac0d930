/**
 * Many calls that follow one signal. Node takes more than ten listeners of one signal for a leak
 * and warns, so they share one.
 */

const following = new WeakMap<AbortSignal, Followers>();

/** The calls that follow a signal. */
class Followers {
  readonly calls = new Set<() => void>();

  constructor(private readonly signal: AbortSignal) {}

  add(call: () => void): void {
    if (this.calls.size === 0) this.signal.addEventListener('abort', this.tell, { once: true });
    this.calls.add(call);
  }

  remove(call: () => void): void {
    // A signal may outlive all calls: nothing of them stays at it.
    if (this.calls.delete(call) && this.calls.size === 0)
      this.signal.removeEventListener('abort', this.tell);
  }

  private readonly tell = (): void => {
    const calls = [...this.calls];
    this.calls.clear();
    for (const call of calls) call();
  };
}

/**
 * Calls back once when the signal is aborted; a signal that already is calls nobody. The answer
 * ends it. The same function is added only once.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  let followers = following.get(signal);
  if (followers === undefined) following.set(signal, (followers = new Followers(signal)));
  const all = followers;
  all.add(call);
  return () => all.remove(call);
}
