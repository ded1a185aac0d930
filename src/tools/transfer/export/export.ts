/** Exports the rows of an entity to a file or a stream, as JSON Lines or CSV. */
import {
  checkOptions,
  copyBytes,
  invalidArgument,
  toHex,
  type FaultTexts,
} from '../../../base/index.js';
import { checkEngine, checkGiven, checkModel, checkTarget } from '../check-arguments.js';
import type { ByteSink } from '../file/byte-streams.js';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Explanation } from '../../../entities/query/index.js';
import { querySource } from '../../../entities/repository/index.js';
import type { Engine, RowCursor } from '../../../data/store/index.js';
import { checkedDelimiter, onlyCsv } from '../file/csv-input.js';
import { csvForms, csvHeaderText, csvText } from '../file/line-reader.js';
import { checkFormat, type RowFormat } from '../file/row-format.js';
import { ScanProgress } from '../scan-progress.js';
import type { RowRecord } from '../text/row-record.js';
import { exportIdentity, type ExportPosition } from './export-state.js';
import { type ExportMark, type ExportTarget, openTarget } from './export-target.js';
import { allRows, type ExportedRows, pagesAfter, rowsOfQuery } from './exported-rows.js';
import { type RecordWriter, rowWriter } from './row-writer.js';

/** Progress of an export. */
export interface ExportProgress {
  /** Rows in the output, including rows of earlier runs. */
  readonly rows: number;
  /** How many of these rows were written by earlier runs. */
  readonly fromEarlierRuns: number;
  /**
   * Estimated fraction that is done, 0 to 1, computed from keys that storage samples. Undefined in
   * the first second, and if there are no samples.
   */
  readonly fraction: number | undefined;
}

/** Options of `exportRows`. */
export interface ExportOptions {
  readonly format: RowFormat;
  /** Compress the output with gzip, as a sequence of members; default false. */
  readonly gzip?: boolean;
  /**
   * Omit timestamps and older versions, for use by other programs; default false. Only an export
   * with them can be imported unchanged.
   */
  readonly plain?: boolean;
  /** CSV: the character between fields; default a comma. */
  readonly delimiter?: string;
  /**
   * CSV only: write an apostrophe before fields that begin with `=`, `+`, `-`, `@`, a tab or a
   * carriage return, because spreadsheets evaluate them as formulas; negative numbers are left as
   * they are. An import does not remove it. Default false.
   */
  readonly guardFormulas?: boolean;
  /**
   * Resume a stopped export to this file. The entity, its declaration, the database and the options
   * must be the same. If there is nothing to resume, export from the start. Default false.
   */
  readonly resume?: boolean;
  /** Called after each page. */
  readonly onProgress?: (progress: ExportProgress) => void;
  readonly signal?: AbortSignal;
}

const exportOptions: readonly (keyof ExportOptions)[] = [
  'format',
  'gzip',
  'plain',
  'delimiter',
  'guardFormulas',
  'resume',
  'onProgress',
  'signal',
];

/** A query of a repository with entities as results. */
export interface ExportableQuery {
  /** As of every query. */
  explain(): Explanation;
  /** Only queries for rows have it, not those for the values of `distinct`. */
  aggregate: unknown;
}

/** Result of `exportRows`. */
export interface ExportResult {
  /** Rows in the output, including rows of earlier runs. */
  readonly rows: number;
  /** Cells in these rows that the entity does not declare; they are not in the output. */
  readonly undeclaredCells: number;
  /** How many of the rows were written by earlier runs; 0 if the export was not resumed. */
  readonly resumedAfter: number;
}

/**
 * A chunk ends with the record that reaches this many UTF-16 units. It is one write, or one member
 * of gzip, with boundaries that depend on the rows only.
 */
const chunkUnits = { plain: 1 << 16, gzip: 1 << 20 } as const;
/** Chunks that are compressed and written while more rows are read. */
const maxInFlight = 3;
/** Milliseconds between two checkpoints. */
const checkpointMs = 500;

/**
 * Writes every row of the entity. A file is replaced only when the export is complete. About twice
 * a second a checkpoint is stored beside it, once everything before it is on disk; with `resume`
 * another run continues from there and, if the rows are unchanged, produces identical bytes.
 * Rejects with DAMAGED_CELL, FILE_FAILED or INVALID_ARGUMENT, and leaves an existing file
 * unchanged.
 */
