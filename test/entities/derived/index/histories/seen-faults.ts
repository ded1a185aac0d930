/** Which kinds of faults the histories of a test had. */
import { faultKinds } from './faulty-storage.js';

/**
 * How many histories a test may run until each kind of fault has been injected, and one had an
 * effect. That depends on the seed, and on the order in which requests arrive at a server.
 */
const maxHistories = 1000;

export class SeenFaults {
  readonly #seen = new Set<string>();

  /** Adds what a history injected: lines such as `writer 0: mutateRow lost`. */
  add(injected: readonly string[]): void {
    for (const each of injected) this.#seen.add(each.replace(/^.*: \w+ |^a read /, ''));
  }

  /** Whether history `i` has to be run, of `count`; `isReal` if the faults had an effect. */
  needs(i: number, count: number, isReal = true): boolean {
    if (i < count) return true;
    return i < Math.max(count, maxHistories) && !(isReal && this.#seen.size === faultKinds.length);
  }

  assertEach(): void {
    expect([...this.#seen].sort()).toEqual([...faultKinds].sort());
  }
}
