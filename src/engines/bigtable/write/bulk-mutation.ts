/**
 * Writes many rows through MutateRows: splits them into requests below the API's limits, with a few
 * in flight, and retries failed rows if they are idempotent. Rows are encoded once: a retry sends
 * slices of the same bytes.
 */
import {
  type ErrorDetails,
  maxMutations,
  mayBeApplied,
  RowsmithError,
} from '../../../base/index.js';
import { WireWriter } from '../../../data/cell/index.js';
import {
  decodeMutateRowsResponse,
  encodeMutateRowsEntry,
  MutateRowsRequest,
  statusCode,
  type StatusReport,
} from '../../protocol/index.js';
import { checkRowShape, mutationCount, type RowMutation } from '../../../data/store/index.js';
import type { Calls } from '../call/calls.js';
import { CallError } from '../channel/channel.js';
import { isIdempotent } from './idempotent.js';
import { type Attempts, type CallLimit, isTransient } from '../call/retry.js';

/**
 * A request is closed at this size in bytes; a single row may be larger. The API accepts 256 MiB,
 * but the transport gets slow far below.
 */
const maxRequestBytes = 4 << 20;
/** Extra buffer space in bytes for rows that are larger than the first. */
const spareBytes = 16 << 10;
/** Half of what the API accepts per request. */
const maxRequestMutations = maxMutations / 2;
/** Concurrent requests of one call. */
const maxInFlight = 4;
const method = '/google.bigtable.v2.Bigtable/MutateRows';

/** The error of each row by index; undefined for rows that were written. */
export type RowResults = (RowsmithError | undefined)[];

/** Writes the rows. Rejects if no row can be written: no such table, closed, aborted. */
export function mutateRows(
  calls: Calls,
  table: string,
  rows: readonly RowMutation[],
  signal?: AbortSignal,
): Promise<RowResults> {
  calls.check();
  return calls.track(new BulkMutation(calls, table, signal, rows.length).run(rows));
}

/** The encoded rows of one request. */
interface EncodedRows {
  readonly bytes: Uint8Array;
  /**
   * The end of each row. A row starts at the end of the previous one, the first after the header.
   */
  readonly ends: readonly number[];
  /** Each row's index in the call. */
  readonly indexes: readonly number[];
  /** Rows that must not be retried, by their number in the request. */
  readonly notIdempotent: ReadonlySet<number>;
}

/** A row to retry, by its number in the request. */
interface FailedRow {
  readonly row: number;
  readonly error: CallError;
}

const noStatus = new CallError(statusCode.UNAVAILABLE, 'The response has no status for this row');
/** Of rows that were still waiting for earlier requests when the total timeout had passed. */
const notSent = new CallError(
  statusCode.DEADLINE_EXCEEDED,
  'The total timeout of the bulk write passed before this row was sent',
);

/** The outcome of one attempt. */
interface AttemptResult {
  /** Rows to retry. */
  readonly failed: readonly FailedRow[];
  /** The error of the call, if it failed. */
  readonly error: CallError | undefined;
}

class BulkMutation {
  readonly #results: RowResults;
  readonly #header: Uint8Array;
  readonly #sending = new Set<Promise<void>>();
  #fatal: { readonly error: unknown } | undefined;

  readonly #calls: Calls;
  readonly #table: string;
  readonly #signal: AbortSignal | undefined;
  /** All requests of the call share it. */
  readonly #limit: CallLimit;

  constructor(calls: Calls, table: string, signal: AbortSignal | undefined, count: number) {
    this.#calls = calls;
    this.#table = table;
    this.#signal = signal;
    this.#limit = calls.timeLimit();
    this.#header = MutateRowsRequest.encode(calls.target(table));
    this.#results = new Array<undefined>(count).fill(undefined);
  }

  /**
   * Not async if one request is enough: then `rows` is not referenced while the request is in
   * flight and can be garbage collected.
   */
  run(rows: readonly RowMutation[]): Promise<RowResults> {
    const next = this.#sendFrom(rows, 0);
    if (next === rows.length) return this.#finish();
    return this.#sendRest(rows, next);
  }