export function exportRows(
  engine: Engine,
  model: EntityModel,
  to: string | ByteSink,
  options: ExportOptions,
): Promise<ExportResult>;
/**
 * Writes the rows that a query finds, in its order: of a prefix or bound, that meet conditions, at
 * most so many. Whole rows are written, with the timestamps and versions that they have when they
 * are read. Otherwise as for all rows; a resumed export needs the same query.
 */
export function exportRows(
  query: ExportableQuery,
  to: string | ByteSink,
  options: ExportOptions,
): Promise<ExportResult>;
export async function exportRows(...args: unknown[]): Promise<ExportResult> {
  const source = querySource(args[0]);
  if (source !== undefined) return exportTo(rowsOfQuery(source), args[1], args[2]);
  const [engine, model, to, options] = args;
  checkEngine('exportRows()', engine);
  checkModel('exportRows()', model);
  return exportTo(allRows(engine as Engine, model as EntityModel), to, options);
}

async function exportTo(rows: ExportedRows, to: unknown, given: unknown): Promise<ExportResult> {
  const { engine, model } = rows;
  checkTarget(to);
  checkGiven('options', given, "write { format: 'jsonl' }");
  checkOptions('exportRows()', given, exportOptions, { entity: model.name });
  const options = given as ExportOptions;
  const { format, gzip: compress = false, plain = false, resume = false } = options;
  const { guardFormulas = false } = options;
  checkFormat(format);
  if (format !== 'csv' && options.delimiter !== undefined) throw onlyCsv('delimiter');
  checkGuard(options);
  const delimiter = checkedDelimiter(options.delimiter);
  const form = { format, gzip: compress, plain, delimiter, guardFormulas };
  const query = rows.source?.fingerprint();
  const identity = exportIdentity(engine, model, { ...form, query });
  const target = await openTarget(to as string | ByteSink, identity, resume);
  const run = new ExportRun(rows, target, options);
  try {
    return await run.run();
  } catch (error) {
    await run.stop();
    throw error;
  }
}

function checkGuard({ format, guardFormulas = false }: ExportOptions): void {
  if (typeof guardFormulas === 'boolean' && (format === 'csv' || !guardFormulas)) return;
  throw invalidArgument('guardFormulas', faults.wrongGuardFormulas(guardFormulas, format));
}

interface Chunk {
  readonly text: string;
  readonly mark: ExportMark;
}

class ExportRun {
  readonly #rows: ExportedRows;
  readonly #options: ExportOptions;
  readonly #start: ExportPosition;
  readonly #writer: RecordWriter;
  readonly #line: (record: RowRecord) => string;
  readonly #output: ChunkWriter;
  readonly #chunkUnits: number;
  /** Text of the current chunk. */
  #text = '';
  #written: number;
  #lastKey: Uint8Array | undefined;

  constructor(rows: ExportedRows, target: ExportTarget, options: ExportOptions) {
    const { model } = rows;
    const { format, gzip: compress = false, plain = false, guardFormulas = false } = options;
    this.#rows = rows;
    this.#options = options;
    this.#start = target.start;
    this.#written = target.start.rows;
    this.#writer = rowWriter(model, !plain);
    this.#writer.undeclared = target.start.undeclaredCells;
    this.#output = new ChunkWriter(target, compress);
    this.#chunkUnits = compress ? chunkUnits.gzip : chunkUnits.plain;
    this.#line = (record) => `${JSON.stringify(record)}\n`;
    if (format === 'csv') {
      const forms = [...csvForms(model)].filter(([name]) => !plain || !name.startsWith('@'));
      const style = { delimiter: checkedDelimiter(options.delimiter), guardFormulas };
      this.#line = (record) => csvText(forms, record, style);
      if (target.start.bytes === 0) this.#text = csvHeaderText(forms, style.delimiter);
    }
  }

