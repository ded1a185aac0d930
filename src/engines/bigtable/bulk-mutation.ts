/**
 * Many rows in requests under the API's limits, a few in flight; what failed and may be repeated goes again, alone. Rows are written into bytes
 * once: a further try sends slices of the same bytes.
 */
import { WireWriter } from '../../cell/wire-writer.js';
import { RowsmithError } from '../../errors.js';
import { dataLimits, MutateRowsRequest, readStatuses, writeEntry } from '../../protocol/index.js';
import type { RowMutation } from '../../store/index.js';
import type { Calls } from './calls.js';
import { CallFault } from './channel.js';
import { isRepeatable } from './repeatable.js';
import { isTransient } from './retry.js';

/** Bytes at which a request is closed; one row may be larger. The API takes 256 MiB, its transport slows down far below. */
const requestBytes = 4 << 20;
/** Bytes to spare for rows that are larger than the first. */
const spareBytes = 16 << 10;
/** Mutations of one request: half of what the API takes. */
const requestMutations = dataLimits.mutations / 2;
/** Requests of one call under way at once. */
const inFlight = 4;
/** A request may take this many times as long as a single row. */
const timeShare = 10;
const method = '/google.bigtable.v2.Bigtable/MutateRows';

/** Rows of one request: each one's place in the call, its bytes, and whether it may be sent twice. */
interface Entry {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly repeatable: boolean;
}

/** What became of each row. */
export type RowResults = (RowsmithError | undefined)[];

/** Writes the rows. Rejects when nothing can be written at all: no table, closed, aborted. */
export async function mutateRows(calls: Calls, table: string, rows: readonly RowMutation[], signal?: AbortSignal): Promise<RowResults> {
  calls.check();
  const bulk = new BulkMutation(calls, table, signal, rows.length);
  await bulk.run(rows);
  return bulk.results;
}

class BulkMutation {
  readonly results: RowResults;
  private readonly header: Uint8Array;
  private readonly sending = new Set<Promise<void>>();
  private fatal: { readonly error: unknown } | undefined;

  constructor(private readonly calls: Calls, private readonly table: string, private readonly signal: AbortSignal | undefined, count: number) {
    this.header = MutateRowsRequest.encode(calls.target(table));
    this.results = new Array<undefined>(count).fill(undefined);
  }

  async run(rows: readonly RowMutation[]): Promise<void> {
    for (let from = 0; from < rows.length && this.fatal === undefined;) {
      from = this.sendFrom(rows, from);
      // The bytes of the next request are written while these are on their way.
      if (this.sending.size >= inFlight) await Promise.race(this.sending);
    }
    await Promise.all(this.sending);
    if (this.fatal !== undefined) throw this.calls.error(this.fatal.error, { table: this.table });
  }

  /** Writes and sends one request; answers the row that comes after it. */
  private sendFrom(rows: readonly RowMutation[], from: number): number {
    const w = new WireWriter();
    w.raw(this.header);
    const entries: Entry[] = [];
    let mutations = 0;
    let index = from;
    for (; index < rows.length && w.at < requestBytes; index++) {
      const row = rows[index];
      const more = row.mutations.length;
      if (entries.length > 0 && mutations + more > requestMutations) break;
      const start = w.at;
      try {
        writeEntry(w, row);
      } catch (error) {
        if (!(error instanceof RowsmithError)) throw error;
        this.results[index] = error;
        continue;
      }
      mutations += more;
      // Rows are mostly of one size: room for all of them at once, instead of growing towards it.
      if (entries.length === 0) w.room(Math.min(requestBytes, (w.at - start) * (rows.length - index)) + spareBytes);
      entries.push({ index, start, end: w.at, repeatable: isRepeatable(row.mutations) });
    }
    if (entries.length > 0) this.track(this.send(w.bytes.subarray(0, w.at), entries));
    return index;
  }

  private track(send: Promise<void>): void {
    const sent = send.catch((error: unknown) => { this.fatal ??= { error }; }).finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  /** Sends a request until every row has its answer. */
  private async send(bytes: Buffer, entries: readonly Entry[]): Promise<void> {
    const tries = this.calls.tries(this.signal, timeShare);
    let request: Uint8Array = bytes;
    for (let left = entries; ;) {
      const { failed, fault } = await this.attempt(request, left, tries.timeoutMs, tries.attempt);
      this.signal?.throwIfAborted();
      if (failed.length === 0) return;
      const last = failed[0].fault;
      if (failed.length < left.length) tries.succeed();
      if (!(await tries.wait(fault ?? last))) return this.giveUp(failed);
      left = failed.map(({ entry }) => entry);
      request = Buffer.concat([this.header, ...left.map(({ start, end }) => bytes.subarray(start, end))]);
    }
  }

  private giveUp(failed: readonly Failed[]): void {
    for (const { entry, fault } of failed) this.fail(entry, fault);
  }

  private fail(entry: Entry, fault: CallFault): void {
    const error = this.calls.error(fault, { table: this.table });
    if (!(error instanceof RowsmithError)) throw error;
    this.results[entry.index] = error;
  }

  /** One try: settles what has an answer, and gives back what should go again. `fault` is the call's own. */
  private async attempt(request: Uint8Array, entries: readonly Entry[], timeoutMs: number, attempt: number): Promise<{ readonly failed: readonly Failed[]; readonly fault?: CallFault }> {
    const open: (Entry | undefined)[] = entries.slice();
    let answered = false;
    const failed: Failed[] = [];
    const settle = (entry: Entry, fault: CallFault): void => {
      if (entry.repeatable && isTransient(fault)) failed.push({ entry, fault });
      else this.fail(entry, fault);
    };
    let fault: CallFault | undefined;
    const options = { routing: this.calls.routing(this.table), timeoutMs, attempt, ...(this.signal === undefined ? {} : { signal: this.signal }) };
    const stream = this.calls.channel.stream(method, request, options);
    try {
      for (let messages = await stream.read(); messages !== undefined; messages = await stream.read()) {
        for (const message of messages) {
          readStatuses(message, (at, failure) => {
            const entry = open[at];
            open[at] = undefined;
            answered = true;
            if (entry !== undefined && failure !== undefined) settle(entry, new CallFault(failure.code, failure.message));
          });
        }
      }
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      fault = error;
      // A refusal of the whole request is a refusal of every row: nothing was written.
      if (!isTransient(fault) && !answered) throw this.calls.error(fault, { table: this.table });
    } finally {
      // Nothing goes on behind an answer that cannot be read.
      stream.cancel();
    }
    const silent = fault ?? new CallFault(14, 'The server gave no answer for this row');
    for (const entry of open) if (entry !== undefined) settle(entry, silent);
    return { failed, ...(fault === undefined ? {} : { fault }) };
  }
}

/** A row that goes again, and why. */
interface Failed {
  readonly entry: Entry;
  readonly fault: CallFault;
}
