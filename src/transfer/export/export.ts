/** Rows of an entity -> a file or a stream, as JSON Lines or CSV. */
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip as compress } from 'node:zlib';
import { fromHex, type KeyRange, toHex, unionRanges, copyBytes } from '../../bytes/index.js';
import type { EntityModel } from '../../model/index.js';
import { everything, planOf, rangesAfter, rangesOf } from '../../query/index.js';
import { type Engine, type RowCursor } from '../../store/index.js';
import { exportIdentity, type ExportPosition } from './export-state.js';
import { type ExportMark, type ExportTarget, openTarget } from './export-target.js';
import { csvForms, csvText } from '../file/line-reader.js';
import { checkFormat, type RowFormat } from '../file/row-file.js';
import { type RowWriter, rowWriter } from './row-writer.js';
import { type RowRecord } from '../text/row-record.js';
import { ScanShare } from '../scan-progress.js';

/** How far an export is. */
export interface ExportProgress {
  /** Rows of the output, those of an earlier run too. */
  readonly rows: number;
  /** Of these, rows that an earlier run had written. */
  readonly earlier: number;
  /**
   * Estimated share of the whole, 0 to 1: from keys that storage samples. Undefined in the first
   * second, and where storage knows nothing.
   */
  readonly share: number | undefined;
}

/** How to export. */
export interface ExportOptions {
  readonly format: RowFormat;
  /** Compress the output, as members of gzip one behind the other; default false. */
  readonly gzip?: boolean;
  /**
   * Leave timestamps and older versions out: for other programs. Default false: what is exported is
   * imported as it was.
   */
  readonly plain?: boolean;
  /**
   * Go on where an export into this file was stopped: the same entity, declaration, database and
   * options. Default false.
   */
  readonly resume?: boolean;
  /** Called after each page. */
  readonly onProgress?: (progress: ExportProgress) => void;
  readonly signal?: AbortSignal;
}

/** What was exported. */
export interface ExportResult {
  /** Rows of the output, those of an earlier run too. */
  readonly rows: number;
  /** Cells in the entity's rows that it does not declare: they are not in the file. */
  readonly undeclaredCells: number;
  /** How many of the rows an earlier run had written; 0 without one. */
  readonly resumedAfter: number;
}

/**
 * UTF-16 units after which a chunk ends, with the record that reaches them. A chunk is one write,
 * or one member of gzip: members depend on the rows alone.
 */
const chunkUnits = { plain: 1 << 16, gzip: 1 << 20 } as const;
/** Chunks that are compressed and written while more is read. */
const inFlight = 3;
/** Milliseconds between two states on the disk. */
const keepEvery = 500;

/**
 * Writes every row of the entity. A file takes its place when all is written; until then what was
 * there stays. About twice a second it is noted beside the file how far the export is, with
 * everything before it on the disk: with `resume` another run goes on there, and over the same rows
 * it ends with the same bytes. Throws DAMAGED_CELL, FILE_FAILED.
 */
export async function exportRows(
  engine: Engine,
  model: EntityModel,
  to: string | Writable,
  options: ExportOptions,
): Promise<ExportResult> {
  const { format, gzip = false, plain = false, resume = false } = options;
  checkFormat(format);
  const target = await openTarget(
    to,
    exportIdentity(engine, model, { format, gzip, plain }),
    resume,
  );
  const run = new ExportRun(engine, model, target, options);
  try {
    return await run.run();
  } catch (error) {
    await run.stop();
    throw error;
  }
}

interface Chunk {
  readonly text: string;
  readonly mark: ExportMark;
}

class ExportRun {
  readonly #engine: Engine;
  readonly #model: EntityModel;
  readonly #options: ExportOptions;
  readonly #start: ExportPosition;
  readonly #writer: RowWriter;
  readonly #line: (record: RowRecord) => string;
  readonly #output: ChunkWriter;
  readonly #units: number;
  /** Of the chunk that is gathered. */
  #text = '';
  #rows: number;
  #key: Uint8Array | undefined;