  async #sendRest(rows: readonly RowMutation[], from: number): Promise<RowResults> {
    while (from < rows.length && this.#fatal === undefined) {
      // The next request is encoded while earlier requests are in flight.
      if (this.#sending.size >= maxInFlight) await Promise.race(this.#sending);
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

  /** Encodes and sends one request. Returns the index of the first row after it. */
  #sendFrom(rows: readonly RowMutation[], from: number): number {
    const w = new WireWriter();
    w.raw(this.#header);
    const ends: number[] = [];
    const indexes: number[] = [];
    const notIdempotent = new Set<number>();
    let mutations = 0;
    let index = from;
    for (; index < rows.length && w.at < maxRequestBytes; index++) {
      const row = rows[index];
      const rowMutations = mutationCount(row);
      if (ends.length > 0 && mutations + rowMutations > maxRequestMutations) break;
      const start = w.at;
      try {
        checkRowShape(row);
        encodeMutateRowsEntry(w, row);
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        this.#results[index] = error;
        continue;
      }
      mutations += rowMutations;
      // Rows are usually of similar size: reserves space for all of them at once.
      if (ends.length === 0)
        reserve(w, Math.min(maxRequestBytes, (w.at - start) * (rows.length - index)) + spareBytes);
      if (!isIdempotent(row.mutations)) notIdempotent.add(ends.length);
      ends.push(w.at);
      indexes.push(index);
    }
    if (ends.length > 0)
      this.#track(this.#send({ bytes: w.bytes.subarray(0, w.at), ends, indexes, notIdempotent }));
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

  /** Sends a request, and retries it until every row has a result. */
  async #send(rows: EncodedRows): Promise<void> {
    const attempts = this.#calls.attempts(this.#limit, this.#signal);
    let request: Uint8Array = rows.bytes;
    let sent: readonly number[] = Array.from(rows.ends.keys());
    if (attempts.isOver) {
      for (const row of sent) this.#fail(rows.indexes[row], notSent, { written: false });
      return;
    }
    for (;;) {
      const delayMs = this.#calls.writeRate?.reserve() ?? 0;
      if (delayMs > 0) await this.#waitForTurn(attempts, delayMs);
      const { failed, error } = await this.#attempt(request, rows, sent, attempts);
      this.#signal?.throwIfAborted();
      if (failed.length === 0) return;
      if (failed.length < sent.length) attempts.resetBackoff();
      if (!(await attempts.backoff(error ?? failed[0].error))) {
        const { totalTimeoutMs } = this.#calls.settings;
        for (const last of failed)
          this.#fail(rows.indexes[last.row], last.error, { totalTimeoutMs });
        return;
      }
      sent = failed.map(({ row }) => row);
      request = this.#requestOf(rows, sent);
    }
  }

  /** The server asks for the delay, so it is not part of the total timeout. */
  async #waitForTurn(attempts: Attempts, ms: number): Promise<void> {
    await this.#limit.outside(attempts.wait(ms));
  }

  /** A request with some of the encoded rows. */
  #requestOf({ bytes, ends }: EncodedRows, numbers: readonly number[]): Uint8Array {
    const parts = [this.#header];
    for (const row of numbers) {
      const start = row === 0 ? this.#header.length : ends[row - 1];
      parts.push(bytes.subarray(start, ends[row]));
    }
    return Buffer.concat(parts);
  }

  #fail(index: number, cause: CallError, details: ErrorDetails = {}): void {
    const error = this.#calls.error(cause, { table: this.#table, ...details });
    if (!(error instanceof RowsmithError)) throw error;
    this.#results[index] = error;
  }

  /** Throws the error of a request that was rejected as a whole: no row was written. */
  #throwRejection(cause: CallError): void {
    const error = this.#calls.error(cause, { table: this.#table });
    if (!(error instanceof RowsmithError) || !mayBeApplied(error)) throw error;
  }

  /** One attempt for the rows `sent`. Records final results and returns the rows to retry. */
  async #attempt(
    request: Uint8Array,
    { indexes, notIdempotent }: EncodedRows,
    sent: readonly number[],
    { timeoutMs, attempt, cookies }: Attempts,
  ): Promise<AttemptResult> {
    const hasStatus = new Uint8Array(sent.length);
    let statuses = 0;
    const failed: FailedRow[] = [];
    const addFailure = (row: number, error: CallError): void => {
      if (!notIdempotent.has(row) && isTransient(error)) failed.push({ row, error });
      else this.#fail(indexes[row], error);
    };
    const onStatus = (i: number, failure: StatusReport | undefined): void => {
      if (hasStatus[i] !== 0) return;
      hasStatus[i] = 1;
      statuses++;
      if (failure !== undefined) addFailure(sent[i], new CallError(failure.code, failure.message));
    };
    const rate = this.#calls.writeRate;
    const sentAt = performance.now();
    let callFailure: CallError | undefined;
    const routing = this.#calls.routing(this.#table);
    const options = { routing, timeoutMs, attempt, cookies, signal: this.#signal };
    const stream = this.#calls.channel.stream(method, request, options);
    try {
      for (;;) {
        const messages = await stream.read();
        if (messages === undefined) break;
        for (const message of messages) decodeMutateRowsResponse(message, onStatus, rate?.follow);
      }
      rate?.release(sentAt);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      callFailure = error;
      rate?.fail(error.code);
      if (!isTransient(error) && statuses === 0) this.#throwRejection(error);
    } finally {
      // After a malformed response the rest of the stream is not read.
      stream.cancel();
    }
    for (let i = 0; i < sent.length && statuses < sent.length; i++) {
      if (hasStatus[i] !== 0) continue;
      // Of a call that succeeded, a retry would get no other answer.
      if (callFailure === undefined) this.#fail(indexes[sent[i]], noStatus);
      else addFailure(sent[i], callFailure);
    }
    return { failed, error: callFailure };
  }
}

/** Ensures space for exactly `length` more bytes; the writer itself would double its buffer. */
function reserve(w: WireWriter, length: number): void {
  if (w.at + length <= w.bytes.length) return;
  const { bytes, at } = w;
  w.bytes = Buffer.allocUnsafeSlow(at + length);
  bytes.copy(w.bytes, 0, 0, at);
}
