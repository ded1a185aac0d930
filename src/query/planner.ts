/**
 * Question -> ReadPlans. Pure: the same question gives the same plan, and nothing is read to make
 * it.
 */
import type { EntityModel } from '../model/index.js';
import type { KeyCondition, KeyRanges } from '../key/index.js';
import type { ReadPlan } from '../store/index.js';
import { type Projection, projectionOf } from './projection.js';
import type { QuerySpec } from './query-spec.js';

/** All that a reader needs to know. */
export interface QueryPlan {
  readonly question: QuerySpec;
  readonly projection: Projection;
  /** Ranges of keys, one list for each shard that is read. */
  readonly ranges: KeyRanges;
  /** True when no leading segment is fixed and none bounded: every row of the entity is read. */
  readonly fullScan: boolean;
}

/**
 * The ranges of a question's key. Throws INVALID_QUERY or INVALID_KEY where the key cannot serve
 * it.
 */
export function rangesOf(model: EntityModel, key: KeyCondition): KeyRanges {
  return model.key.ranges(key);
}

/** The plan of a question whose ranges are known. */
export function planOf(model: EntityModel, question: QuerySpec, ranges: KeyRanges): QueryPlan {
  return Object.freeze({
    question,
    projection: projectionOf(model, question),
    ranges,
    fullScan: Object.keys(question.key.fixed).length === 0 && question.key.bound === undefined,
  });
}

/** One storage read for each shard. A limit is put on each: the merge cuts the rest. */
export function readPlansOf(
  model: EntityModel,
  plan: QueryPlan,
  limit: number | undefined,
): readonly ReadPlan[] {
  return plan.ranges.perShard.map((ranges) => ({
    table: model.table.name,
    ranges,
    reversed: plan.question.reversed,
    filter: plan.projection.filter,
    ...(limit === undefined ? {} : { limit }),
  }));
}
