/** Reads that add their rows to a collector while the caller iterates over them. */
import { copyBytes, latin1Bytes, latin1Text } from '../../../base/index.js';
import type { Clock, RowCursor, RowStream } from '../../../data/store/index.js';
import type { AccessKind } from '../access-log.js';
import type { AccessCollector } from '../collect/access-collector.js';
import { type PageReader, RecordedCursor } from './recorded-cursor.js';

/**
 * Of the pages of a scan, so many times more are looked at than of the rows: pages that are not
 * looked at cost nothing, and rows of many pages make a better sample than all rows of a few.
 */
const pageFactor = 8;

/** Passes on a read, and adds the rows that are chosen. */
abstract class RecordedRead implements RowStream, PageReader {
  protected readonly table: string;
  protected readonly collector: AccessCollector;
  protected abstract readonly kind: AccessKind;
  readonly #stream: RowStream;
  readonly #clock: Clock;
  /** The chosen row that is being read. */
  #key: Uint8Array | undefined;
  #probability = 0;
  #bytes = 0;

  constructor(stream: RowStream, table: string, collector: AccessCollector, clock: Clock) {
    this.#stream = stream;
    this.table = table;
    this.collector = collector;
    this.#clock = clock;
  }

  async next(): Promise<RowCursor | undefined> {
    this.endRow();
    const page = await this.#stream.next();
    if (page === undefined) this.end();
    else if (this.choosesPage()) return new RecordedCursor(page, this);
    return page;
  }

  async close(): Promise<void> {
    this.endRow();
    this.end();
    await this.#stream.close();
  }

  /** Whether rows of the next page may be chosen. */
  protected abstract choosesPage(): boolean;
  /** The probability with which the row is chosen; 0 if it is not. */
  protected abstract choose(page: RowCursor): number;
  /** The read has ended; may be called again. */
  protected abstract end(): void;

  /** Adds a read of a row. */
  protected add(key: Uint8Array, bytes: number, probability: number): void {
    this.collector.add({
      table: this.table,
      kind: this.kind,
      keyBytes: key,
      keyStart: 0,
      keyEnd: key.length,
      bytes,
      at: this.#clock(),
      probability,
    });
  }

  beginRow(page: RowCursor): void {
    this.#probability = this.choose(page);
    if (this.#probability === 0) return;
    this.#key = copyBytes(page.keyBytes, page.keyStart, page.keyEnd);
    this.#bytes = this.#key.length;
  }

  addCell(bytes: number): void {
    this.#bytes += bytes;
  }

  endRow(): void {
    if (this.#key === undefined) return;
    this.add(this.#key, this.#bytes, this.#probability);
    this.#key = undefined;
  }
}

/** A read of ranges: each row that it returns is an operation. */
export class RecordedScan extends RecordedRead {
  protected readonly kind = 'scan';
  #probability = 0;
  /** Of the rows of a page that is looked at. */
  #rowProbability = 0;

  protected choosesPage(): boolean {
    this.#probability = this.collector.probability(this.table);
    const ofPages = Math.min(1, pageFactor * this.#probability);
    if (ofPages === 0 || this.collector.random() >= ofPages) return false;
    this.#rowProbability = this.#probability / ofPages;
    return true;
  }

  protected choose(): number {
    if (this.#rowProbability < 1 && this.collector.random() >= this.#rowProbability) return 0;
    return this.#probability;
  }

  protected end(): void {
    // Rows that were not read are no operations.
  }
}

/** A read of single keys: each is an operation, whether or not it has a row. */
export class RecordedKeys extends RecordedRead {
  protected readonly kind = 'read';
  /** Chosen keys that are not added yet, with their probabilities. */
  readonly #chosen: Map<string, number>;

  constructor(
    stream: RowStream,
    table: string,
    chosen: Map<string, number>,
    collector: AccessCollector,
    clock: Clock,
  ) {
    super(stream, table, collector, clock);
    this.#chosen = chosen;
  }

  protected choosesPage(): boolean {
    return this.#chosen.size > 0;
  }

  protected choose(page: RowCursor): number {
    const key = latin1Text(copyBytes(page.keyBytes, page.keyStart, page.keyEnd));
    const probability = this.#chosen.get(key);
    if (probability === undefined) return 0;
    this.#chosen.delete(key);
    return probability;
  }

  protected end(): void {
    for (const [key, probability] of this.#chosen) this.add(latin1Bytes(key), 0, probability);
    this.#chosen.clear();
  }
}
