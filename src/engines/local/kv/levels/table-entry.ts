/** A table in a level, with the part of its keys that belongs to the level. */
import { compareBytes, compareSlices, nextKey } from '../../../../base/index.js';
import type { Table } from '../tables/table.js';

/** Keys `start <= key < end`. */
export interface KeySpan {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/**
 * The pairs of a table with `start <= key < end`. Other pairs of the table were removed, or a merge
 * has written them to another table. Several entries may share a table.
 */
export interface TableEntry extends KeySpan {
  readonly table: Table;
}

export function wholeTable(table: Table): TableEntry {
  return { table, start: table.info.first, end: nextKey(table.info.last) };
}

/** True if the entry has all pairs of its table. */
export function isWhole({ table: { info }, start, end }: TableEntry): boolean {
  return compareBytes(start, info.first) <= 0 && compareBytes(end, info.last) > 0;
}

/** Estimated bytes of the entry in its file. */
export function entryBytes(entry: TableEntry): number {
  const { table, start, end } = entry;
  if (isWhole(entry)) return table.info.bytes;
  return Math.min(table.info.bytes, table.bytesBetween(start, end));
}

export function overlaps(a: KeySpan, b: KeySpan): boolean {
  return compareBytes(a.start, b.end) < 0 && compareBytes(b.start, a.end) < 0;
}

/** The parts of an entry outside of a span: none, one or two. */
export function withoutSpan(entry: TableEntry, span: KeySpan): readonly TableEntry[] {
  if (!overlaps(entry, span)) return [entry];
  const { table, start, end } = entry;
  const parts: TableEntry[] = [];
  if (compareBytes(start, span.start) < 0) parts.push({ table, start, end: span.start });
  if (compareBytes(span.end, end) < 0) parts.push({ table, start: span.end, end });
  return parts;
}

/** The smallest span with all entries. */
export function spanOf(entries: readonly KeySpan[]): KeySpan {
  let { start, end } = entries[0];
  for (const entry of entries) {
    if (compareBytes(entry.start, start) < 0) start = entry.start;
    if (compareBytes(entry.end, end) > 0) end = entry.end;
  }
  return { start, end };
}

/** The entries, which are disjoint and in key order, that overlap with a span. */
export function overlapping(entries: readonly TableEntry[], span: KeySpan): readonly TableEntry[] {
  const from = firstAfter(entries, span.start, 0, span.start.length);
  let to = from;
  while (to < entries.length && compareBytes(entries[to].start, span.end) < 0) to++;
  return from === to ? none : entries.slice(from, to);
}

const none: readonly TableEntry[] = [];

/**
 * Index of the first entry that ends after the key in `[start, end)` of a buffer; entries are
 * disjoint and in key order.
 */
export function firstAfter(
  entries: readonly TableEntry[],
  key: Uint8Array,
  start: number,
  end: number,
): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const bound = entries[middle].end;
    if (compareSlices(bound, 0, bound.length, key, start, end) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytes of the tables of entries. */
export function sizeOf(entries: readonly TableEntry[]): number {
  return entries.reduce((sum, { table }) => sum + table.info.bytes, 0);
}

/** The parts of entries outside of spans. */
export function withoutSpans(
  entries: readonly TableEntry[],
  spans: readonly KeySpan[],
): readonly TableEntry[] {
  return spans.reduce<readonly TableEntry[]>(
    (rest, span) => rest.flatMap((entry) => withoutSpan(entry, span)),
    entries,
  );
}
