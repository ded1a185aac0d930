/**
 * Many rows in requests under the API's limits, a few in flight; what failed and may be repeated
 * goes again, alone. Rows are written into bytes once: a further try sends slices of the same
 * bytes.
 */
import { maxMutations } from '../../../base/index.js';
import { WireWriter } from '../../../cell/index.js';
import { RowsmithError } from '../../../errors.js';
import { MutateRowsRequest, readStatuses, writeEntry } from '../../../protocol/index.js';
import type { RowMutation } from '../../../store/index.js';
import type { Calls } from '../call/calls.js';
import { CallFault } from '../channel/channel.js';
import { isRepeatable } from './repeatable.js';
import { isTransient } from '../call/retry.js';

/**
 * Bytes at which a request is closed; one row may be larger. The API takes 256 MiB, its transport
 * slows down far below.
 */
const requestBytes = 4 << 20;
/** Bytes to spare for rows that are larger than the first. */
const spareBytes = 16 << 10;
/** Mutations of one request: half of what the API takes. */
const requestMutations = maxMutations / 2;
/** Requests of one call under way at once. */
const inFlight = 4;
/** A request may take this many times as long as a single row. */
const timeShare = 10;
const method = '/google.bigtable.v2.Bigtable/MutateRows';

/** What became of each row. */
export type RowResults = (RowsmithError | undefined)[];

/** Writes the rows. Rejects when nothing can be written at all: no table, closed, aborted. */
export function mutateRows(
  calls: Calls,
  table: string,
  rows: readonly RowMutation[],
  signal?: AbortSignal,
): Promise<RowResults> {
  calls.check();
  return new BulkMutation(calls, table, signal, rows.length).run(rows);
}

/** The rows of one request, in bytes. */
interface Packed {
  readonly bytes: Buffer;
  /** Where each row ends; it begins where the one before does, the first behind the header. */
  readonly ends: readonly number[];
  /** Each row's place in the call. */
  readonly indexes: readonly number[];
  /** Rows that may not be sent twice, by their number here. */
  readonly once: ReadonlySet<number>;
}

/** A row that goes again, by its number in the request, and why. */
interface Failed {
  readonly row: number;
  readonly fault: CallFault;
}

class BulkMutation {
  readonly #results: RowResults;
  readonly #header: Uint8Array;
  readonly #sending = new Set<Promise<void>>();
  #fatal: { readonly error: unknown } | undefined;

  readonly #calls: Calls;
  readonly #table: string;
  readonly #signal: AbortSignal | undefined;

  constructor(calls: Calls, table: string, signal: AbortSignal | undefined, count: number) {
    this.#calls = calls;
    this.#table = table;
    this.#signal = signal;
    this.#header = MutateRowsRequest.encode(calls.target(table));
    this.#results = new Array<undefined>(count).fill(undefined);
  }

  /**
   * Not async where one request holds all: nothing then keeps the rows while their bytes are on the
   * way, and a garbage collection finds them gone.
   */
  run(rows: readonly RowMutation[]): Promise<RowResults> {
    const next = this.#sendFrom(rows, 0);
    return next === rows.length ? this.#finish() : this.#runOn(rows, next);
  }

  async #runOn(rows: readonly RowMutation[], from: number): Promise<RowResults> {
    while (from < rows.length && this.#fatal === undefined) {
      // The bytes of the next request are written while these are on their way.
      if (this.#sending.size >= inFlight) await Promise.race(this.#sending);
      from = this.#sendFrom(rows, from);
    }
    return this.#finish();
  }

