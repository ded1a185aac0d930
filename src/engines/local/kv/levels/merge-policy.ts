/**
 * Decides what is merged next. The bounds that follow from it are in FORMAT.md: at most
 * `maxNewest` tables of level 0 and a run for each deeper level are read for a key; each level but
 * the deepest has at most `levelBytes * ratio^(level - 1)` bytes and one table more.
 */
import { compareBytes } from '../../../../base/index.js';
import type { Table } from '../tables/table.js';
import { depth, type Levels } from './levels.js';
import {
  entryBytes,
  isWhole,
  overlapping,
  overlaps,
  spanOf,
  type TableEntry,
} from './table-entry.js';

/** Sizes in bytes, and numbers of tables. */
export interface LevelLimits {
  /** Tables of level 0 that are merged. */
  readonly newest: number;
  /** Bytes of level 1. */
  readonly level: number;
  /** Bytes of each deeper level, as a multiple of the level above. */
  readonly ratio: number;
  readonly table: number;
}

export interface MergePlan {
  /** Runs of entries, the newest first. */
  readonly runs: readonly (readonly TableEntry[])[];
  /** The level of the result. */
  readonly level: number;
  /** True if no older pairs exist in the span, so that removals are not needed any more. */
  readonly isOldest: boolean;
  /** True if the entries move to the level as they are. */
  readonly isMove: boolean;
}

/** From this share of removals or of unused bytes on, a table is merged before it is due. */
const maxRemovals = 0.2;
const maxUnused = 0.5;
/** Fewer removals are never the reason of a merge. */
const minRemovals = 256;
/** So many bytes are merged for each removal at most. */
const bytesForRemoval = 16 * 1024;
/** Tables that a step of a compaction merges. */
const stepTables = 4;

/** The next merge; undefined if none is due. `cursors` says by level where the last merge ended. */
export function nextMerge(
  levels: Levels,
  limits: LevelLimits,
  cursors: readonly (Uint8Array | undefined)[],
): MergePlan | undefined {
  const { entries } = levels;
  if (entries[0].length >= limits.newest) return mergeNewest(levels);
  const wasteful = wastefulMerge(levels);
  if (wasteful !== undefined) return wasteful;
  let level = 0;
  let highest = 1;
  for (let i = 1; i < depth; i++) {
    const bytes = entries[i].reduce((sum, entry) => sum + entryBytes(entry), 0);
    const score = bytes / levelBytes(limits, i);
    if (score > highest) [level, highest] = [i, score];
  }
  if (level === 0) return undefined;
  return mergeDown(levels, level, nextParts(entries[level], cursors[level]));
}

/** A merge of a table that is mostly removals, or mostly unused. */
function wastefulMerge(levels: Levels): MergePlan | undefined {
  const { entries } = levels;
  for (let level = 0; level <= depth; level++) {
    const used = usedBytes(entries[level]);
    for (const [index, entry] of entries[level].entries()) {
      if (!isWasteful(entry, used)) continue;
      const parts = partsFrom(entries[level], index);
      const span = spanOf(parts);
      const below = overlapping(entries[level + 1] ?? [], span);
      if (!isWorthwhile(entry, used, below)) continue;
      if (level === 0) return mergeNewest(levels);
      const deeper = entries.slice(level + 1);
      const isOldest = !deeper.some((run) => overlapping(run, span).length > 0);
      if (!isOldest) return mergeDown(levels, level, parts);
      return { runs: [parts], level, isOldest: true, isMove: false };
    }
  }
  return undefined;
}

type UsedBytes = ReadonlyMap<Table, number>;

/** Bytes of each table that entries of a level have: removed ranges split a table into many. */
function usedBytes(entries: readonly TableEntry[]): UsedBytes {
  const used = new Map<Table, number>();
  for (const entry of entries)
    used.set(entry.table, (used.get(entry.table) ?? 0) + entryBytes(entry));
  return used;
}

/** The entry at an index, and the entries of its table that follow it. */
function partsFrom(entries: readonly TableEntry[], index: number): readonly TableEntry[] {
  let end = index + 1;
  while (end < entries.length && entries[end].table === entries[index].table) end++;
  return entries.slice(index, end);
}

function isWasteful({ table }: TableEntry, used: UsedBytes): boolean {
  const { removals, pairs, bytes } = table.info;
  if (removals >= minRemovals && removals >= maxRemovals * pairs) return true;
  return used.get(table)! < maxUnused * bytes;
}

/** True if a merge with the entries below is not much work for what it removes. */
function isWorthwhile(
  { table }: TableEntry,
  used: UsedBytes,
  below: readonly TableEntry[],
): boolean {
  const { removals, bytes } = table.info;
  const unused = Math.max(0, bytes - used.get(table)!);
  const work = below.reduce((sum, other) => sum + entryBytes(other), 0);
  return removals * bytesForRemoval + 8 * unused >= work;
}

