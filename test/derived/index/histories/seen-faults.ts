/** Which kinds of faults the histories of a test had. */
import { faultKinds } from './faulty-storage.js';

/**
 * How far a test may exceed its number of histories until each kind of fault has been injected.
 * Which one is depends on the order in which requests arrive at a server.
 */
const longest = 10;

export class SeenFaults {
  readonly #seen = new Set<string>();

  /** Adds what a history injected: lines such as `writer 0: mutateRow lost`. */
  add(injected: readonly string[]): void {
    for (const each of injected) this.#seen.add(each.replace(/^.*: \w+ |^a read /, ''));
  }

  /** Whether history `i` has to be run, of `count`; `isReal` if the faults had an effect. */
  needs(i: number, count: number, isReal = true): boolean {
    if (i < count) return true;
    return i < count * longest && !(isReal && this.#seen.size === faultKinds.length);
  }

  assertEach(): void {
    expect([...this.#seen].sort()).toEqual([...faultKinds].sort());
  }
}
