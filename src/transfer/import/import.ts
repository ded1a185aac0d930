/**
 * A file or a stream of rows -> the rows of an entity. Bad lines are told and do not stop the rest.
 */
import type { Readable } from 'node:stream';
import { RowsmithError } from '../../errors.js';
import { validatorsOf } from '../../mapping/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine, RowMutation } from '../../store/index.js';
import { ImportBatch } from './import-batch.js';
import { ImportState, type ImportPosition, startOfImport } from './import-state.js';
import { type Line, linesOf } from '../file/line-reader.js';
import { type Rejected, RejectFile } from './reject-file.js';
import { isOfTheRow, reasonOf, TooManyRejected } from './reject-reason.js';
import {
  checkFormat,
  openSource,
  readFault,
  type RowFormat,
  type RowSource,
} from '../file/row-file.js';
import { type ReadRow, type RowReader, rowReader } from './row-reader.js';

/** How far an import is. */
export interface ImportProgress {
  /** Rows written, those of an earlier run too. */
  readonly written: number;
  /** Of these, rows that an earlier run had written. */
  readonly earlier: number;
  readonly rejected: number;
  /** Share of the file's bytes, 0 to 1; undefined for a stream. */
  readonly share: number | undefined;
}

/** How to import. */
export interface ImportOptions {
  readonly format: RowFormat;
  /** The input is compressed; default false. */
  readonly gzip?: boolean;
  /**
   * Where bad lines go, as JSON Lines with number, reason and text; without one they are only
   * counted.
   */
  readonly rejects?: string;
  /** Stop with an error when more lines than this are bad; default: never. */
  readonly maxRejected?: number;
  /** Go on where an import of this file was stopped. */
  readonly resume?: boolean;
  /** Pass over names that are no properties instead of rejecting the line; default false. */
  readonly ignoreUnknown?: boolean;
  /** Check class-validator's rules, where the entity carries any; default true. */
  readonly validate?: boolean;
  /**
   * Asked once: milliseconds since 1970 for all cells without a timestamp in the file; default
   * Date.now. An import that is resumed keeps those of its first run.
   */
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

/** Batches under way at once. */
const inFlight = 3;
/** Milliseconds between two states on the disk. */
const stateEvery = 1_000;
/** Different reasons that are counted; more would be a list of the lines themselves. */
const mostReasons = 100;

/**
 * Imports every line. A line sets the cells of its row; what it does not name stays as it is. Of
 * lines that set the same cell the later wins. Importing a line again changes nothing when it has
 * its timestamps, as exported ones have. Throws FILE_FAILED for an input that cannot be read to its
 * end (what was read before is written), and what storage refuses for another reason than the line:
 * it cannot be reached, a table or family is missing. Such lines are not counted as bad.
 */
export async function importRows(
  engine: Engine,
  model: EntityModel,
  from: string | Readable,
  options: ImportOptions,
): Promise<ImportResult> {
  checkFormat(options.format);
  const name = typeof from === 'string' ? from : 'standard input';
  const source = openSource(from, options.gzip ?? false);
  let run: ImportRun | undefined;
  try {
    run = new ImportRun(
      engine,
      model,
      source,
      options,
      typeof from === 'string' ? new ImportState(from, model.name, model.table.name) : undefined,
    );
    for await (const lines of linesOf(
      model,
      options.format,
      source.stream,
      name,
      options.ignoreUnknown ?? false,
    ))
      await run.take(lines);
    return await run.finish();
  } catch (error) {
    await run?.stop();
    throw readFault(name, error);
  } finally {
    source.stream.destroy();
  }
}

class ImportRun {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #source: RowSource;
  readonly #options: ImportOptions;
  #state: ImportState | undefined;
  readonly #rejects: RejectFile | undefined;
  readonly #read: RowReader;
  readonly #start: ImportPosition;
  readonly #reasons = new Map<string, number>();
  /** Batches under way, the oldest first. */
  readonly #sending: { readonly batch: ImportBatch; readonly end: Promise<void> }[] = [];
  #batch = new ImportBatch();
  #sent = false;
  /** The last line that was taken in. */
  #line = 0;
  #written: number;
  #rejected: number;
  #savedAt = performance.now();

  constructor(
    engine: Engine,
    model: EntityModel,
    source: RowSource,
    options: ImportOptions,
    state: ImportState | undefined,
  ) {
    this.#engine = engine;
    this.#model = model;
    this.#source = source;
    this.#options = options;
    const { clock = Date.now, ignoreUnknown = false, validate = true, resume = false } = options;
    if (resume && state === undefined) {
      throw new RowsmithError('INVALID_ARGUMENT', {
        property: 'resume',
        problem: 'a stream cannot be read again from its start',
        fix: 'import from a file',
      });
    }
    const stopped = resume ? state?.load() : undefined;
    this.#start = stopped ?? startOfImport(Math.floor(clock()));
    this.#state = stopped === undefined ? kept(state, this.#start) : state;
    this.#rejects =
      options.rejects === undefined
        ? undefined
        : new RejectFile(options.rejects, this.#start.rejectedBytes);
    this.#written = this.#start.written;
    this.#rejected = this.#start.rejected;
    this.#read = rowReader(model, {
      now: () => this.#start.began * 1000,
      ignoreUnknown,
      validators: validate ? validatorsOf(model) : undefined,
    });
  }

