/**
 * One read of the live engine: requests, until everything was read. When a call breaks off, the
 * next one asks for what comes behind the last row that was whole, or that the server said it
 * scanned: for the keys, ranges and rows of the limit that are left.
 */
import { onAbort } from '../../../base/index.js';
/**
 * One read of the live engine: requests, until everything was read. When a call breaks off, the
 * next one asks for what comes behind the last row that was whole, or that the server said it
 * scanned: for the keys, ranges and rows of the limit that are left.
 */
import { isPoint } from '../../../bytes/index.js';
import { RowsmithError } from '../../../errors.js';
import {
  ChunkReader,
  statusCode,
  writeFilter,
  writePlan,
  type FamilyNames,
  type KeptRow,
  type RequestTarget,
} from '../../../protocol/index.js';
import {
  planAfter,
  type ReadOptions,
  type ReadPlan,
  type RowCursor,
  type RowStream,
} from '../../../store/index.js';
import type { Calls } from '../call/calls.js';
import { CallFault, type MessageStream } from '../channel/channel.js';
import { isTransient, type Attempts } from '../call/retry.js';

const method = '/google.bigtable.v2.Bigtable/ReadRows';
/** Rows of a page when the caller does not say. */
const defaultPageRows = 256;
/**
 * Messages that have held the event loop this long give it a turn before the next page, in
 * milliseconds.
 */
const longestHold = 1;

/** What the reads of one database share. */
export interface ReadContext {
  readonly calls: Calls;
  /** The families of a table as they were met. */
  readonly families: (table: string) => FamilyNames;
  /** Tries in a row that may bring nothing; the time for all tries ends them too. */
  readonly mostTries: number;
}

/** See above. Nothing is asked before the first `next`. */
export class ReadStream implements RowStream {
  readonly #reader: ChunkReader;
  readonly #pageRows: number;
  #target: RequestTarget | undefined;
  #call: MessageStream | undefined;
  /** Messages that arrived; those before `at` were read. */
  #messages: readonly Uint8Array[] = [];
  #at = 0;
  #arrived = 0;
  /** What ends the read once the whole rows before it were handed out. */
  #refusal: RowsmithError | undefined;
  /** Rows of the limit that were not handed out. */
  #left: number;
  #complete = false;
  #closed = false;
  #attempt = 0;
  /** Tries since the last that brought something. */
  #tries: Attempts | undefined;
  #idleTries = 0;
  #advances = 0;
  #closing: AbortController | undefined;

  readonly #context: ReadContext;
  readonly #plan: ReadPlan;
  readonly #options: ReadOptions;

  constructor(context: ReadContext, plan: ReadPlan, options: ReadOptions) {
    this.#context = context;
    this.#plan = plan;
    this.#options = options;
    this.#reader = new ChunkReader(plan.reversed, context.families(plan.table));
    this.#pageRows = options.pageRows ?? defaultPageRows;
    this.#left = plan.limit ?? Infinity;
  }

