/**
 * The parts of a table that a query for the first row of each group scans. Each alternative prefix
 * of the query is a separate lane in each shard that it can be in.
 */
import {
  compareBytes,
  intersectRanges,
  type KeyRange,
  noBytes,
  rangesAfter,
  type Values,
} from '../../../../base/index.js';
import type { EntityModel } from '../../../model/index.js';
import type { QueryPlan } from '../../../query/index.js';

/** A part of one shard. One scan reads its groups one after the other. */
export interface Lane {
  /** Sorted and disjoint. */
  readonly ranges: readonly KeyRange[];
  /** The lane is a single group, with the bound of the query applied. */
  readonly isGroup: boolean;
}

/** The segments of a row up to the one by which rows are grouped. */
export function groupOf(model: EntityModel, segment: string, row: object): Values {
  const names = model.key.names.slice(0, model.key.names.indexOf(segment) + 1);
  return Object.fromEntries(names.map((name) => [name, (row as Values)[name]]));
}

/** The part of the ranges that comes after a group in reading order. */
export function rangesAfterGroup(
  ranges: readonly KeyRange[],
  group: readonly KeyRange[],
  reversed: boolean,
): readonly KeyRange[] {
  const { start } = group[0];
  const { end } = group[group.length - 1];
  let rest: KeyRange;
  if (reversed) {
    if (start.length === 0) return [];
    rest = { start: noBytes, end: start };
  } else {
    if (end === undefined) return [];
    rest = { start: end };
  }
  return ranges.flatMap((range) => intersectRanges(range, rest) ?? []);
}

/**
 * The lanes of each shard in reading order, without the groups up to the group of the row with the
 * key `last`.
 */
export function lanesOf(model: EntityModel, plan: QueryPlan, last?: Uint8Array): Lane[][] {
  const { key, firstPer, reversed } = plan.query;
  const isGroup = model.key.names.indexOf(firstPer!) < key.depth;
  const byShard = new Map<string, Lane[]>();
  for (const fixed of key.prefixes) {
    const bound = isGroup ? key.bound : undefined;
    for (const ranges of model.key.ranges({ fixed, bound }).perShard) {
      if (ranges.length === 0) continue;
      const shard = model.key.shardOf(ranges[0].start);
      const lanes = byShard.get(shard);
      if (lanes === undefined) byShard.set(shard, [{ ranges, isGroup }]);
      else lanes.push({ ranges, isGroup });
    }
  }
  const seen = last === undefined ? undefined : seenGroup(model, firstPer!, last);
  return [...byShard].map(([shard, lanes]) => {
    const rest = lanes.map((lane) => ({
      ...lane,
      ranges: laneAfter(model, lane, seen?.get(shard), last, reversed),
    }));
    return sortLanes(rest, reversed);
  });
}

function laneAfter(
  model: EntityModel,
  { ranges }: Lane,
  group: readonly KeyRange[] | undefined,
  last: Uint8Array | undefined,
  reversed: boolean,
): readonly KeyRange[] {
  if (last === undefined) return ranges;
  if (group !== undefined) return rangesAfterGroup(ranges, group, reversed);
  return rangesAfter(ranges, model.key.withShardOf(ranges[0], last), reversed);
}

/** The ranges of the group of a row, by shard. */
function seenGroup(
  model: EntityModel,
  segment: string,
  last: Uint8Array,
): Map<string, readonly KeyRange[]> {
  const row = model.key.decode(last)!;
  const { perShard } = model.key.ranges({ fixed: groupOf(model, segment, row) });
  return new Map(perShard.map((ranges) => [model.key.shardOf(ranges[0].start), ranges]));
}

/** Sorts lanes in reading order, and drops empty ones and duplicates. */
function sortLanes(lanes: readonly Lane[], reversed: boolean): Lane[] {
  const sorted = lanes
    .filter(({ ranges }) => ranges.length > 0)
    .sort((a, b) => compareBytes(a.ranges[0].start, b.ranges[0].start))
    .filter(
      ({ ranges }, i, all) =>
        i === 0 || compareBytes(all[i - 1].ranges[0].start, ranges[0].start) !== 0,
    );
  if (reversed) return sorted.reverse();
  return sorted;
}