  /** Takes lines in; resolves when more may come. */
  async take(lines: readonly Line[]): Promise<void> {
    for (const line of lines) {
      if (line.number <= this.#start.line) continue;
      this.#line = Math.max(this.#line, line.number);
      const pending = this.#takeOne(line);
      if (pending !== undefined) await pending;
      if (this.#batch.isFull) await this.#send();
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
    const reasons = [...this.#reasons]
      .map(([reason, lines]) => ({ reason, lines }))
      .sort((a, b) => b.lines - a.lines);
    return {
      written: this.#written,
      rejected: this.#rejected,
      reasons,
      resumedAfter: this.#start.line,
    };
  }

  /** Leaves nothing writing; keeps the state of what is done. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#sending.map(({ end }) => end));
    this.#rejects?.close();
    if (!this.#sent && this.#start.line === 0) this.#state?.remove();
  }

  #takeOne(line: Line): Promise<void> | undefined {
    try {
      const row = this.#read(line.record());
      if (row instanceof Promise)
        return row.then(
          (ready) => this.#put(line, ready),
          (error: unknown) => this.#reject(line, error),
        );
      this.#put(line, row);
    } catch (error) {
      this.#reject(line, error);
    }
    return undefined;
  }

  #put(line: Line, row: ReadRow): void {
    this.#batch.add(line, row);
  }

  #reject(line: Line, error: unknown): void {
    this.#rejected++;
    const reason = reasonOf(error);
    const known =
      this.#reasons.has(reason.kind) || this.#reasons.size < mostReasons
        ? reason.kind
        : 'other reasons';
    this.#reasons.set(known, (this.#reasons.get(known) ?? 0) + 1);
    const rejected: Rejected = { line: line.number, reason: reason.text, text: line.text };
    this.#rejects?.add(rejected);
    const { maxRejected = Infinity } = this.#options;
    if (this.#rejected <= maxRejected) return;
    throw new TooManyRejected(this.#model, maxRejected, rejected);
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = new ImportBatch();
    if (batch.rows.length === 0) return;
    if (this.#sending.some((earlier) => earlier.batch.meets(batch))) await this.#settle(0);
    this.#sent = true;
    const end = this.#write(batch);
    // Its failure is met where the oldest batch is waited for; until then it is nobody's.
    void end.catch(() => undefined);
    this.#sending.push({ batch, end });
    await this.#settle(inFlight - 1);
  }

  async #write({ rows, lines }: ImportBatch): Promise<void> {
    const results = await this.#mutate(rows);
    for (const [i, error] of results.entries()) {
      if (error === undefined) this.#written += lines[i].length;
      else if (lines[i].length === 1) this.#reject(lines[i][0], error);
      else await this.#writeApart(lines[i]);
    }
    this.#tell();
  }

  /** Lines of a row that was refused: one of them may be bad, and the others not. */
  async #writeApart(lines: readonly Line[]): Promise<void> {
    for (const line of lines) {
      const [error] = await this.#mutate([await this.#read(line.record())]);
      if (error === undefined) this.#written++;
      else this.#reject(line, error);
    }
  }

  /**
   * What storage refuses of the rows. Throws what would meet every row: the state stays behind
   * these lines, and with resume they are written again.
   */
  async #mutate(rows: readonly RowMutation[]): Promise<readonly (RowsmithError | undefined)[]> {
    const { signal } = this.#options;
    const results = await this.#engine.mutateRows(
      this.#model.table.name,
      rows,
      signal === undefined ? {} : { signal },
    );
    const failed = results.find((error) => error !== undefined && !isOfTheRow(error));
    if (failed !== undefined) throw failed;
    return results;
  }

  /** Waits until at most `most` batches are under way. */
  async #settle(most: number): Promise<void> {
    while (this.#sending.length > most) {
      await this.#sending[0].end;
      this.#sending.shift();
    }
    this.#options.signal?.throwIfAborted();
  }

  #tell(): void {
    const { size, bytesRead } = this.#source;
    const share = size === undefined ? undefined : size === 0 ? 1 : Math.min(1, bytesRead() / size);
    this.#options.onProgress?.({
      written: this.#written,
      earlier: this.#start.written,
      rejected: this.#rejected,
      share,
    });
  }

  /** Now and then, with nothing under way: every line so far is then written or rejected. */
  async #saveState(): Promise<void> {
    if (this.#state === undefined || performance.now() - this.#savedAt < stateEvery) return;
    await this.#send();
    await this.#settle(0);
    this.#rejects?.sync();
    this.#state.save({
      line: this.#line,
      written: this.#written,
      rejected: this.#rejected,
      rejectedBytes: this.#rejects?.bytes ?? 0,
      began: this.#start.began,
    });
    this.#savedAt = performance.now();
  }
}

/**
 * The state, once it is kept; undefined where the folder of the input cannot be written: then the
 * import cannot be resumed, and works all the same.
 */
function kept(state: ImportState | undefined, start: ImportPosition): ImportState | undefined {
  try {
    state?.save(start);
    return state;
  } catch {
    return undefined;
  }
}
