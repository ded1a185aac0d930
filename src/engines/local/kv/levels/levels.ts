/**
 * Which tables are the database, by level. Tables of level 0 may overlap; the newest is first. Each
 * deeper level is one run of disjoint entries in key order, and older than the levels above it. An
 * object of this class never changes.
 */
import { compareBytes, compareSlices } from '../../../../base/index.js';
import type { PairRun } from '../pair-run.js';
import type { Table } from '../tables/table.js';
import { TableRun } from './table-run.js';
import {
  firstAfter,
  type KeySpan,
  overlaps,
  overlapping,
  type TableEntry,
  withoutSpan,
} from './table-entry.js';

/** Levels below level 0. */
export const depth = 6;

/** What a merge has written so far. */
export interface MergedPart {
  /** The entries that are merged. Their keys before `end`, or all, are in the outputs now. */
  readonly inputs: readonly TableEntry[];
  readonly end: Uint8Array | undefined;
  /** Entries that take their place, and their level. */
  readonly outputs: readonly TableEntry[];
  readonly level: number;
}

export class Levels {
  /** Of no tables. */
  static readonly empty = new Levels(Array.from({ length: depth + 1 }, () => []));

  readonly isEmpty: boolean;

  constructor(readonly entries: readonly (readonly TableEntry[])[]) {
    this.isEmpty = entries.every(({ length }) => length === 0);
  }

  map(tableOf: (table: Table) => Table): Levels {
    return new Levels(
      this.entries.map((level) =>
        level.map((entry) => ({ ...entry, table: tableOf(entry.table) })),
      ),
    );
  }

  tables(): Set<Table> {
    return new Set(this.entries.flatMap((level) => level.map(({ table }) => table)));
  }

  /**
   * The table with the newest pair for the key in `[start, end)` of a buffer and its hash, which
   * then has it as its found pair; undefined if no table has the key.
   */
  find(key: Uint8Array, start: number, end: number, hash: number): Table | undefined {
    const { entries } = this;
    // The bounds first: a damaged index fails only what needs keys of its table.
    for (const entry of entries[0]) {
      const { table } = entry;
      if (isWithin(entry, key, start, end) && table.mayHave(hash) && table.find(key, start, end))
        return table;
    }
    for (let level = 1; level < entries.length; level++) {
      if (entries[level].length === 0) continue;
      const table = entryOf(entries[level], key, start, end)?.table;
      if (table?.mayHave(hash) === true && table.find(key, start, end)) return table;
    }
    return undefined;
  }

  /** Runs over the pairs of a span, the newest first. */
  runs(start: Uint8Array, end: Uint8Array, reversed: boolean): PairRun[] {
    const span = { start, end };
    const runs: PairRun[] = [];
    this.entries.forEach((level, depth) => {
      if (depth === 0) {
        for (const entry of level)
          if (overlaps(entry, span)) runs.push(new TableRun([entry], start, end, reversed));
        return;
      }
      const found = overlapping(level, span);
      if (found.length > 0) runs.push(new TableRun(found, start, end, reversed));
    });
    return runs;
  }

  withNewest(entries: readonly TableEntry[]): Levels {
    return this.#with(0, [...entries, ...this.entries[0]]);
  }

  without(span: KeySpan): Levels {
    if (!this.entries.some((level) => level.some((entry) => overlaps(entry, span)))) return this;
    return new Levels(
      this.entries.map((level) => level.flatMap((entry) => withoutSpan(entry, span))),
    );
  }

  /** After entries were moved to a deeper level, where nothing overlaps with them. */
  withMoved(moved: readonly TableEntry[], level: number): Levels {
    return this.withMerged({ inputs: moved, end: undefined, outputs: moved, level });
  }

  /** After a part of a merge was written. */
  withMerged({ inputs, end, outputs, level }: MergedPart): Levels {
    const inputsOf = new Map<Table, TableEntry[]>();
    for (const input of [...inputs].sort((x, y) => compareBytes(x.start, y.start))) {
      const found = inputsOf.get(input.table);
      if (found === undefined) inputsOf.set(input.table, [input]);
      else found.push(input);
    }
    const rest = this.entries.map((entries) =>
      entries.flatMap((entry) => {
        let parts: readonly TableEntry[] = [entry];
        for (const input of overlapping(inputsOf.get(entry.table) ?? [], entry)) {
          const merged = end === undefined || compareBytes(input.end, end) <= 0 ? input.end : end;
          const span = { start: input.start, end: merged };
          if (compareBytes(span.start, span.end) < 0)
            parts = parts.flatMap((part) => withoutSpan(part, span));
        }
        return parts;
      }),
    );
    const merged = [...rest[level], ...outputs].sort((x, y) => compareBytes(x.start, y.start));
    return new Levels(rest.map((entries, index) => (index === level ? merged : entries)));
  }

  #with(level: number, entries: readonly TableEntry[]): Levels {
    return new Levels(this.entries.map((old, index) => (index === level ? entries : old)));
  }
}

function isWithin(span: KeySpan, key: Uint8Array, start: number, end: number): boolean {
  return (
    compareSlices(span.start, 0, span.start.length, key, start, end) <= 0 &&
    compareSlices(span.end, 0, span.end.length, key, start, end) > 0
  );
}

/** The entry of a run that may have the key. */
function entryOf(
  run: readonly TableEntry[],
  key: Uint8Array,
  start: number,
  end: number,
): TableEntry | undefined {
  const entry = run[firstAfter(run, key, start, end)];
  if (entry === undefined) return undefined;
  const isBefore = compareSlices(entry.start, 0, entry.start.length, key, start, end) > 0;
  return isBefore ? undefined : entry;
}
