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
} from '../../bytes/index.js';
import type { RowCursor } from '../../store/index.js';
import { type Keyed, openWrappedRows, type Pages } from './entity-pages.js';
import { groupOf, type Lane } from './group-lanes.js';
import { type GroupScanContext, rangesOfGroup } from './group-scan.js';

/** Groups in a page: some 5 us each. */
const maxPageRows = 256;

/** Reads the groups of the lanes of one shard. `limit` is the number of groups that are needed. */
export function openSkipScan(
  scan: GroupScanContext,
  lanes: readonly Lane[],
  limit: number | undefined,
): Pages<Keyed> {
  const { context, model, plan, signal } = scan;
  const { reversed } = plan.query;
  const read = {
    table: model.table.name,
    ranges: unionRanges(lanes.flatMap(({ ranges }) => ranges)),
    reversed,
    filter: plan.selection.filter,
  };
  // No limit: rows that are no results would count. Pages are not longer than what is needed.
  const pageRows = limit === undefined ? undefined : Math.min(limit, maxPageRows);
  const paged = { ...plan, query: { ...plan.query, pageRows } };
  const firstOfGroup = (row: object, cursor: RowCursor): Keyed | undefined => {
    const found = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
    const group = rangesOfGroup(model, groupOf(model, plan.query.firstPer!, row), found);
    const wanted = withBound(scan, row, group);
    if (wanted === undefined || wanted.some((range) => rangeContains(range, found))) {
      cursor.skipTo!(afterRanges(group, reversed));
      return { key: found, row };
    }
    const next = nextRange(wanted, found, reversed) ?? afterRanges(group, reversed);
    cursor.skipTo!(next);
    return undefined;
  };
  return openWrappedRows(context, model, paged, read, { signal, wrap: firstOfGroup });
}

/** The part of a group within the bound of the query; undefined if it has none. */
function withBound(
  { model, plan }: GroupScanContext,
  row: object,
  group: readonly KeyRange[],
): readonly KeyRange[] | undefined {
  const { key, firstPer } = plan.query;
  if (key.bound === undefined) return undefined;
  const { perShard } = model.key.ranges({
    fixed: groupOf(model, firstPer!, row),
    bound: key.bound,
  });
  const shard = model.key.shardOf(group[0].start);
  return (
    perShard.find((ranges) => ranges.length > 0 && model.key.shardOf(ranges[0].start) === shard) ??
    []
  );
}

/** Where the rows after sorted ranges begin, in reading order; undefined if there are none. */
function afterRanges(ranges: readonly KeyRange[], reversed: boolean): Uint8Array | undefined {
  if (reversed) return ranges[0].start;
  return ranges[ranges.length - 1].end;
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
