/**
 * A loose index scan as one read, where the engine can skip rows: after the first row of each group
 * it continues after the group.
 */
import {
  compareBytes,
  copyBytes,
  type KeyRange,
  rangeContains,
  unionRanges,
} from '../../../../base/index.js';
import type { RowCursor } from '../../../../data/store/index.js';
import {
  keyedRow,
  openWrappedRows,
  type Keyed,
  type Pages,
  type Wrap,
} from '../rows/entity-pages.js';
import { groupOf, type Lane } from './group-lanes.js';
import type { GroupScanContext } from './group-scan.js';

/** Groups in a page: some 3 us each. */
const maxPageRows = 256;

/** Reads the groups of the lanes of one shard. `limit` is the number of groups that are needed. */
export function openSkipScan(
  scan: GroupScanContext,
  lanes: readonly Lane[],
  limit: number | undefined,
): Pages<object> {
  return openScan(scan, lanes, limit, (row) => row);
}

/** The same with the keys of the rows. */
export function openKeyedSkipScan(
  scan: GroupScanContext,
  lanes: readonly Lane[],
  limit: number | undefined,
): Pages<Keyed> {
  return openScan(scan, lanes, limit, keyedRow);
}

function openScan<R>(
  scan: GroupScanContext,
  lanes: readonly Lane[],
  limit: number | undefined,
  resultOf: (row: object, cursor: RowCursor) => R,
): Pages<R> {
  const { context, model, plan, signal } = scan;
  const { key, reversed } = plan.query;
  const read = {
    table: model.table.name,
    ranges: unionRanges(lanes.flatMap(({ ranges }) => ranges)),
    reversed,
    filter: plan.selection.filter,
  };
  // No limit: rows that are no results would count. Pages are not longer than what is needed.
  const pageRows = limit === undefined ? undefined : Math.min(limit, maxPageRows);
  const paged = { ...plan, query: { ...plan.query, pageRows } };
  const wrap = key.bound === undefined ? firstOf(scan, resultOf) : firstInBound(scan, resultOf);
  return openWrappedRows(context, model, paged, read, { signal, wrap });
}

/** Returns each row, and skips the other rows of its group. */
function firstOf<R>(
  { model, plan }: GroupScanContext,
  resultOf: (row: object, cursor: RowCursor) => R,
): Wrap<R> {
  const { firstPer, reversed } = plan.query;
  const afterGroup = model.key.prefixSkip(firstPer!);
  return (row, cursor) => {
    const next = afterGroup(cursor.keyBytes, cursor.keyStart, cursor.keyEnd, reversed);
    const result = resultOf(row, cursor);
    cursor.skipTo!(next);
    return result;
  };
}

/** Returns the first row of each group within the bound of the query. */
function firstInBound<R>(
  scan: GroupScanContext,
  resultOf: (row: object, cursor: RowCursor) => R,
): Wrap<R> {
  const { firstPer, reversed } = scan.plan.query;
  const afterGroup = scan.model.key.prefixSkip(firstPer!);
  return (row, cursor) => {
    const found = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
    const wanted = rangesInBound(scan, row, found);
    const next = afterGroup(found, 0, found.length, reversed);
    if (wanted.some((range) => rangeContains(range, found))) {
      const result = resultOf(row, cursor);
      cursor.skipTo!(next);
      return result;
    }
    cursor.skipTo!(nextRange(wanted, found, reversed) ?? next);
    return undefined;
  };
}

/** The part of a row's group that is within the bound of the query, in the shard of its key. */
function rangesInBound(
  { model, plan }: GroupScanContext,
  row: object,
  found: Uint8Array,
): readonly KeyRange[] {
  const { key, firstPer } = plan.query;
  const { perShard } = model.key.ranges({
    fixed: groupOf(model, firstPer!, row),
    bound: key.bound,
  });
  const shard = model.key.shardOf(found);
  return (
    perShard.find((ranges) => ranges.length > 0 && model.key.shardOf(ranges[0].start) === shard) ??
    []
  );
}

/** Where the next of sorted ranges after a key begins; undefined if there is none. */
function nextRange(
  ranges: readonly KeyRange[],
  key: Uint8Array,
  reversed: boolean,
): Uint8Array | undefined {
  if (!reversed) return ranges.find(({ start }) => compareBytes(start, key) > 0)?.start;
  return [...ranges].reverse().find(({ end }) => end !== undefined && compareBytes(end, key) <= 0)
    ?.end;
}
