/** A read that fails at the position a fault defines. */
import type { RowCursor, RowStream } from '../../../data/store/index.js';
import type { ActiveFault, ReadFault } from './faults.js';

/**
 * The pages of a read until the fault fails it. Afterwards, as after any error, there are no more.
 */
export class FaultyStream implements RowStream {
  #page: CountedPage | undefined;
  #rows = 0;
  #pages = 0;
  #ended = false;
  readonly #inner: RowStream;
  readonly #table: string;
  readonly #fault: ActiveFault<ReadFault> | undefined;
  readonly #wait: () => Promise<void> | undefined;

  /** `wait` is called before each page. */
  constructor(
    inner: RowStream,
    table: string,
    fault: ActiveFault<ReadFault> | undefined,
    wait: () => Promise<void> | undefined,
  ) {
    this.#inner = inner;
    this.#table = table;
    this.#fault = fault;
    this.#wait = wait;
  }

  async next(): Promise<RowCursor | undefined> {
    await this.#wait();
    if (this.#ended) return undefined;
    const fault = this.#fault;
    if (fault === undefined) return this.#inner.next();
    this.#rows += this.#page?.finish() ?? 0;
    this.#page = undefined;
    if (this.#isDue(fault.options) && !fault.cleared) {
      await this.close();
      const { code } = fault.options;
      throw fault.error(code, { table: this.#table, rows: this.#rows, pages: this.#pages });
    }
    const page = await this.#inner.next();
    if (page === undefined || fault.cleared) return page;
    this.#pages++;
    return (this.#page = new CountedPage(page, (fault.options.afterRows ?? Infinity) - this.#rows));
  }

  /** Without either count, a read fails at once. */
  #isDue({ afterRows, afterPages }: ReadFault): boolean {
    if (afterRows === undefined && afterPages === undefined) return true;
    return this.#rows >= (afterRows ?? Infinity) || this.#pages >= (afterPages ?? Infinity);
  }

  close(): Promise<void> {
    this.#ended = true;
    return this.#inner.close();
  }
}

/** The first rows of a page, counted. */
class CountedPage implements RowCursor {
  #rows = 0;
  readonly #page: RowCursor;
  readonly #maxRows: number;

  constructor(page: RowCursor, maxRows: number) {
    this.#page = page;
    this.#maxRows = maxRows;
  }

  /** Skips the rows that the caller did not read. Returns the number of rows in total. */
  finish(): number {
    while (this.nextRow());
    return this.#rows;
  }

  nextRow(): boolean {
    if (this.#rows >= this.#maxRows || !this.#page.nextRow()) return false;
    this.#rows++;
    return true;
  }

  nextCell(): boolean {
    return this.#page.nextCell();
  }
  get keyBytes(): Uint8Array {
    return this.#page.keyBytes;
  }
  get keyStart(): number {
    return this.#page.keyStart;
  }
  get keyEnd(): number {
    return this.#page.keyEnd;
  }
  get family(): string {
    return this.#page.family;
  }
  get qualifierBytes(): Uint8Array {
    return this.#page.qualifierBytes;
  }
  get qualifierStart(): number {
    return this.#page.qualifierStart;
  }
  get qualifierEnd(): number {
    return this.#page.qualifierEnd;
  }
  get valueBytes(): Uint8Array {
    return this.#page.valueBytes;
  }
  get valueStart(): number {
    return this.#page.valueStart;
  }
  get valueEnd(): number {
    return this.#page.valueEnd;
  }
  get labels(): readonly string[] {
    return this.#page.labels;
  }
  timestamp(): bigint {
    return this.#page.timestamp();
  }
}