  async run(): Promise<ExportResult> {
    await this.#read();
    // An empty file is not valid gzip: without rows it has one empty member.
    const needsMember =
      this.#options.gzip === true && this.#output.chunks === 0 && this.#start.bytes === 0;
    if (this.#text !== '' || needsMember) await this.#output.put(this.#takeChunk());
    await this.#output.finish();
    return {
      rows: this.#written,
      undeclaredCells: this.#writer.undeclared,
      resumedAfter: this.#start.rows,
    };
  }

  /** Ends an export that failed, keeping the whole chunks that were written. */
  stop(): Promise<void> {
    return this.#output.stop();
  }

  async #read(): Promise<void> {
    const { onProgress, signal = this.#rows.source?.signal } = this.#options;
    const { engine, model, ranges } = this.#rows;
    let progress: ScanProgress | undefined;
    if (onProgress !== undefined)
      progress = new ScanProgress(engine, model.table.name, ranges, {
        resumed: this.#start.key !== null,
      });
    for await (const page of pagesAfter(this.#rows, this.#start, signal)) {
      for (const chunk of this.#readPage(page)) await this.#output.put(chunk);
      onProgress?.({
        rows: this.#written,
        fromEarlierRuns: this.#start.rows,
        fraction: progress?.fractionAt(this.#lastKey, this.#writer.bytes),
      });
    }
  }

  /** Reads the whole page before anything is awaited, after which its cursor is not valid. */
  #readPage(page: RowCursor): readonly Chunk[] {
    const chunks: Chunk[] = [];
    while (page.nextRow()) {
      const record = this.#writer.record(page);
      if (record === undefined) continue;
      this.#text += this.#line(record);
      this.#written++;
      this.#lastKey = copyBytes(page.keyBytes, page.keyStart, page.keyEnd);
      if (this.#text.length >= this.#chunkUnits) chunks.push(this.#takeChunk());
    }
    return chunks;
  }

  #takeChunk(): Chunk {
    const text = this.#text;
    this.#text = '';
    let { key } = this.#start;
    if (this.#lastKey !== undefined) key = toHex(this.#lastKey);
    return { text, mark: { key, rows: this.#written, undeclaredCells: this.#writer.undeclared } };
  }
}

const compressed = promisify(gzip) as (text: string) => Promise<Uint8Array>;

/** Writes chunks in order, compressing several concurrently, and stores checkpoints. */
class ChunkWriter {
  chunks = 0;
  readonly #target: ExportTarget;
  readonly #gzip: boolean;
  /** Chunks in flight, oldest first; each waits for the one before it. */
  readonly #writing: Promise<void>[] = [];
  #written: ExportMark | undefined;
  #checkpointAt = performance.now();

  constructor(target: ExportTarget, compress: boolean) {
    this.#target = target;
    this.#gzip = compress;
  }

  /** Resolves when the next chunk may be put. */
  async put(chunk: Chunk): Promise<void> {
    this.chunks++;
    const written = this.#write(chunk, this.#writing.at(-1));
    // Its rejection is handled when it is the oldest chunk and awaited; until then it must not
    // count as unhandled.
    void written.catch(() => undefined);
    this.#writing.push(written);
    await this.#settle(maxInFlight - 1);
    if (performance.now() - this.#checkpointAt < checkpointMs) return;
    await this.#settle(0);
    await this.#checkpoint();
  }

  async finish(): Promise<void> {
    await this.#settle(0);
    await this.#target.finish();
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#writing);
    // If this fails, the last checkpoint is still valid.
    await this.#checkpoint().catch(() => undefined);
    await this.#target.abandon();
  }

  async #write({ text, mark }: Chunk, previous: Promise<void> | undefined): Promise<void> {
    const [bytes] = await Promise.all([
      this.#gzip ? compressed(text) : Buffer.from(text),
      previous,
    ]);
    await this.#target.write(bytes);
    this.#written = mark;
  }

  /** Waits until at most `maxWriting` chunks are in flight. */
  async #settle(maxWriting: number): Promise<void> {
    while (this.#writing.length > maxWriting) {
      await this.#writing[0];
      void this.#writing.shift();
    }
  }

  async #checkpoint(): Promise<void> {
    if (this.#written === undefined) return;
    await this.#target.checkpoint(this.#written);
    this.#checkpointAt = performance.now();
  }
}

const faults = {
  wrongGuardFormulas: (guardFormulas: boolean, format: string) => ({
    problem: `guardFormulas is ${String(guardFormulas)} and the format is ${format}`,
    fix: "give true or false; true needs format: 'csv'",
  }),
} satisfies FaultTexts;
