/**
 * The rows of a query, of which only those around the visible ones are kept. A block is what one
 * request reads again: its cursor, and how many rows it had. Memory is that of `keptBlocks` blocks
 * and of a cursor for each block that was read.
 */
import { signal } from '@preact/signals';
import type { StudioFailure } from '../../protocol/failure.js';
import type { LeftOutRow, QueryCost, RowView, StudioQuery } from '../../protocol/query.js';
import type { ColumnInfo } from '../../protocol/schema.js';
import { bytesOf, compareBytes } from '../format/bytes.js';
import { failureOf, lines } from '../net/client.js';

/** A line of the table: a row, or one that was met and could not be shown. */
export type GridItem =
  | { readonly kind: 'row'; readonly row: RowView }
  | { readonly kind: 'leftOut'; readonly leftOut: LeftOutRow };

interface Block {
  readonly first: number;
  readonly count: number;
  readonly after: string | undefined;
}

/** Rows of a block, as far as lines of the response allow. */
const blockRows = 500;
const keptBlocks = 12;
/** Rows of one response while reading to the end. */
const longResponse = 10_000;

export class Pager {
  readonly query: StudioQuery;
  readonly columns = signal<readonly ColumnInfo[]>([]);
  /** Lines that were found so far. */
  readonly known = signal(0);
  /** Whether there are no more rows. */
  readonly complete = signal(false);
  readonly reading = signal(false);
  /** Whether the last read was stopped, so that scrolling begins no other one. */
  readonly stopped = signal(false);
  /** Rows that the storage sent while none was found. */
  readonly looked = signal<number | undefined>(undefined);
  readonly cost = signal<QueryCost | undefined>(undefined);
  readonly failure = signal<StudioFailure | undefined>(undefined);
  /** Counts up whenever rows became available or were dropped. */
  readonly version = signal(0);
  table = '';

  readonly #blocks: Block[] = [];
  /** By number of the block, least recently used first. */
  readonly #kept = new Map<number, readonly GridItem[]>();
  readonly #loading = new Set<number>();
  #next: string | undefined;
  #cancel = new AbortController();

  constructor(query: StudioQuery) {
    this.query = query;
  }

  /** The line at a position; undefined while it is read again. */
  itemAt(position: number): GridItem | undefined {
    const number = this.#blockOf(position);
    if (number < 0) return undefined;
    const items = this.#kept.get(number);
    if (items === undefined) {
      void this.#reload(number);
      return undefined;
    }
    this.#kept.delete(number);
    this.#kept.set(number, items);
    return items[position - this.#blocks[number].first];
  }

  /** Reads the next block. */
  async more(): Promise<void> {
    await this.#read(blockRows, false);
  }

  /** Reads all that is left, and keeps the last of it. */
  async readToEnd(): Promise<void> {
    await this.#read(longResponse, true);
  }

  /** Stops what is being read; rows that were found stay. */
  stop(): void {
    this.#cancel.abort();
    this.#cancel = new AbortController();
    this.stopped.value = this.reading.value;
    this.reading.value = false;
  }

  async #read(size: number, toEnd: boolean): Promise<void> {
    if (this.reading.value || this.complete.value) return;
    this.reading.value = true;
    this.stopped.value = false;
    this.failure.value = undefined;
    const { signal: cancel } = this.#cancel;
    try {
      do await this.#response(size, cancel);
      while (toEnd && !this.complete.value && !cancel.aborted);
    } catch (error) {
      this.failure.value = failureOf(error);
    } finally {
      if (!cancel.aborted) this.reading.value = false;
      this.looked.value = undefined;
    }
  }

  async #response(size: number, cancel: AbortSignal): Promise<void> {
    let items: GridItem[] = [];
    let after = this.#next;
    const close = (next: string | undefined): void => {
      this.#append(items, after);
      [items, after, this.#next] = [[], next, next];
    };
    const request = { query: this.query, size, after };
    for await (const line of lines('rows', request, cancel)) {
      if (line.type === 'columns') {
        this.columns.value = line.columns;
        this.table = line.table;
      } else if (line.type === 'progress') {
        this.looked.value = line.done;
      } else if (line.type === 'rows') {
        items.push(...inOrder(line.rows, line.leftOut));
        this.looked.value = undefined;
        if (items.length >= blockRows && line.next !== undefined) close(line.next);
      } else {
        close(line.next);
        this.cost.value = added(this.cost.value, line.cost);
        this.complete.value = line.next === undefined;
      }
    }
  }

  #append(items: readonly GridItem[], after: string | undefined): void {
    if (items.length === 0) return;
    this.#keep(this.#blocks.length, items);
    this.#blocks.push({ first: this.known.value, count: items.length, after });
    this.known.value += items.length;
    this.version.value++;
  }

  #keep(number: number, items: readonly GridItem[]): void {
    this.#kept.set(number, items);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptBlocks) break;
      this.#kept.delete(oldest);
    }
  }

  /** Reads a block again that was dropped; what changed meanwhile is shown as it is now. */
  async #reload(number: number): Promise<void> {
    if (this.#loading.has(number)) return;
    this.#loading.add(number);
    const { after, count } = this.#blocks[number];
    const items: GridItem[] = [];
    try {
      const request = { query: this.query, size: count, after };
      for await (const line of lines('rows', request, this.#cancel.signal))
        if (line.type === 'rows') items.push(...inOrder(line.rows, line.leftOut));
      this.#keep(number, items.slice(0, count));
      this.version.value++;
    } catch (error) {
      this.failure.value = failureOf(error);
    } finally {
      this.#loading.delete(number);
    }
  }

  #blockOf(position: number): number {
    let [low, high] = [0, this.#blocks.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { first, count } = this.#blocks[middle];
      if (position < first) high = middle - 1;
      else if (position >= first + count) low = middle + 1;
      else return middle;
    }
    return -1;
  }
}

const added = (one: QueryCost | undefined, other: QueryCost): QueryCost => ({
  ms: (one?.ms ?? 0) + other.ms,
  requests: (one?.requests ?? 0) + other.requests,
  rowsRead: (one?.rowsRead ?? 0) + other.rowsRead,
  bytesRead: (one?.bytesRead ?? 0) + other.bytesRead,
});

/** Puts rows that were left out between the others, if these are in the order of their keys. */
function inOrder(rows: readonly RowView[], leftOut: readonly LeftOutRow[]): readonly GridItem[] {
  const shown = rows.map((row): GridItem => ({ kind: 'row', row }));
  const hidden = leftOut.map((each): GridItem => ({ kind: 'leftOut', leftOut: each }));
  if (hidden.length === 0) return shown;
  const direction = directionOf(rows);
  const all = [...shown, ...hidden];
  if (direction === 0) return all;
  return all.sort((one, other) => direction * compareBytes(keyOf(one), keyOf(other)));
}

const keyOf = (item: GridItem): Uint8Array =>
  bytesOf(item.kind === 'row' ? item.row.key : item.leftOut.key) ?? new Uint8Array();

/** 1 for ascending keys, -1 for descending ones, 0 for another order. */
function directionOf(rows: readonly RowView[]): number {
  const keys = rows.map(({ key }) => bytesOf(key) ?? new Uint8Array());
  const steps = keys.slice(1).map((key, i) => Math.sign(compareBytes(key, keys[i])));
  if (steps.every((step) => step >= 0)) return 1;
  return steps.every((step) => step <= 0) ? -1 : 0;
}
