/** Runs a query plan: one storage read, or one for each shard, merged in key order. */
import type { EntityModel } from '../../model/index.js';
import { type QueryPlan, rangesAfter, readPlansOf } from '../../query/index.js';
import { openKeyedRows, openRows, type Pages, type ReaderContext } from './entity-pages.js';
import { ShardMerge } from './shard-merge.js';

/** Opens the pages of a plan. Nothing is read before the first `next`. */
export function openQuery(
  context: ReaderContext,
  model: EntityModel,
  plan: QueryPlan,
  limit: number | undefined,
  signal?: AbortSignal,
): Pages<object> {
  const reads = readPlansOf(model, plan, limit);
  if (reads.length === 1) return openRows(context, model, plan, reads[0], signal);
  return new ShardMerge(
    model.key,
    reads.map((read) => openKeyedRows(context, model, plan, read, signal)),
    plan.query.reversed,
    limit,
  );
}

/**
 * The plan for the rows after `last`, or the whole plan if it is undefined. In a sharded read, each
 * shard continues after the key that the row would have in it.
 */
export function rowsAfter(
  model: EntityModel,
  plan: QueryPlan,
  last: Uint8Array | undefined,
): QueryPlan {
  if (last === undefined) return plan;
  const perShard = plan.ranges.perShard.map((ranges) => {
    if (ranges.length === 0) return ranges;
    return rangesAfter(ranges, model.key.withShardOf(ranges[0], last), plan.query.reversed);
  });
  return { ...plan, ranges: { perShard } };
}