/** A part of the compaction of all tables, and where the next part begins. */
export interface CompactionStep {
  /** Undefined if the part is one run without removals already. */
  readonly plan: MergePlan | undefined;
  /** Undefined after the last part. */
  readonly next: Uint8Array | undefined;
}

/**
 * Merges what all levels have of the keys from `from` on into the deepest level, so much that it
 * takes about a second. A compaction that goes from key to key ends beside writers.
 */
export function compactionStep(
  { entries }: Levels,
  limits: LevelLimits,
  from: Uint8Array,
): CompactionStep {
  const level = Math.max(
    1,
    entries.findLastIndex(({ length }) => length > 0),
  );
  const span = { start: from, end: endOfStep(entries, limits, from) };
  const runs: (readonly TableEntry[])[] = [];
  entries.forEach((run, index) => {
    const inside = run.flatMap((entry) => clipped(entry, span));
    if (index === 0) runs.push(...inside.map((entry) => [entry]));
    else if (inside.length > 0) runs.push(inside);
  });
  const next = span.end;
  if (runs.length === 0 || (runs.length === 1 && isClean(runs[0], entries[level], limits)))
    return { plan: undefined, next };
  return { plan: { runs, level, isOldest: true, isMove: false }, next };
}

/** True if the run consists of whole tables of the deepest level, without removals. */
function isClean(
  run: readonly TableEntry[],
  deepest: readonly TableEntry[],
  limits: LevelLimits,
): boolean {
  const isSmall = run.length > 1 && run.some(({ table }) => table.info.bytes < limits.table / 4);
  return (
    !isSmall &&
    run.every((entry) => isWhole(entry) && entry.table.info.removals === 0) &&
    run.every(({ table }) => deepest.some((entry) => entry.table === table))
  );
}

/** A key after `from` such that not much more than some tables' bytes are before it. */
function endOfStep(
  entries: Levels['entries'],
  limits: LevelLimits,
  from: Uint8Array,
): Uint8Array | undefined {
  const rest = entries.slice(1).flatMap((run) => run.filter(({ end }) => isLess(from, end)));
  rest.sort((a, b) => compareBytes(a.end, b.end));
  let bytes = 0;
  for (const entry of rest) {
    bytes += entryBytes(entry);
    if (bytes >= stepTables * limits.table) return entry.end;
  }
  return undefined;
}

function clipped(
  entry: TableEntry,
  { start, end }: { readonly start: Uint8Array; readonly end: Uint8Array | undefined },
): TableEntry[] {
  const low = isLess(entry.start, start) ? start : entry.start;
  const high = end !== undefined && isLess(end, entry.end) ? end : entry.end;
  return isLess(low, high) ? [{ table: entry.table, start: low, end: high }] : [];
}

function isLess(a: Uint8Array, b: Uint8Array): boolean {
  return compareBytes(a, b) < 0;
}

export function levelBytes({ level, ratio }: LevelLimits, index: number): number {
  return level * ratio ** (index - 1);
}

/** Merges level 0 into level 1, or moves its tables that overlap with no other. */
function mergeNewest(levels: Levels): MergePlan {
  const [newest] = levels.entries;
  const used = usedBytes(newest);
  const movable = newest.filter(
    (entry) =>
      !newest.some((other) => other !== entry && overlaps(other, entry)) &&
      overlapping(levels.entries[1], entry).length === 0 &&
      !isWasteful(entry, used),
  );
  if (movable.length > 0) return { runs: [movable], level: 1, isOldest: false, isMove: true };
  return planOf(
    levels,
    newest.map((entry) => [entry]),
    1,
  );
}

/** Merges entries of one table into the level below, or moves them there. */
function mergeDown(levels: Levels, level: number, parts: readonly TableEntry[]): MergePlan {
  const below = overlapping(levels.entries[level + 1] ?? [], spanOf(parts));
  if (below.length === 0 && !isWasteful(parts[0], usedBytes(levels.entries[level])))
    return { runs: [parts], level: level + 1, isOldest: false, isMove: true };
  return planOf(levels, [parts], level + 1);
}

/** Merges runs with the entries of a deeper level that overlap with them. */
function planOf(
  levels: Levels,
  runs: readonly (readonly TableEntry[])[],
  level: number,
): MergePlan {
  const span = spanOf(runs.flat());
  const target = overlapping(levels.entries[level], span);
  const all = target.length > 0 ? [...runs, target] : runs;
  const isOldest = !levels.entries
    .slice(level + 1)
    .some((deeper) => overlapping(deeper, spanOf(all.flat())).length > 0);
  return { runs: all, level, isOldest, isMove: false };
}

/** The entries of the first table after the one that was merged last, in turn. */
function nextParts(
  entries: readonly TableEntry[],
  after: Uint8Array | undefined,
): readonly TableEntry[] {
  if (after === undefined) return partsFrom(entries, 0);
  const index = entries.findIndex(({ start }) => compareBytes(start, after) >= 0);
  return partsFrom(entries, Math.max(0, index));
}
