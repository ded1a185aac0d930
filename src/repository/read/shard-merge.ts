/** The ordered merge of the shards of a fanned-out read: rows by their key after the shard. */
import { compareSlices } from '../../bytes/index.js';
import type { KeyCodec } from '../../key/index.js';
import type { Keyed, Pages } from './entity-pages.js';

/** Rows in one merged page. */
const pageRows = 256;

/** One shard's rows, read one page ahead. */
interface Head {
  readonly pages: Pages<Keyed>;
  rows: Keyed[];
  at: number;
  done: boolean;
}

/** Merges the pages of all shards into pages in key order. `limit` counts merged rows. */
export class ShardMerge implements Pages<object> {
  readonly #key: KeyCodec;
  readonly #sign: 1 | -1;
  readonly #heads: readonly Head[];
  #remaining: number;

  constructor(key: KeyCodec, shards: readonly Pages<Keyed>[], reversed: boolean, limit = Infinity) {
    this.#key = key;
    this.#sign = reversed ? -1 : 1;
    this.#heads = shards.map((pages) => ({ pages, rows: [], at: 0, done: false }));
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

  /** Reads the next page of every shard that has run out, all at once. */
  async #fill(): Promise<void> {
    await Promise.all(
      this.#heads.map(async (head) => {
        if (head.done || head.at < head.rows.length) return;
        head.rows = (await head.pages.next()) ?? [];
        head.at = 0;
        head.done = head.rows.length === 0;
      }),
    );
  }

  /** Takes rows in order until a shard has to be read again or the page is full. */
  #drain(heads: readonly Head[], merged: object[]): void {
    while (merged.length < pageRows && this.#remaining > 0) {
      let first = heads[0];
      for (let i = 1; i < heads.length; i++)
        if (this.#compare(heads[i], first) < 0) first = heads[i];
      merged.push(first.rows[first.at++].row);
      this.#remaining--;
      if (first.at === first.rows.length) return;
    }
  }

  #compare(a: Head, b: Head): number {
    const left = a.rows[a.at].key;
    const right = b.rows[b.at].key;
    const order = compareSlices(
      left,
      this.#key.afterShard(left, 0, left.length),
      left.length,
      right,
      this.#key.afterShard(right, 0, right.length),
      right.length,
    );
    return this.#sign * order;
  }
}
