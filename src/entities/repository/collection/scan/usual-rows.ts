/**
 * How many rows members without a limit have in one group, learned from the scans of a collection.
 * A scan of a live table requests about as many: more are sent in vain, and fewer take another
 * request.
 */
import type { CollectionModel } from '../plan/collection-model.js';

/** The first guess. */
const firstGuess = 100;
const minGuess = 8;
/** Another request costs as much as some 100 rows, so that guesses only sink slowly. */
const decay = 0.9;

/** By the depth of the prefix and the kind of the member. */
const guesses = new WeakMap<CollectionModel, Map<string, number>>();

/** The guesses for queries with a prefix of so many segments. */
export class UsualRows {
  readonly #byMember: Map<string, number>;
  readonly #depth: number;

  constructor(collection: CollectionModel, depth: number) {
    let byMember = guesses.get(collection);
    if (byMember === undefined) guesses.set(collection, (byMember = new Map<string, number>()));
    this.#byMember = byMember;
    this.#depth = depth;
  }

  /** About as many rows as a member has, and some more. */
  of(kind: string): number {
    return Math.ceil(this.#guess(kind));
  }

  /** A member had so many rows. */
  learn(kind: string, rows: number): void {
    const guess = Math.max(minGuess, rows * 1.5, this.#guess(kind) * decay);
    this.#byMember.set(this.#key(kind), guess);
  }

  #guess(kind: string): number {
    return this.#byMember.get(this.#key(kind)) ?? firstGuess;
  }

  #key(kind: string): string {
    return `${this.#depth} ${kind}`;
  }
}
