/**
 * A read of the live engine, with retries: a new request continues after the last complete row, or
 * after the last key that the server reported as scanned, with the remaining keys, ranges and
 * limit.
 */
import { type ErrorDetails, isPoint, type KeyRange, RowsmithError } from '../../../base/index.js';
import {
  ChunkDecoder,
  encodeReadRequest,
  statusCode,
  encodeFilter,
  type FamilyNames,
  type RequestTarget,
  type RetainedRow,
} from '../../protocol/index.js';
import {
  planAfter,
  type ReadOptions,
  type ReadPlan,
  type RowCursor,
  type RowStream,
} from '../../../data/store/index.js';
import type { Calls } from '../call/calls.js';
import { isTransient, type Attempts } from '../call/retry.js';
import { ReadClock } from './read-clock.js';
import { requestParts } from './request-parts.js';
import { CallError, type MessageStream } from '../channel/channel.js';

const method = '/google.bigtable.v2.Bigtable/ReadRows';
/** Rows per page unless the caller sets `pageRows`. */
const defaultPageRows = 256;
/** Decoding yields to the event loop after this long, in milliseconds. */
const maxBlockingMs = 1;

/** Shared by the reads of one database. */
export interface ReadContext {
  readonly calls: Calls;
  /** The family names of a table that were seen so far. */
  readonly families: (table: string) => FamilyNames;
  /** Consecutive attempts without progress; the total timeout applies as well. */
  readonly maxAttempts: number;
}

/**
 * `points` reads few single rows, which a server sends at once: the total timeout counts from the
 * start, and each attempt carries a deadline. A `scan` may take as long as rows arrive.
 */
export type StreamKind = 'points' | 'scan';

/** The clock of a read, by its settings and options. */
export function clockOf(
  { calls }: ReadContext,
  { timeoutMs }: ReadOptions,
  kind: StreamKind,
): ReadClock {
  const { totalTimeoutMs, attemptTimeoutMs } = calls.settings;
  const restarts = kind === 'scan' && timeoutMs === undefined;
  return new ReadClock(timeoutMs ?? totalTimeoutMs, attemptTimeoutMs, restarts);
}

/** A read through one request at a time. No request is sent before the first `next`. */
export class ReadStream implements RowStream {
  readonly #decoder: ChunkDecoder;
  readonly #pageRows: number;
  #target: RequestTarget | undefined;
  #call: MessageStream | undefined;
  /** Received messages; those before `#nextMessage` were decoded. */
  #messages: readonly Uint8Array[] = [];
  #nextMessage = 0;
  #blockingSince = 0;
  /** A decoding error, thrown after the complete rows before it were returned. */
  #error: RowsmithError | undefined;
  /** Rows of the limit that were not returned yet. */
  #remaining: number;
  #complete = false;
  #closed = false;
  /** The attempts of the current part. */
  #attempts: Attempts | undefined;
  /** Since the last progress. */
  #failedAttempts = 0;
  #advances = 0;
  #closing: AbortController | undefined;

  /** Index of the part of the plan that is being read. */
  #part = 0;

  readonly #context: ReadContext;
  readonly #plan: ReadPlan;
  /** The plan's ranges in reading order, in parts that each fit one request. */
  readonly #parts: readonly (readonly KeyRange[])[];
  readonly #options: ReadOptions;
  readonly #kind: StreamKind;
  readonly #clock: ReadClock;
  /** False if the reader of several streams runs the clock that they share. */
  readonly #runsClock: boolean;

  constructor(
    context: ReadContext,
    plan: ReadPlan,
    options: ReadOptions,
    kind: StreamKind,
    sharedClock?: ReadClock,
  ) {
    this.#context = context;
    this.#plan = withLimit(plan);
    this.#parts = requestParts(plan);
    this.#options = options;
    this.#kind = kind;
    this.#clock = sharedClock ?? clockOf(context, options, kind);
    this.#runsClock = sharedClock === undefined;
    this.#decoder = new ChunkDecoder(plan.reversed, context.families(plan.table));
    this.#pageRows = options.pageRows ?? defaultPageRows;
    this.#remaining = this.#plan.limit ?? Infinity;
  }

