/** The keys that are left to read of a collection when some members have reached their limits. */
import {
  intersectRanges,
  type KeyRange,
  noBytes,
  rangeFrom,
  rangesAfter,
  unionRanges,
} from '../../../../base/index.js';
import { groupOf } from '../../read/runs/group-lanes.js';
import type { CollectionPlan, PlannedMember } from '../plan/collection-plan.js';

/**
 * The ranges of a shard after the row with this key, which has the segments `row`, without ranges
 * that only hold rows of exhausted members.
 */
export function restRanges(
  plan: CollectionPlan,
  shard: string,
  key: Uint8Array,
  row: object,
  exhausted: readonly PlannedMember[],
): readonly KeyRange[] {
  const { spec, members, groupNames } = plan;
  const left = members.flatMap((member) => {
    const ranges = rangesAfter(member.ranges.get(shard) ?? [], key, spec.reversed);
    if (!exhausted.includes(member))
      return without(ranges, skippedBy(plan, member, row, exhausted));
    if (groupNames.length === 0) return [];
    return without(ranges, rangesOfRow(member, groupNames, row));
  });
  return unionRanges(left);
}

/** The ranges of a shard after the group of a row, when the group has no rows left to return. */
export function rangesAfterGroupOf(
  { spec, members, groupNames }: CollectionPlan,
  shard: string,
  key: Uint8Array,
  row: object,
): readonly KeyRange[] {
  const group = members.flatMap((member) => rangesOfRow(member, groupNames, row));
  const left = members.flatMap((member) =>
    rangesAfter(member.ranges.get(shard) ?? [], key, spec.reversed),
  );
  return without(unionRanges(left), group);
}

/**
 * Keys near the row that are of exhausted members and cannot be of `member`: keys with the row's
 * values in all shared segments, and in all segments by which rows are grouped.
 */
function skippedBy(
  { collection, groupNames }: CollectionPlan,
  member: PlannedMember,
  row: object,
  exhausted: readonly PlannedMember[],
): readonly KeyRange[] {
  return [collection.shared, groupNames].flatMap((names) => {
    if (names.length === 0) return [];
    const own = rangesOfRow(member, names, row);
    return exhausted.flatMap((each) => without(rangesOfRow(each, names, row), own));
  });
}

/** The keys of a member with the row's values of these segments. */
function rangesOfRow(
  { model }: PlannedMember,
  names: readonly string[],
  row: object,
): readonly KeyRange[] {
  const fixed = groupOf(model, names[names.length - 1], row);
  return model.key.ranges({ fixed }).perShard.flat();
}

/** The parts of the ranges that are in none of `cuts`. */
function without(ranges: readonly KeyRange[], cuts: readonly KeyRange[]): readonly KeyRange[] {
  return cuts.reduce<readonly KeyRange[]>(
    (rest, cut) =>
      rest.flatMap((range) => {
        const before = intersectRanges(range, rangeFrom(noBytes, cut.start));
        const after =
          cut.end === undefined ? undefined : intersectRanges(range, rangeFrom(cut.end, undefined));
        return [before, after].filter((part) => part !== undefined);
      }),
    ranges,
  );
}
