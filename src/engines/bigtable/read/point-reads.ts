/**
 * Batches reads of single rows: reads that start in one turn of the event loop, with the same table
 * and filter, share requests of about 16 keys. A server reads the keys of a request sequentially,
 * and a request costs as much as reading many keys.
 */
import { compareBytes, type KeyRange } from '../../../base/index.js';
import type { RetainedRow } from '../../protocol/index.js';
import {
  type Filter,
  type ReadPlan,
  type RowCursor,
  type RowStream,
} from '../../../data/store/index.js';
import { onOptionalAbort } from '../channel/call-parts.js';
import { type ReadContext, ReadStream } from './read-stream.js';

/**
 * Maximum number of keys per request. With the longest keys and the largest filter a request has 84
 * KiB, of the 512 KiB that the API allows.
 */
export const keysPerRequest = 16;

/** Batches reads of single rows. */
export class PointReads {
  /**
   * The reads of the next requests by table and filter. Filters are compared by identity: a query
   * is compiled once.
   */
  #pending = new Map<string, Map<Filter | undefined, PointStream[]>>();
  #scheduled = false;

  readonly #context: ReadContext;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** A stream for a plan with a single row. */
  open(plan: ReadPlan, signal?: AbortSignal): RowStream {
    return new PointStream(this, plan, signal);
  }

  /** Adds a read to the next request. */
  add({ table, filter }: ReadPlan, reader: PointStream): void {
    let filters = this.#pending.get(table);
    if (filters === undefined) {
      filters = new Map<Filter | undefined, PointStream[]>();
      this.#pending.set(table, filters);
    }
    const group = filters.get(filter);
    if (group === undefined) filters.set(filter, [reader]);
    else group.push(reader);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#send);
  }

  readonly #send = (): void => {
    const pending = this.#pending;
    this.#pending = new Map<string, Map<Filter | undefined, PointStream[]>>();
    this.#scheduled = false;
    for (const [table, filters] of pending) {
      for (const [filter, group] of filters) {
        const readers = group
          .filter(({ isWaiting }) => isWaiting)
          .sort((a, b) => compareBytes(a.range.start, b.range.start));
        for (const part of evenParts(readers, keysPerRequest))
          void new Batch(this.#context, table, filter, part).run();
      }
    }
  };
}

/** Splits the list into as few parts of at most `max` items as possible, of about equal length. */
export function evenParts<T>(list: readonly T[], max: number): T[][] {
  const parts = Math.ceil(list.length / max);
  return Array.from({ length: parts }, (_, i) =>
    list.slice(Math.floor((i * list.length) / parts), Math.floor(((i + 1) * list.length) / parts)),
  );
}

/** One request. Its readers are sorted by key; several may read the same row. */
class Batch {
  readonly #stream: ReadStream;
  /** Index of the first reader without a result. */
  #next = 0;

  readonly #readers: readonly PointStream[];

  constructor(
    context: ReadContext,
    table: string,
    filter: Filter | undefined,
    readers: readonly PointStream[],
  ) {
    this.#readers = readers;
    const ranges = readers
      .map(({ range }) => range)
      .filter((range, i, all) => i === 0 || compareBytes(all[i - 1].start, range.start) !== 0);
    this.#stream = new ReadStream(
      context,
      { table, ranges, reversed: false, filter },
      {},
      'points',
    );
    for (const reader of readers) reader.batch = this;
  }

  /** Reads to the end; each reader gets its row as soon as it arrives. */
  async run(): Promise<void> {
    try {
      for (;;) {
        const row = await this.#stream.nextRow();
        if (row === undefined) break;
        this.#deliver(row);
      }
      for (const reader of this.#readers.slice(this.#next)) reader.resolve(undefined);
    } catch (error) {
      for (const reader of this.#readers.slice(this.#next)) reader.fail(error);
    }
  }

  /** Cancels the request if no reader is waiting for a row. */
  cancelIfUnused(): void {
    if (!this.#readers.some(({ isWaiting }) => isWaiting)) void this.#stream.close();
  }

  #deliver(row: RetainedRow): void {
    for (; this.#next < this.#readers.length; this.#next++) {
      const reader = this.#readers[this.#next];
      const order = row.compareKey(reader.range.start);
      if (order < 0) return;
      if (order === 0) reader.resolve(row);
      // Rows arrive in order, so there is no row with this smaller key.
      else reader.resolve(undefined);
    }
  }
}

/** The stream of one reader: at most one page with one row. */
class PointStream implements RowStream {
  readonly range: KeyRange;
  /** The request, once it was sent. */
  batch: Batch | undefined;
  #started = false;
  #unsubscribe: (() => void) | undefined;
  #resolve: ((page: RowCursor | undefined) => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  readonly #reads: PointReads;
  readonly #plan: ReadPlan;
  readonly #signal: AbortSignal | undefined;

  constructor(reads: PointReads, plan: ReadPlan, signal: AbortSignal | undefined) {
    this.#reads = reads;
    this.#plan = plan;
    this.#signal = signal;
    [this.range] = plan.ranges;
  }

  /** Whether `next` is pending. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  // The caller's own reason, as in every API with a signal.
  /* oxlint-disable typescript/prefer-promise-reject-errors */
  next(): Promise<RowCursor | undefined> {
    if (this.#signal?.aborted === true) return Promise.reject(this.#signal.reason);
    if (this.#started) return Promise.resolve(undefined);
    this.#started = true;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#unsubscribe = onOptionalAbort(this.#signal, this.#abort);
      this.#reads.add(this.#plan, this);
    });
  }

  async close(): Promise<void> {
    this.#started = true;
    if (!this.isWaiting) return;
    this.resolve(undefined);
    this.batch?.cancelIfUnused();
  }

  /** Resolves `next` with the row, or with undefined if it does not exist. */
  resolve(row: RetainedRow | undefined): void {
    this.#resolve?.(row?.cursor());
    this.#settled();
  }

  /** Rejects `next` with the error of the request. */
  fail(error: unknown): void {
    this.#reject?.(error);
    this.#settled();
  }

  readonly #abort = (reason: unknown): void => {
    this.fail(reason);
    this.batch?.cancelIfUnused();
  };

  #settled(): void {
    this.#resolve = this.#reject = undefined;
    this.#unsubscribe?.();
  }
}