  async next(): Promise<RowCursor | undefined> {
    if (!(await this.#fill())) return undefined;
    const rows = Math.min(this.#pageRows, this.#remaining, this.#decoder.pendingRows);
    this.#remaining -= rows;
    return this.#decoder.page(rows);
  }

  /** The next row, valid for as long as it is referenced; undefined at the end. */
  async nextRow(): Promise<RetainedRow | undefined> {
    if (!(await this.#fill())) return undefined;
    this.#remaining--;
    return this.#decoder.row();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#messages = [];
    if (this.#hasAllRows) this.#call?.release();
    else this.#call?.cancel();
    this.#call = undefined;
    this.#closing?.abort();
  }

  /** Whether all requested rows were returned, so that the server is about to end the call. */
  get #hasAllRows(): boolean {
    if (this.#error !== undefined) return false;
    if (this.#remaining <= 0) return true;
    const { ranges } = this.#plan;
    return (
      ranges.length === 1 &&
      this.#decoder.rowsRead > 0 &&
      this.#decoder.pendingRows === 0 &&
      isPoint(ranges[0])
    );
  }

  /** Waits for complete rows; false at the end. */
  async #fill(): Promise<boolean> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    try {
      while (!this.#closed && this.#remaining > 0) {
        if (this.#decoder.pendingRows > 0) return true;
        if (this.#nextMessage < this.#messages.length) await this.#decode();
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#complete) return false;
        else if (this.#runsClock) await this.#clock.during(() => this.#receive());
        else await this.#receive();
        signal?.throwIfAborted();
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    await this.close();
    return false;
  }

  /** Decodes messages until a page is full. */
  async #decode(): Promise<void> {
    if (performance.now() - this.#blockingSince > maxBlockingMs) {
      await new Promise((resolve) => void setImmediate(resolve));
      this.#blockingSince = performance.now();
    }
    try {
      while (
        this.#nextMessage < this.#messages.length &&
        this.#decoder.pendingRows < this.#pageRows
      )
        this.#decoder.add(this.#messages[this.#nextMessage++]);
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      this.#error = error;
      this.#messages = [];
    }
  }

  /** Waits for messages; sends the next request if there is no call. */
  async #receive(): Promise<void> {
    this.#noteProgress();
    const call = (this.#call ??= this.#send());
    if (call === undefined) {
      this.#endPart();
      return;
    }
    try {
      const messages = await this.#messagesOf(call);
      if (messages !== undefined) this.#setMessages(messages);
      else if (!this.#closed) {
        this.#decoder.end();
        this.#call = undefined;
        this.#endPart();
      }
    } catch (error) {
      await this.#recover(error);
    }
  }

  /** After rows, or keys that the server has scanned, the limits of failures start again. */
  #noteProgress(): void {
    if (this.#decoder.advances === this.#advances) return;
    this.#advances = this.#decoder.advances;
    this.#failedAttempts = 0;
    this.#attempts?.resetBackoff();
    this.#clock.progress();
  }

  /** Continues with the next part of the plan, if there is one. */
  #endPart(): void {
    this.#part++;
    this.#attempts = undefined;
    this.#complete = this.#part >= this.#parts.length;
  }

  /** The next messages of the call; DEADLINE_EXCEEDED if none arrive in time. */
  async #messagesOf(call: MessageStream): Promise<readonly Uint8Array[] | undefined> {
    const waitMs = this.#attempts!.timeoutMs;
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      call.cancel();
    }, waitMs);
    try {
      const messages = await call.read();
      if (expired)
        throw new CallError(statusCode.DEADLINE_EXCEEDED, `no response within ${waitMs} ms`);
      return messages;
    } finally {
      clearTimeout(timer);
    }
  }

  #setMessages(messages: readonly Uint8Array[]): void {
    if (this.#closed) return;
    // A message without content says nothing of rows: it does not end a silence. Parts of a row do,
    // but not if it fails again and again.
    if (this.#failedAttempts === 0 && messages.some(({ length }) => length > 0))
      this.#clock.progress();
    this.#messages = messages;
    this.#nextMessage = 0;
    this.#blockingSince = performance.now();
  }

  /** Sends a request for the rest of the plan; undefined if there is nothing left to read. */
  #send(): MessageStream | undefined {
    const { calls } = this.#context;
    calls.check();
    const rest = this.#restOfPlan();
    if (rest === undefined) return undefined;
    this.#target ??= this.#targetOf(calls);
    const request = encodeReadRequest(rest, this.#target);
    if (request === undefined) return undefined;
    const { signal } = this.#options;
    const attempts = (this.#attempts ??= calls.readAttempts(this.#clock, signal));
    return calls.channel.stream(method, request, {
      routing: calls.routing(this.#plan.table),
      timeoutMs: this.#kind === 'points' ? attempts.timeoutMs : undefined,
      attempt: attempts.attempt,
      cookies: attempts.cookies,
      signal,
    });
  }

  #targetOf(calls: Calls): RequestTarget {
    const { table, filter } = this.#plan;
    return {
      ...calls.target(table),
      filter: filter === undefined ? undefined : encodeFilter(filter),
    };
  }

  #restOfPlan(): ReadPlan | undefined {
    const { lastKey, rowsRead } = this.#decoder;
    const part = { ...this.#plan, ranges: this.#parts[this.#part] };
    if (lastKey === undefined) return part;
    return planAfter(part, lastKey, rowsRead);
  }

  /** Waits before a retry, or throws if there is none. All complete rows were returned by now. */
  async #recover(error: unknown): Promise<void> {
    this.#call?.cancel();
    this.#call = undefined;
    if (this.#closed) return;
    this.#options.signal?.throwIfAborted();
    if (!isTransient(error)) throw this.#errorOf(error);
    this.#decoder.discardIncomplete();
    if (this.#restOfPlan() === undefined) {
      this.#endPart();
      return;
    }
    this.#failedAttempts++;
    if (this.#failedAttempts >= this.#context.maxAttempts) throw this.#errorOf(error);
    if (await this.#backoff(error)) return;
    const { totalTimeoutMs } = this.#context.calls.settings;
    const { timeoutMs = totalTimeoutMs } = this.#options;
    throw this.#errorOf(error, { totalTimeoutMs: timeoutMs });
  }

  /** False if the total timeout would be exceeded. */
  async #backoff(error: CallError): Promise<boolean> {
    this.#closing ??= new AbortController();
    try {
      return await this.#attempts!.backoff(error, this.#closing.signal);
    } catch (reason) {
      if (this.#closed) return true;
      if (this.#options.signal?.aborted === true) throw reason;
      throw this.#errorOf(reason);
    }
  }

  #errorOf(cause: unknown, details: ErrorDetails = {}): unknown {
    return this.#context.calls.readError(cause, { table: this.#plan.table, ...details });
  }
}

/** A read of one key has one row at most: the server is told so. */
function withLimit(plan: ReadPlan): ReadPlan {
  const { ranges, limit } = plan;
  if (limit !== undefined || ranges.length !== 1 || !isPoint(ranges[0])) return plan;
  return { ...plan, limit: 1 };
}