  async #finish(): Promise<RowResults> {
    await Promise.all(this.#sending);
    if (this.#fatal !== undefined)
      throw this.#calls.error(this.#fatal.error, { table: this.#table });
    return this.#results;
  }

  /** Writes and sends one request; answers the row that comes after it. */
  #sendFrom(rows: readonly RowMutation[], from: number): number {
    const w = new WireWriter();
    w.raw(this.#header);
    const ends: number[] = [];
    const indexes: number[] = [];
    const once = new Set<number>();
    let mutations = 0;
    let index = from;
    for (; index < rows.length && w.at < requestBytes; index++) {
      const row = rows[index];
      const more = row.mutations.length;
      if (ends.length > 0 && mutations + more > requestMutations) break;
      const start = w.at;
      try {
        writeEntry(w, row);
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        this.#results[index] = error;
        continue;
      }
      mutations += more;
      // Rows are mostly of one size: room for all of them at once, instead of growing towards it.
      if (ends.length === 0)
        grow(w, Math.min(requestBytes, (w.at - start) * (rows.length - index)) + spareBytes);
      if (!isRepeatable(row.mutations)) once.add(ends.length);
      ends.push(w.at);
      indexes.push(index);
    }
    if (ends.length > 0)
      this.#track(this.#send({ bytes: w.bytes.subarray(0, w.at), ends, indexes, once }));
    return index;
  }

  #track(send: Promise<void>): void {
    const sent = send
      .catch((error: unknown) => {
        this.#fatal ??= { error };
      })
      .finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  /** Sends a request until every row has its answer. */
  async #send(packed: Packed): Promise<void> {
    const tries = this.#calls.tries(this.#signal, timeShare);
    let request: Uint8Array = packed.bytes;
    let sent: readonly number[] = Array.from(packed.ends.keys());
    for (;;) {
      const { failed, fault } = await this.#attempt(
        request,
        packed,
        sent,
        tries.timeoutMs,
        tries.attempt,
      );
      this.#signal?.throwIfAborted();
      if (failed.length === 0) return;
      if (failed.length < sent.length) tries.succeed();
      if (!(await tries.wait(fault ?? failed[0].fault))) {
        for (const last of failed) this.#fail(packed.indexes[last.row], last.fault);
        return;
      }
      sent = failed.map(({ row }) => row);
      request = Buffer.concat([
        this.#header,
        ...sent.map((row) =>
          packed.bytes.subarray(
            row === 0 ? this.#header.length : packed.ends[row - 1],
            packed.ends[row],
          ),
        ),
      ]);
    }
  }

  #fail(index: number, fault: CallFault): void {
    const error = this.#calls.error(fault, { table: this.#table });
    if (!(error instanceof RowsmithError)) throw error;
    this.#results[index] = error;
  }

  /**
   * One try of the rows `sent`: settles what has an answer, and gives back what should go again.
   * `fault` is the call's own.
   */
  async #attempt(
    request: Uint8Array,
    { indexes, once }: Packed,
    sent: readonly number[],
    timeoutMs: number,
    attempt: number,
  ): Promise<{ readonly failed: readonly Failed[]; readonly fault?: CallFault }> {
    const answered = new Uint8Array(sent.length);
    let answers = 0;
    const failed: Failed[] = [];
    const settle = (row: number, fault: CallFault): void => {
      if (!once.has(row) && isTransient(fault)) failed.push({ row, fault });
      else this.#fail(indexes[row], fault);
    };
    let fault: CallFault | undefined;
    const options = {
      routing: this.#calls.routing(this.#table),
      timeoutMs,
      attempt,
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    };
    const stream = this.#calls.channel.stream(method, request, options);
    try {
      for (
        let messages = await stream.read();
        messages !== undefined;
        messages = await stream.read()
      ) {
        for (const message of messages) {
          readStatuses(message, (at, failure) => {
            if (answered[at] !== 0) return;
            answered[at] = 1;
            answers++;
            if (failure !== undefined)
              settle(sent[at], new CallFault(failure.code, failure.message));
          });
        }
      }
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      fault = error;
      // A refusal of the whole request is a refusal of every row: nothing was written.
      if (!isTransient(fault) && answers === 0)
        throw this.#calls.error(fault, { table: this.#table });
    } finally {
      // Nothing goes on behind an answer that cannot be read.
      stream.cancel();
    }
    if (answers < sent.length) {
      const silent = fault ?? new CallFault(14, 'The server gave no answer for this row');
      for (let at = 0; at < sent.length; at++) if (answered[at] === 0) settle(sent[at], silent);
    }
    return { failed, ...(fault === undefined ? {} : { fault }) };
  }
}

/**
 * Room for so many bytes more, and no more than that: the writer's own way is to double, and to
 * begin with zeros.
 */
function grow(w: WireWriter, room: number): void {
  if (w.at + room <= w.bytes.length) return;
  const { bytes, at } = w;
  w.bytes = Buffer.allocUnsafeSlow(at + room);
  bytes.copy(w.bytes, 0, 0, at);
}
