/** Imports rows of an entity from a file or a stream. Invalid lines are reported and skipped. */
import {
  checkOptions,
  invalidArgument,
  type RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import { checkEngine, checkGiven, checkModel } from '../check-arguments.js';
import type { ByteSource } from '../file/byte-streams.js';
import { withDerivedWrites, Propagator } from '../../../entities/derived/index.js';
import { ValueChecks } from '../../../entities/mapping/index.js';
import { buildModel, type EntityModel } from '../../../entities/model/index.js';
import type { Engine, RowMutation } from '../../../data/store/index.js';
import { type Line, linesOf } from '../file/line-reader.js';
import { openSource, readError, type RecordSource } from '../file/row-file.js';
import { csvInput, type CsvInput } from '../file/csv-input.js';
import { checkFormat } from '../file/row-format.js';
import { zoneOffset } from '../text/time-zone.js';
import { ImportBatch } from './import-batch.js';
import type { ImportOptions, ImportResult } from './import-options.js';
import { type ImportPosition, ImportState, startOfImport } from './import-state.js';
import { readingOptions } from './reading-options.js';
import { type Rejected, RejectFile } from './reject-file.js';
import { isRowError, reasonOf, TooManyRejected } from './reject-reason.js';
import { checkCellTimes, type RowAge, timeSegment } from './row-age.js';
import { type RecordReader, rowReader } from './row-reader.js';
import { existingRows } from './existing-rows.js';

const importOptions: readonly (keyof ImportOptions)[] = [
  'format',
  'gzip',
  'rejects',
  'maxRejected',
  'delimiter',
  'columns',
  'maxRecordLength',
  'zone',
  'cellTimes',
  'resume',
  'ignoreUnknown',
  'validate',
  'clock',
  'dryRun',
  'onRejected',
  'onProgress',
  'signal',
];

/** Maximum number of batches in flight. */
const maxInFlight = 3;
/** Milliseconds between two stored positions. */
const saveStateMs = 1_000;
/** Maximum number of reasons that are counted separately; further reasons are counted together. */
const maxReasons = 100;

/**
 * Imports every line. A line sets cells of its row and leaves all other cells unchanged; of lines
 * that set the same cell, the last wins. Importing a line with timestamps again changes nothing.
 * Rejects with FILE_FAILED if the input cannot be read to its end, in which case the lines before
 * are written, and with any storage error that the line did not cause, such as UNAVAILABLE or
 * TABLE_NOT_FOUND: such lines are not counted as rejected.
 */
export async function importRows(
  engine: Engine,
  model: EntityModel,
  from: string | ByteSource,
  options: ImportOptions,
): Promise<ImportResult> {
  checkEngine('importRows()', engine);
  checkModel('importRows()', model);
  checkGiven('options', options, "write { format: 'jsonl' }");
  checkOptions('importRows()', options, importOptions, { entity: model.name });
  const { format, gzip = false } = options;
  checkFormat(format);
  checkCellTimes(model, options.cellTimes);
  const csv: CsvInput = csvInput(model, options);
  const name = typeof from === 'string' ? from : 'standard input';
  const source = openSource(from, gzip);
  let run: ImportRun | undefined;
  try {
    let state: ImportState | undefined;
    if (typeof from === 'string' && options.dryRun !== true)
      state = new ImportState(from, model.name, model.table.name, readingOptions(options, csv));
    run = new ImportRun(engine, model, source, options, state);
    for await (const lines of linesOf(model, format, source.stream, name, csv))
      await run.take(lines);
    return await run.finish();
  } catch (error) {
    await run?.stop();
    throw readError(name, error);
  } finally {
    source.stream.destroy();
  }
}

class ImportRun {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #source: RecordSource;
  readonly #options: ImportOptions;
  #state: ImportState | undefined;
  readonly #rejects: RejectFile | undefined;
  readonly #read: RecordReader;
  readonly #start: ImportPosition;
  readonly #reasons: Map<string, number>;
  /** Batches in flight, oldest first. */
  readonly #sending: { readonly batch: ImportBatch; readonly end: Promise<void> }[] = [];
  #batch = new ImportBatch();
  #sent = false;
  /** Number of the last line that was read. */
  #line = 0;
  #written: number;
  /** Written lines of rows that exist; counted in a dry run. */
  #existing = 0;
  #rejected: number;
  /** Written lines by their age. */
  readonly #ages: Record<'expired' | 'keptLonger', number>;
  #savedAt = performance.now();

  constructor(
    engine: Engine,
    model: EntityModel,
    source: RecordSource,
    options: ImportOptions,
    state: ImportState | undefined,
  ) {
    // The model of a scope has only a part of the key.
    const whole = wholeModel(model);
    const shared = new Propagator(engine, 'awaited').sharedWrites(whole);
    this.#engine = withDerivedWrites(engine, whole, { keepsTimes: true, shared });
    this.#model = model;
    this.#source = source;
    this.#options = options;
    const { clock = Date.now, ignoreUnknown = false, validate = true, resume = false } = options;
    if (resume && options.dryRun === true) throw invalidArgument('resume', faults.resumedDryRun);
    if (resume && state === undefined) throw invalidArgument('resume', faults.resumedStream);
    const stopped = resume ? state?.load() : undefined;
    this.#start = stopped ?? startOfImport(Math.floor(clock()));
    this.#reasons = new Map(Object.entries(this.#start.reasons));
    this.#state = state;
    if (stopped === undefined && !trySave(state, this.#start)) this.#state = undefined;
    if (options.rejects !== undefined)
      this.#rejects = new RejectFile(options.rejects, this.#start.rejectedBytes);
    this.#written = this.#start.written;
    this.#rejected = this.#start.rejected;
    const { expired, keptLonger } = this.#start;
    this.#ages = { expired, keptLonger };
    this.#read = rowReader(model, {
      now: () => this.#start.began * 1000,
      cellTimes: options.cellTimes,
      ignoreUnknown,
      zone: zoneOffset(options.zone),
      checks: new ValueChecks(model, validate),
    });
  }

  /** Reads lines; resolves when the next ones may be passed. */
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

  /** Writes the remaining lines. */
  async finish(): Promise<ImportResult> {
    await this.#send();
    await this.#settle(0);
    this.#rejects?.close();
    this.#state?.remove();
    this.#reportProgress();
    const reasons = [...this.#reasons]
      .map(([reason, lines]) => ({ reason, lines }))
      .sort((a, b) => b.lines - a.lines);
    return {
      written: this.#written,
      rejected: this.#rejected,
      existing: this.#options.dryRun === true ? this.#existing : undefined,
      expired: this.#ages.expired,
      ...this.#keptLonger(),
      reasons,
      resumedAfter: this.#start.line,
    };
  }

  #keptLonger(): Pick<ImportResult, 'keptLonger'> {
    const property = timeSegment(this.#model);
    const lines = this.#ages.keptLonger;
    return lines === 0 || property === undefined ? {} : { keptLonger: { property, lines } };
  }

  /** Ends an import that failed: waits for batches in flight, and keeps the stored position. */
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
          (validated) => this.#batch.add(line, validated),
          (error: unknown) => this.#reject(line, error),
        );
      this.#batch.add(line, row);
    } catch (error) {
      this.#reject(line, error);
    }
    return undefined;
  }

  #reject(line: Line, error: unknown): void {
    this.#rejected++;
    const reason = reasonOf(error);
    let { kind } = reason;
    if (!this.#reasons.has(kind) && this.#reasons.size >= maxReasons) kind = 'other reasons';
    this.#reasons.set(kind, (this.#reasons.get(kind) ?? 0) + 1);
    const rejected: Rejected = { line: line.number, reason: reason.text, text: line.text };
    this.#rejects?.add(rejected);
    this.#options.onRejected?.(rejected);
    const { maxRejected = Infinity } = this.#options;
    if (this.#rejected <= maxRejected) return;
    throw new TooManyRejected(this.#model, maxRejected, rejected);
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = new ImportBatch();
    if (batch.rows.length === 0) return;
    if (this.#sending.some((earlier) => earlier.batch.overlaps(batch))) await this.#settle(0);
    this.#sent = true;
    const end = this.#write(batch);
    // Its rejection is handled when it is the oldest batch and awaited; until then it must not
    // count as unhandled.
    void end.catch(() => undefined);
    this.#sending.push({ batch, end });
    await this.#settle(maxInFlight - 1);
  }

  #count(ages: readonly RowAge[]): void {
    this.#written += ages.length;
    for (const age of ages) if (age !== undefined) this.#ages[age]++;
  }

  async #write({ rows, lines, ages }: ImportBatch): Promise<void> {
    if (this.#options.dryRun === true) {
      await this.#countStored({ rows, ages });
      this.#reportProgress();
      return;
    }
    const results = await this.#mutate(rows);
    for (const [i, error] of results.entries()) {
      if (error === undefined) this.#count(ages[i]);
      else if (lines[i].length === 1) this.#reject(lines[i][0], error);
      else await this.#writeSeparately(lines[i]);
    }
    this.#reportProgress();
  }

  async #countStored({ rows, ages }: Pick<ImportBatch, 'rows' | 'ages'>): Promise<void> {
    const { signal } = this.#options;
    const stored = await existingRows(this.#engine, this.#model, rows, signal);
    for (const [i, exists] of stored.entries()) {
      this.#count(ages[i]);
      if (exists) this.#existing += ages[i].length;
    }
  }

  /** Writes the lines of a rejected row one by one, since only one of them may be invalid. */
  async #writeSeparately(lines: readonly Line[]): Promise<void> {
    for (const line of lines) {
      const row = await this.#read(line.record());
      const [error] = await this.#mutate([row]);
      if (error === undefined) this.#count([row.age]);
      else this.#reject(line, error);
    }
  }

  /**
   * Writes rows and returns the error of each. Throws an error that is not caused by its row: the
   * stored position is then before these lines, and resuming writes them again.
   */
  async #mutate(rows: readonly RowMutation[]): Promise<readonly (RowsmithError | undefined)[]> {
    const { signal } = this.#options;
    const results = await this.#engine.mutateRows(this.#model.table.name, rows, { signal });
    const failed = results.find((error) => error !== undefined && !isRowError(error));
    if (failed !== undefined) throw failed;
    return results;
  }

  /** Waits until at most `maxSending` batches are in flight. */
  async #settle(maxSending: number): Promise<void> {
    while (this.#sending.length > maxSending) {
      await this.#sending[0].end;
      this.#sending.shift();
    }
    this.#options.signal?.throwIfAborted();
  }

  #reportProgress(): void {
    this.#options.onProgress?.({
      written: this.#written,
      fromEarlierRuns: this.#start.written,
      rejected: this.#rejected,
      fraction: this.#readFraction(),
    });
  }

  #readFraction(): number | undefined {
    const { size, bytesRead } = this.#source;
    if (size === undefined) return undefined;
    if (size === 0) return 1;
    return Math.min(1, bytesRead() / size);
  }

  /**
   * Stores the position from time to time, when nothing is in flight: all lines so far are done.
   */
  async #saveState(): Promise<void> {
    if (this.#state === undefined || performance.now() - this.#savedAt < saveStateMs) return;
    await this.#send();
    await this.#settle(0);
    this.#rejects?.sync();
    this.#state.save({
      line: this.#line,
      written: this.#written,
      rejected: this.#rejected,
      rejectedBytes: this.#rejects?.bytes ?? 0,
      began: this.#start.began,
      ...this.#ages,
      reasons: Object.fromEntries(this.#reasons),
    });
    this.#savedAt = performance.now();
  }
}

/**
 * Stores the start. Returns false if the directory of the input is not writable: the import then
 * works, but cannot be resumed.
 */
function trySave(state: ImportState | undefined, start: ImportPosition): boolean {
  try {
    state?.save(start);
    return true;
  } catch {
    return false;
  }
}

/**
 * The model of a scope has only a part of the key, and the built one lacks copies in other
 * entities.
 */
function wholeModel({ entityClass, table, copiedBy }: EntityModel): EntityModel {
  const built = buildModel(entityClass);
  return copiedBy === undefined ? built : { ...built, table, copiedBy };
}

const faults = {
  resumedStream: {
    problem: 'an import from a stream cannot be resumed: it cannot be read again',
    fix: 'import from a file',
  },
  resumedDryRun: {
    problem: 'a dry run has nothing to resume: it writes nothing and stores no position',
    fix: 'leave resume or dryRun out',
  },
} satisfies FaultTexts;
