/** A file or a stream of rows -> the rows of an entity. Bad lines are told and do not stop the rest. */
import type { Readable } from 'node:stream';
import { RowsmithError } from '../errors.js';
import { validatorsOf } from '../mapping/index.js';
import type { EntityModel } from '../model/model.js';
import type { Engine, RowMutation } from '../store/index.js';
import { ImportState, type ImportPosition, startPosition } from './import-state.js';
import { BadLine, type Line, linesOf } from './line-reader.js';
import { type Rejected, RejectFile } from './reject-file.js';
import { checkFormat, openSource, readFault, type RowFormat, type RowSource } from './row-file.js';
import { type RowReader, rowReader } from './row-reader.js';

/** How far an import is. */
export interface ImportProgress {
  readonly written: number;
  readonly rejected: number;
  /** Share of the file's bytes, 0 to 1; undefined for a stream. */
  readonly share: number | undefined;
}

/** How to import. */
export interface ImportOptions {
  readonly format: RowFormat;
  /** The input is compressed; default false. */
  readonly gzip?: boolean;
  /** Where bad lines go, as JSON Lines with number, reason and text; without one they are only counted. */
  readonly rejects?: string;
  /** Stop with an error when more lines than this are bad; default: never. */
  readonly maxRejected?: number;
  /** Go on where an import of this file was stopped. */
  readonly resume?: boolean;
  /** Pass over names that are no properties instead of rejecting the line; default false. */
  readonly ignoreUnknown?: boolean;
  /** Check class-validator's rules, where the entity carries any; default true. */
  readonly validate?: boolean;
  /** Milliseconds since 1970 for cells without a timestamp in the file; default Date.now. */
  readonly clock?: () => number;
  /** Called after each batch. */
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

/** What became of an import. */
export interface ImportResult {
  readonly written: number;
  readonly rejected: number;
  /** How many lines were bad for each reason, the most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly lines: number }[];
  /** The line up to which an earlier run had done it; 0 without one. */
  readonly resumedAfter: number;
}

/** Rows of one batch, and batches under way: enough to keep the engine busy, little enough for any memory. */
const batchRows = 2_048;
const inFlight = 3;
/** A batch is sent when its values reach this many bytes. */
const batchBytes = 4 << 20;
/** Milliseconds between two states on the disk. */
const stateEvery = 1_000;
/** Different reasons that are counted; more would be a list of the lines themselves. */
const mostReasons = 100;

/**
 * Imports every line. A line sets the cells of its row; what it does not name stays as it is. Importing a line again changes nothing when it has its
 * timestamps, as exported ones have. Throws FILE_FAILED for an input that cannot be read to its end (what was read before is written), and whatever
 * makes all writes impossible.
 */
export async function importRows(engine: Engine, model: EntityModel, from: string | Readable, options: ImportOptions): Promise<ImportResult> {
  checkFormat(options.format);
  const name = typeof from === 'string' ? from : 'standard input';
  const source = openSource(from, options.gzip ?? false);
  const run = new ImportRun(engine, model, source, options, typeof from === 'string' ? new ImportState(from, model.name, model.table.name) : undefined);
  try {
    for await (const lines of linesOf(model, options.format, source.stream, name, options.ignoreUnknown ?? false)) await run.take(lines);
    return await run.finish();
  } catch (error) {
    await run.stop();
    throw readFault(name, error);
  } finally {
    source.stream.destroy();
  }
}

interface Batch {
  rows: RowMutation[];
  lines: Line[];
  bytes: number;
}

class ImportRun {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #source: RowSource;
  readonly #options: ImportOptions;
  readonly #state: ImportState | undefined;
  readonly #rejects: RejectFile | undefined;
  readonly #read: RowReader;
  readonly #start: ImportPosition;
  readonly #reasons = new Map<string, number>();
  /** Batches under way, the oldest first. */
  readonly #sending: Promise<void>[] = [];
  #batch: Batch = { rows: [], lines: [], bytes: 0 };
  /** The last line that was taken in. */
  #line = 0;
  #written: number;
  #rejected: number;
  #savedAt = performance.now();

  constructor(engine: Engine, model: EntityModel, source: RowSource, options: ImportOptions, state: ImportState | undefined) {
    this.#engine = engine;
    this.#model = model;
    this.#source = source;
    this.#options = options;
    this.#state = state;
    this.#start = options.resume === true && state !== undefined ? state.load() : startPosition;
    this.#rejects = options.rejects === undefined ? undefined : new RejectFile(options.rejects, this.#start.rejectedBytes);
    this.#written = this.#start.written;
    this.#rejected = this.#start.rejected;
    const { clock = Date.now, ignoreUnknown = false, validate = true } = options;
    this.#read = rowReader(model, { now: () => Math.floor(clock()) * 1000, ignoreUnknown, validators: validate ? validatorsOf(model) : undefined });
  }

