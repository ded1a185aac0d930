/**
 * Reads of single rows, gathered: those that begin in one turn of the event loop, over one table
 * and with one filter, become requests of about 16 keys. A server reads the keys of a request one
 * after another, and each request costs as much as reading many keys.
 */
import { onAbort } from '../../../base/index.js';
/**
 * Reads of single rows, gathered: those that begin in one turn of the event loop, over one table
 * and with one filter, become requests of about 16 keys. A server reads the keys of a request one
 * after another, and each request costs as much as reading many keys.
 */
import { compareBytes, type KeyRange } from '../../../bytes/index.js';
import type { KeptRow } from '../../../protocol/index.js';
import {
  type Filter,
  type ReadPlan,
  type RowCursor,
  type RowStream,
} from '../../../store/index.js';
import { type ReadContext, ReadStream } from './read-stream.js';

/**
 * Most keys of a request: with keys of 4,096 bytes and the largest filter it has 84 KiB, where 512
 * KiB are allowed.
 */
export const keysPerRequest = 16;

/** See above. */
export class PointReads {
  /**
   * What the next requests are made of, by table and filter. The same filter is the same object:
   * queries are compiled once.
   */
  #gathered = new Map<string, Map<Filter | undefined, PointStream[]>>();
  #scheduled = false;

  readonly #context: ReadContext;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** The stream of a plan that asks for one row. */
  open(plan: ReadPlan, signal?: AbortSignal): RowStream {
    return new PointStream(this, plan, signal);
  }

  /** Takes a row into the next request. */
  add({ table, filter }: ReadPlan, waiting: PointStream): void {
    let filters = this.#gathered.get(table);
    if (filters === undefined)
      this.#gathered.set(table, (filters = new Map<Filter | undefined, PointStream[]>()));
    const group = filters.get(filter);
    if (group === undefined) filters.set(filter, [waiting]);
    else group.push(waiting);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#send);
  }

  readonly #send = (): void => {
    const gathered = this.#gathered;
    this.#gathered = new Map<string, Map<Filter | undefined, PointStream[]>>();
    this.#scheduled = false;
    for (const [table, filters] of gathered) {
      for (const [filter, group] of filters) {
        const wanted = group
          .filter(({ waits }) => waits)
          .sort((a, b) => compareBytes(a.range.start, b.range.start));
        for (const part of evenParts(wanted, keysPerRequest))
          void new Batch(this.#context, table, filter, part).run();
      }
    }
  };
}

/** The list in as few parts as need be, none longer than `most`, all about as long. */
export function evenParts<T>(list: readonly T[], most: number): T[][] {
  const parts = Math.ceil(list.length / most);
  return Array.from({ length: parts }, (_, i) =>
    list.slice(Math.floor((i * list.length) / parts), Math.floor(((i + 1) * list.length) / parts)),
  );
}

/** One request: its readers by ascending key; some may want the same row. */
class Batch {
  readonly #stream: ReadStream;
  #at = 0;

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
      { table, ranges, reversed: false, ...(filter === undefined ? {} : { filter }) },
      {},
    );
    for (const reader of readers) reader.batch = this;
  }

  /**
   * Reads to the end, giving each reader its row as soon as it is there; a fault is the fault of
   * all that still wait.
   */
  async run(): Promise<void> {
    try {
      for (
        let row = await this.#stream.nextRow();
        row !== undefined;
        row = await this.#stream.nextRow()
      )
        this.#give(row);
      for (const reader of this.#readers.slice(this.#at)) reader.settle(undefined);
    } catch (error) {
      for (const reader of this.#readers.slice(this.#at)) reader.fail(error);
    }
  }

  /** Ends the request when nobody waits for any of its rows. */
  leave(): void {
    if (!this.#readers.some(({ waits }) => waits)) void this.#stream.close();
  }

  #give(row: KeptRow): void {
    for (; this.#at < this.#readers.length; this.#at++) {
      const reader = this.#readers[this.#at];
      const order = row.compareKey(reader.range.start);
      // The rows of later keys have yet to come; the row of an earlier one would have come by now.
      if (order < 0) return;
      reader.settle(order > 0 ? undefined : row);
    }
  }
}

/** One reader: a page of one row, or none. */
class PointStream implements RowStream {
  readonly range: KeyRange;
  /** The request it is part of, once there is one. */
  batch: Batch | undefined;
  #begun = false;
  #unfollow: (() => void) | undefined;
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

  /** Whether its row is wanted and has not come. */
  get waits(): boolean {
    return this.#resolve !== undefined;
  }

  // The caller's own reason, as in every API that takes a signal.
  /* eslint-disable @typescript-eslint/prefer-promise-reject-errors */
  next(): Promise<RowCursor | undefined> {
    if (this.#signal?.aborted === true) return Promise.reject(this.#signal.reason);
    if (this.#begun) return Promise.resolve(undefined);
    this.#begun = true;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#signal !== undefined) this.#unfollow = onAbort(this.#signal, this.#abort);
      this.#reads.add(this.#plan, this);
    });
  }

  async close(): Promise<void> {
    this.#begun = true;
    if (!this.waits) return;
    this.settle(undefined);
    this.batch?.leave();
  }

  /** Hands the row over, or that there is none. */
  settle(row: KeptRow | undefined): void {
    this.#resolve?.(row?.cursor());
    this.#forget();
  }

  /** Hands the fault of the request over. */
  fail(error: unknown): void {
    this.#reject?.(error);
    this.#forget();
  }

  readonly #abort = (): void => {
    this.fail(this.#signal?.reason);
    this.batch?.leave();
  };

  #forget(): void {
    this.#resolve = this.#reject = undefined;
    this.#unfollow?.();
  }
}
