/** Runs the plan of a collection: one scan, or one for each shard, merged in key order. */
import { keyedRow, type Pages } from '../../read/rows/entity-pages.js';
import { mapPages } from '../../read/runs/query-run.js';
import { ShardMerge } from '../../read/runs/shard-merge.js';
import type { CollectionPlan } from '../plan/collection-plan.js';
import { CollectionScan, type ScanOptions } from './collection-scan.js';
import { GroupedRows, type RowGroup } from './group-rows.js';
import { MemberLimits } from './member-limits.js';
import type { MemberRow } from './member-rows.js';

/** The rows of all shards, at most `options.limit` of them. */
function openCollection(plan: CollectionPlan, options: ScanOptions): Pages<MemberRow> {
  if (plan.shards.length === 1)
    return new CollectionScan(plan, plan.shards[0], options, (row) => row);
  const scans = plan.shards.map((shard) => new CollectionScan(plan, shard, options, keyedRow));
  // Each shard has applied the limits of the members on its own.
  const limits = new MemberLimits(plan.members, plan.groupNames, options.after?.remaining);
  const merged = new ShardMerge(plan.members[0].model.key, scans, plan.spec.reversed);
  const limited = mapPages<MemberRow>(
    merged as unknown as Pages<MemberRow>,
    (row) => (limits.take(row) ? row : undefined),
    options.limit,
  );
  return limited as Pages<MemberRow>;
}

/** The rows as results of the query. */
export function openResults(plan: CollectionPlan, options: ScanOptions): Pages<object> {
  if (plan.shards.length === 1) return new CollectionScan(plan, plan.shards[0], options, resultOf);
  return mapPages(openCollection(plan, options), resultOf);
}

/** A row as a result of the query. */
function resultOf({ member, entity }: MemberRow): object {
  return { kind: member.kind, entity };
}

/** The rows in groups, at most `options.limit`; `peeks` if of the last only its begin is wanted. */
export function openGroups(
  plan: CollectionPlan,
  options: ScanOptions,
  peeks = false,
): Pages<RowGroup> {
  const { limit, ...rest } = options;
  return new GroupedRows(plan, openCollection(plan, { ...rest, limit: Infinity }), limit, peeks);
}
