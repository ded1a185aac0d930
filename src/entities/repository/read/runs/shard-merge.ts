/** Merges the shards of a fanned-out read, ordered by the part of the key after the shard. */
import { compareSlices } from '../../../../base/index.js';
import type { KeyCodec } from '../../../../data/key/index.js';
import type { Keyed, Pages } from '../rows/entity-pages.js';

/** Maximum rows in a merged page. */
const pageRows = 256;

/** The current page of one shard. */
interface Head {
  readonly pages: Pages<Keyed>;
  rows: Keyed[];
  /** Index of the next row. */
  next: number;
  done: boolean;
}

/** Merges the pages of all shards into pages in key order. `limit` is the total number of rows. */
export class ShardMerge implements Pages<object> {
  readonly #key: KeyCodec;
  readonly #sign: 1 | -1;
  readonly #heads: readonly Head[];
  #remaining: number;

  constructor(key: KeyCodec, shards: readonly Pages<Keyed>[], reversed: boolean, limit = Infinity) {
    this.#key = key;
    this.#sign = reversed ? -1 : 1;
    this.#heads = shards.map((pages) => ({ pages, rows: [], next: 0, done: false }));
    this.#remaining = limit;
  }

  async next(): Promise<object[] | undefined> {
    try {
      return await this.#next();
    } catch (error) {
      // The other shards' reads would stay open.
      await this.close();
      throw error;
    }
  }

  async #next(): Promise<object[] | undefined> {
    const merged: object[] = [];
    while (merged.length < pageRows && this.#remaining > 0) {
      await this.#fill();
      const heads = this.#heads.filter((head) => !head.done);
      if (heads.length === 0) break;
      this.#drain(heads, merged);
    }
    if (merged.length > 0) return merged;
    await this.close();
    return undefined;
  }

  async close(): Promise<void> {
    this.#remaining = 0;
    await Promise.all(this.#heads.map((head) => head.pages.close()));
  }

  /** Reads the next page of every shard that has used up its page, concurrently. */
  async #fill(): Promise<void> {
    await Promise.all(
      this.#heads.map(async (head) => {
        if (head.done || head.next < head.rows.length) return;
        head.rows = (await head.pages.next()) ?? [];
        head.next = 0;
        head.done = head.rows.length === 0;
      }),
    );
  }

  /** Moves rows to `merged` in order until a shard's page is used up or `merged` is full. */
  #drain(heads: readonly Head[], merged: object[]): void {
    while (merged.length < pageRows && this.#remaining > 0) {
      let first = heads[0];
      for (let i = 1; i < heads.length; i++)
        if (this.#compare(heads[i], first) < 0) first = heads[i];
      merged.push(first.rows[first.next++].row);
      this.#remaining--;
      if (first.next === first.rows.length) return;
    }
  }

  #compare(a: Head, b: Head): number {
    const left = a.rows[a.next].key;
    const right = b.rows[b.next].key;
    const order = compareSlices(
      left,
      this.#key.shardEnd(left, 0, left.length),
      left.length,
      right,
      this.#key.shardEnd(right, 0, right.length),
      right.length,
    );
    return this.#sign * order;
  }
}