  async next(): Promise<RowCursor | undefined> {
    if (!(await this.#fill())) return undefined;
    const rows = Math.min(this.#pageRows, this.#left, this.#reader.waiting);
    this.#left -= rows;
    return this.#reader.page(rows);
  }

  /** The next row, to keep; undefined at the end. */
  async nextRow(): Promise<KeptRow | undefined> {
    if (!(await this.#fill())) return undefined;
    this.#left--;
    return this.#reader.row();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#messages = [];
    if (this.#isWhole) this.#call?.release();
    else this.#call?.cancel();
    this.#call = undefined;
    this.#closing?.abort();
  }

  /**
   * Whether every row that the server was asked for was handed out: the end of the call is on its
   * way.
   */
  get #isWhole(): boolean {
    if (this.#refusal !== undefined) return false;
    if (this.#left <= 0) return true;
    const { ranges } = this.#plan;
    return (
      ranges.length === 1 &&
      this.#reader.rowsRead > 0 &&
      this.#reader.waiting === 0 &&
      isPoint(ranges[0])
    );
  }

  /** Waits until whole rows are there; false at the end. */
  async #fill(): Promise<boolean> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    try {
      while (!this.#closed && this.#left > 0) {
        if (this.#reader.waiting > 0) return true;
        if (this.#at < this.#messages.length) await this.#read();
        else if (this.#refusal !== undefined) throw this.#refusal;
        else if (this.#complete) return false;
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

  /** Reads messages until a page is full. */
  async #read(): Promise<void> {
    if (performance.now() - this.#arrived > longestHold) {
      await new Promise((resolve) => void setImmediate(resolve));
      this.#arrived = performance.now();
    }
    try {
      while (this.#at < this.#messages.length && this.#reader.waiting < this.#pageRows)
        this.#reader.add(this.#messages[this.#at++]);
    } catch (error) {
      if (!(error instanceof RowsmithError)) throw error;
      this.#refusal = error;
      this.#messages = [];
    }
  }

  /** Takes what the server has sent, or waits for it. */
  async #receive(): Promise<void> {
    const call = (this.#call ??= this.#open());
    if (call === undefined) {
      this.#complete = true;
      return;
    }
    try {
      const messages = await this.#answerOf(call);
      if (messages !== undefined) this.#arrive(messages);
      else if (!this.#closed) {
        this.#complete = true;
        this.#reader.end();
      }
    } catch (fault) {
      await this.#recover(fault);
    }
  }

  /** What the call brings next; a fault when it brings nothing for too long. */
  async #answerOf(call: MessageStream): Promise<readonly Uint8Array[] | undefined> {
    const { attemptTimeoutMs } = this.#context.calls.settings;
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      call.cancel();
    }, attemptTimeoutMs);
    try {
      const messages = await call.read();
      if (expired)
        throw new CallFault(statusCode.DEADLINE_EXCEEDED, `no answer for ${attemptTimeoutMs} ms`);
      return messages;
    } finally {
      clearTimeout(timer);
    }
  }

  #arrive(messages: readonly Uint8Array[]): void {
    if (this.#closed) return;
    this.#messages = messages;
    this.#at = 0;
    this.#arrived = performance.now();
  }

  /** The next request; undefined when nothing is left to ask for. */
  #open(): MessageStream | undefined {
    const { calls } = this.#context;
    calls.check();
    const rest = this.#rest();
    const request =
      rest === undefined ? undefined : writePlan(rest, (this.#target ??= this.#targetOf(calls)));
    if (request === undefined) return undefined;
    const { signal } = this.#options;
    return calls.channel.stream(method, request, {
      routing: calls.routing(this.#plan.table),
      attempt: this.#attempt++,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #targetOf(calls: Calls): RequestTarget {
    const { table, filter } = this.#plan;
    return {
      tableName: calls.tableName(table),
      appProfile: calls.channel.appProfile,
      filter: filter === undefined ? undefined : writeFilter(filter),
    };
  }

  #rest(): ReadPlan | undefined {
    const { passed, rowsRead } = this.#reader;
    return passed === undefined ? this.#plan : planAfter(this.#plan, passed, rowsRead);
  }

  /**
   * Waits before the next try, or throws when there is none. Every whole row was handed out by now.
   */
  async #recover(fault: unknown): Promise<void> {
    this.#call?.cancel();
    this.#call = undefined;
    if (this.#closed) return;
    this.#options.signal?.throwIfAborted();
    if (!isTransient(fault)) throw this.#errorOf(fault);
    this.#reader.breakOff();
    if (this.#rest() === undefined) {
      this.#complete = true;
      return;
    }
    if (this.#reader.advances > this.#advances) {
      this.#advances = this.#reader.advances;
      this.#tries = undefined;
      this.#idleTries = 0;
    }
    this.#closing ??= new AbortController();
    this.#tries ??= this.#context.calls.tries(this.#closing.signal);
    if (
      ++this.#idleTries >= this.#context.mostTries ||
      !(await this.#wait(this.#tries, this.#closing, fault))
    )
      throw this.#errorOf(fault);
  }

  /** False when no time is left. */
  async #wait(tries: Attempts, closing: AbortController, fault: CallFault): Promise<boolean> {
    const { signal } = this.#options;
    const unfollow =
      signal === undefined ? undefined : onAbort(signal, () => closing.abort(signal.reason));
    try {
      return await tries.wait(fault);
    } catch (reason) {
      if (this.#closed) return true;
      throw signal?.aborted === true ? reason : this.#errorOf(reason);
    } finally {
      unfollow?.();
    }
  }

  #errorOf(fault: unknown): unknown {
    return this.#context.calls.error(fault, { table: this.#plan.table });
  }
}
