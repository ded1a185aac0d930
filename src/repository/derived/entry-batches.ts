/** Reads the entries of an index in batches, each with the key of the row that it leads to. */
import { copyBytes, rangeContains } from '../../bytes/index.js';
import { type QueryPlan, rangesAfter, readPlansOf } from '../../query/index.js';
import { openWrappedRows, type Pages } from '../read/entity-pages.js';
import type { RunOptions } from '../read/query-run.js';
import type { IndexTarget } from './index-target.js';

/** An entry, with the key of its row. */
export interface FoundEntry {
  readonly key: Uint8Array;
  readonly row: Uint8Array;
}

/** Entries that are read at least and at most for rows that are still missing. */
const minFurtherEntries = 16;
const maxFurtherEntries = 4096;

/** The entries of a plan, in its order. */
export class EntryBatches {
  readonly #target: IndexTarget;
  readonly #plan: QueryPlan;
  readonly #signal: AbortSignal | undefined;
  /** Entries that the storage returns at most; undefined for all. */
  #limit: number | undefined;
  #left: number;
  #after: Uint8Array | undefined;
  #pages: Pages<FoundEntry> | undefined;
  #closed = false;

  constructor(target: IndexTarget, plan: QueryPlan, { limit, after, signal }: RunOptions) {
    this.#target = target;
    this.#plan = plan;
    this.#signal = signal;
    this.#limit = limit;
    this.#left = limit ?? Infinity;
    this.#after = after;
  }

  /** Whether the current read may have more entries: they can be read before they are needed. */
  get continues(): boolean {
    return this.#left > 0;
  }

  /**
   * The next entries, or undefined at the end. When as many were returned as the limit, reads on
   * with a larger one: rows are still missing.
   */
  async next(): Promise<FoundEntry[] | undefined> {
    while (!this.#closed) {
      this.#pages ??= this.#open();
      const page = await this.#pages.next();
      if (page !== undefined) {
        this.#left -= page.length;
        this.#after = page[page.length - 1].key;
        return page;
      }
      if (this.#limit === undefined || this.#left > 0) return undefined;
      await this.#pages.close();
      const further = Math.max(this.#limit * 4, minFurtherEntries);
      this.#left = this.#limit = Math.min(further, maxFurtherEntries);
      this.#pages = undefined;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pages?.close();
  }

  #open(): Pages<FoundEntry> {
    const { entry, entryContext } = this.#target;
    const after = this.#after;
    const [read] = readPlansOf(entry, this.#plan, this.#limit);
    const { ranges, reversed } = read;
    const rest = after === undefined ? ranges : rangesAfter(ranges, after, reversed);
    const rowKeyOf = this.#rowKeys();
    return openWrappedRows<FoundEntry>(
      entryContext,
      entry,
      this.#plan,
      { ...read, ranges: rest },
      {
        signal: this.#signal,
        wrap: (values, { keyBytes, keyStart, keyEnd }) => {
          const row = rowKeyOf(values as Readonly<Record<string, unknown>>);
          // Skipped rows do not count towards the limit, so that an entry without a row stays.
          return { key: copyBytes(keyBytes, keyStart, keyEnd), row };
        },
      },
    );
  }

  /** The key of the row that an entry leads to; empty if there is none in the scope. */
  #rowKeys(): (values: Readonly<Record<string, unknown>>) => Uint8Array {
    const { model, holder } = this.#target;
    if (holder === undefined) return (values) => model.key.encode(values);
    const ranges = model.key.scope?.ranges;
    return (values) => {
      const key = values[holder.property];
      if (!(key instanceof Uint8Array)) return noRow;
      const isInside = ranges?.some((range) => rangeContains(range, key)) ?? true;
      return isInside ? key : noRow;
    };
  }
}

const noRow = new Uint8Array();