  constructor(engine: Engine, model: EntityModel, target: ExportTarget, options: ExportOptions) {
    const { format, gzip = false, plain = false } = options;
    this.#engine = engine;
    this.#model = model;
    this.#options = options;
    this.#start = target.start;
    this.#rows = target.start.rows;
    this.#writer = rowWriter(model, !plain);
    this.#writer.undeclared = target.start.undeclaredCells;
    this.#output = new ChunkWriter(target, gzip);
    this.#units = gzip ? chunkUnits.gzip : chunkUnits.plain;
    const forms = [...csvForms(model)].filter(([property]) => !plain || !property.startsWith('@'));
    this.#line =
      format === 'csv'
        ? (record) => csvText(forms, record)
        : (record) => `${JSON.stringify(record)}\n`;
    if (format === 'csv' && target.start.bytes === 0)
      this.#text = csvText(
        forms,
        Object.fromEntries(forms.map(([property]) => [property, property])),
      ).replaceAll('"', '');
  }

  async run(): Promise<ExportResult> {
    const ranges = this.#ranges();
    if (ranges.length > 0) await this.#read(ranges);
    // Compressed, no rows are a member too: an empty file would be no gzip.
    if (
      this.#text !== '' ||
      (this.#options.gzip === true && this.#output.chunks === 0 && this.#start.bytes === 0)
    )
      await this.#output.put(this.#chunk());
    await this.#output.finish();
    return {
      rows: this.#rows,
      undeclaredCells: this.#writer.undeclared,
      resumedAfter: this.#start.rows,
    };
  }

  /** Keeps what is written of whole chunks, if any. */
  stop(): Promise<void> {
    return this.#output.stop();
  }

  async #read(ranges: readonly KeyRange[]): Promise<void> {
    const { onProgress, signal } = this.#options;
    const table = this.#model.table.name;
    const share =
      onProgress === undefined
        ? undefined
        : new ScanShare(this.#engine, table, ranges, { resumed: this.#start.key !== null });
    const stream = this.#engine.readRows(
      { table, ranges, reversed: false, ...filterOf(this.#model) },
      { signal },
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        const { chunks, last } = this.#take(page);
        for (const chunk of chunks) await this.#output.put(chunk);
        onProgress?.({
          rows: this.#rows,
          earlier: this.#start.rows,
          share: last === undefined ? undefined : share?.after(last, this.#writer.bytes),
        });
      }
    } finally {
      await stream.close();
    }
  }

  /** Reads a page to its end, before anything is waited for. */
  #take(page: RowCursor): {
    readonly chunks: readonly Chunk[];
    readonly last: Uint8Array | undefined;
  } {
    const chunks: Chunk[] = [];
    while (page.nextRow()) {
      const record = this.#writer.record(page);
      if (record === undefined) continue;
      this.#text += this.#line(record);
      this.#rows++;
      this.#key = copyBytes(page.keyBytes, page.keyStart, page.keyEnd);
      if (this.#text.length >= this.#units) chunks.push(this.#chunk());
    }
    return { chunks, last: this.#key };
  }

  #chunk(): Chunk {
    const text = this.#text;
    this.#text = '';
    return {
      text,
      mark: {
        key: this.#key === undefined ? this.#start.key : toHex(this.#key),
        rows: this.#rows,
        undeclaredCells: this.#writer.undeclared,
      },
    };
  }

  /** What is still to be read. */
  #ranges(): readonly KeyRange[] {
    const whole = unionRanges(rangesOf(this.#model, everything.key).perShard.flat());
    const { key } = this.#start;
    return key === null ? whole : rangesAfter(whole, fromHex(key)!, false);
  }
}

const compressed = promisify(compress) as (text: string) => Promise<Uint8Array>;

/**
 * Writes chunks in their order, some of them compressed at once; now and then notes how far it is.
 */
class ChunkWriter {
  chunks = 0;
  readonly #target: ExportTarget;
  readonly #gzip: boolean;
  /** Chunks under way, the oldest first; each waits for the one before it. */
  readonly #writing: Promise<void>[] = [];
  #written: ExportMark | undefined;
  #keptAt = performance.now();

  constructor(target: ExportTarget, gzip: boolean) {
    this.#target = target;
    this.#gzip = gzip;
  }

  /** Resolves when more may follow. */
  async put(chunk: Chunk): Promise<void> {
    this.chunks++;
    const written = this.#write(chunk, this.#writing.at(-1));
    // Its failure is met where the oldest chunk is waited for; until then it is nobody's.
    void written.catch(() => undefined);
    this.#writing.push(written);
    await this.#settle(inFlight - 1);
    if (performance.now() - this.#keptAt < keepEvery) return;
    await this.#settle(0);
    await this.#keep();
  }

  async finish(): Promise<void> {
    await this.#settle(0);
    await this.#target.finish();
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#writing);
    // What was kept before is still true.
    await this.#keep().catch(() => undefined);
    await this.#target.abandon();
  }

  async #write({ text, mark }: Chunk, before: Promise<void> | undefined): Promise<void> {
    const [bytes] = await Promise.all([this.#gzip ? compressed(text) : Buffer.from(text), before]);
    await this.#target.write(bytes);
    this.#written = mark;
  }

  async #settle(most: number): Promise<void> {
    while (this.#writing.length > most) {
      await this.#writing[0];
      void this.#writing.shift();
    }
  }

  async #keep(): Promise<void> {
    if (this.#written === undefined) return;
    await this.#target.keep(this.#written);
    this.#keptAt = performance.now();
  }
}

/** Only the families of the entity: others may hold much, and are not its own. */
function filterOf(model: EntityModel): {
  readonly filter: { readonly kind: 'families'; readonly families: readonly string[] };
} {
  return {
    filter: {
      kind: 'families',
      families: planOf(model, everything, { perShard: [] }).projection.families,
    },
  };
}