  /** Takes lines in; resolves when more may come. */
  async take(lines: readonly Line[]): Promise<void> {
    for (const line of lines) {
      if (line.number <= this.#start.line) continue;
      this.#line = Math.max(this.#line, line.number);
      const pending = this.#takeOne(line);
      if (pending !== undefined) await pending;
      if (this.#batch.rows.length >= batchRows || this.#batch.bytes >= batchBytes) await this.#send();
    }
    await this.#saveState();
  }

  /** Writes what is left. */
  async finish(): Promise<ImportResult> {
    await this.#send();
    await this.#settle(0);
    this.#rejects?.close();
    this.#state?.remove();
    this.#tell();
    const reasons = [...this.#reasons].map(([reason, lines]) => ({ reason, lines })).sort((a, b) => b.lines - a.lines);
    return { written: this.#written, rejected: this.#rejected, reasons, resumedAfter: this.#start.line };
  }

  /** Leaves nothing writing; keeps the state of what is done. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#sending);
    this.#rejects?.close();
  }

  #takeOne(line: Line): Promise<void> | undefined {
    try {
      const row = this.#read(line.record());
      if (row instanceof Promise) return row.then((ready) => this.#put(line, ready), (error: unknown) => this.#reject(line, error));
      this.#put(line, row);
    } catch (error) {
      this.#reject(line, error);
    }
    return undefined;
  }

  #put(line: Line, row: RowMutation): void {
    const { rows, lines } = this.#batch;
    rows.push(row);
    lines.push(line);
    this.#batch.bytes += line.text.length;
  }

  #reject(line: Line, error: unknown): void {
    this.#rejected++;
    const reason = reasonOf(error);
    const known = this.#reasons.has(reason.kind) || this.#reasons.size < mostReasons ? reason.kind : 'other reasons';
    this.#reasons.set(known, (this.#reasons.get(known) ?? 0) + 1);
    const rejected: Rejected = { line: line.number, reason: reason.text, text: line.text };
    this.#rejects?.add(rejected);
    const { maxRejected = Infinity } = this.#options;
    if (this.#rejected <= maxRejected) return;
    throw new TooManyRejected(this.#model, maxRejected, rejected);
  }

  async #send(): Promise<void> {
    const { rows, lines } = this.#batch;
    this.#batch = { rows: [], lines: [], bytes: 0 };
    if (rows.length === 0) return;
    const sent = this.#write(rows, lines);
    // Its failure is met where the oldest batch is waited for; until then it is nobody's.
    void sent.catch(() => undefined);
    this.#sending.push(sent);
    await this.#settle(inFlight - 1);
  }

  async #write(rows: readonly RowMutation[], lines: readonly Line[]): Promise<void> {
    const results = await this.#engine.mutateRows(this.#model.table.name, rows);
    results.forEach((error, i) => {
      if (error === undefined) this.#written++;
      else this.#reject(lines[i], error);
    });
    this.#tell();
  }

  /** Waits until at most `most` batches are under way. */
  async #settle(most: number): Promise<void> {
    while (this.#sending.length > most) {
      await this.#sending[0];
      void this.#sending.shift();
    }
    this.#options.signal?.throwIfAborted();
  }

  #tell(): void {
    const { size, bytesRead } = this.#source;
    const share = size === undefined ? undefined : size === 0 ? 1 : Math.min(1, bytesRead() / size);
    this.#options.onProgress?.({ written: this.#written, rejected: this.#rejected, share });
  }

  /** Now and then, with nothing under way: every line so far is then written or rejected. */
  async #saveState(): Promise<void> {
    if (this.#state === undefined || performance.now() - this.#savedAt < stateEvery) return;
    await this.#send();
    await this.#settle(0);
    this.#rejects?.sync();
    this.#state.save({ line: this.#line, written: this.#written, rejected: this.#rejected, rejectedBytes: this.#rejects?.bytes ?? 0 });
    this.#savedAt = performance.now();
  }
}

class TooManyRejected extends RowsmithError {
  constructor(model: EntityModel, most: number, { line, reason }: Rejected) {
    super('FILE_FAILED', {
      entity: model.name, problem: `more than ${most} lines are bad; the last is line ${line}: ${reason}`, fix: 'correct the file, or allow more; the good lines before are written',
    });
  }
}

/** Why a line is bad, with and without what is only true of this one; throws what is no fault of a line. */
function reasonOf(error: unknown): { readonly text: string; readonly kind: string } {
  if (error instanceof TooManyRejected) throw error;
  if (error instanceof BadLine) return { text: error.message, kind: error.message.replace(/: .*$/, '') };
  if (!(error instanceof RowsmithError)) throw error;
  const { property, problem } = error.details;
  const text = `${property === undefined ? '' : `${property}: `}${problem ?? error.message}`;
  return { text, kind: withoutValues(text) };
}

/** A reason with values as valueText says them, and places in lists, left out: the same for every line with the same fault. */
function withoutValues(reason: string): string {
  return reason
    .replace(/\bthe string "(?:[^"\\]|\\.)*"/g, 'a string')
    .replace(/\bthe (number|bigint) (?:-?Infinity|NaN|-?\d[\d.]*(?:e[+-]?\d+)?n?)/g, 'a $1')
    .replace(/\[\d+\]/g, '[]');
}
