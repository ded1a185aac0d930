/**
 * Changes to many rows or pairs of a table, in steps that each are their own commit, so that other
 * calls get their turn in between.
 */
import { everyKey, type KeyRange } from '../../../bytes/index.js';
import type { Compaction } from '../../../store/index.js';
import type { OrderedStore, PairWriter } from '../kv/ordered-store.js';
import type { RowBuilder } from '../row/row-builder.js';
import { rangeAfter, firstKeys, firstPairs } from './row-sweep.js';
import type { TableState } from '../table/table-state.js';
import type { WriteQueue } from '../kv/write-queue.js';

/** Rows or pairs of one step of a sweep. */
const sweepRows = 500;
const sweepPairs = 5000;

/** What sweeps ask of their engine. */
export interface SweptEngine {
  /** Throws when the engine is closed. */
  check(): void;
  /** The table as it is in the step that asks; throws when there is none. */
  table(name: string): TableState;
  /** The row as it is in the step that asks. */
  draft(table: TableState, key: Uint8Array): RowBuilder;
  /** Writes the row with the step's commit. */
  save(draft: RowBuilder, writer: PairWriter): void;
  /** Microseconds since 1970. */
  now(): number;
}

/** The sweeps of one engine. */
export class TableSweeps {
  readonly #store: OrderedStore;
  readonly #queue: WriteQueue;
  readonly #engine: SweptEngine;

  constructor(store: OrderedStore, queue: WriteQueue, engine: SweptEngine) {
    this.#store = store;
    this.#queue = queue;
    this.#engine = engine;
  }

  /**
   * Does something to every row of the range, some hundred rows to a commit; `pause` is awaited
   * between two. Answers how many rows there were.
   */
  async rows(
    table: string,
    range: KeyRange,
    visit: (draft: RowBuilder, writer: PairWriter) => void,
    pause?: () => Promise<void>,
  ): Promise<number> {
    let seen = 0;
    for (let rest: KeyRange | undefined = range; rest !== undefined;) {
      const from: KeyRange = rest;
      this.#engine.check();
      rest = await this.#queue.enqueue(sweepRows, 0, (writer) => {
        const state = this.#engine.table(table);
        const keys = firstKeys(this.#store, state, from, sweepRows);
        for (const key of keys) visit(this.#engine.draft(state, key), writer);
        seen += keys.length;
        return keys.length < sweepRows ? undefined : rangeAfter(from, keys[keys.length - 1]);
      });
      if (rest !== undefined) await pause?.();
    }
    return seen;
  }

  /**
   * Applies the garbage collection rules to every row of the table; answers also how many rows it
   * looked at.
   */
  async collect(
    table: string,
    pause?: () => Promise<void>,
  ): Promise<Compaction & { readonly seen: number }> {
    this.#engine.check();
    this.#engine.table(table);
    const total = { rows: 0, cells: 0, bytes: 0 };
    const seen = await this.rows(
      table,
      everyKey,
      (draft, writer) => {
        const gone = draft.prune(this.#engine.now());
        if (gone === 0 && !draft.stale) return;
        total.cells += gone;
        total.bytes += draft.parts.droppedBytes;
        if (gone > 0 && draft.isEmpty) total.rows++;
        this.#engine.save(draft, writer);
      },
      pause,
    );
    return { ...total, seen };
  }

  /**
   * Removes all rows and parts of a table that the catalog has no more; `id` is the table's number.
   */
  async removePairs(id: number): Promise<void> {
    for (const space of ['rows', 'parts'] as const) {
      for (let left = true; left;) {
        this.#engine.check();
        left = await this.#queue.enqueue(sweepPairs, 0, (writer) => {
          const keys = firstPairs(this.#store, id, space, sweepPairs);
          for (const key of keys) writer.remove(key);
          return keys.length === sweepPairs;
        });
      }
    }
  }
}
