/** Plans queries. Pure: the same query has the same plan, and nothing is read. */
import type { EntityModel } from '../../model/index.js';
import type { KeyCondition, KeyRanges } from '../../../data/key/index.js';
import type { ReadPlan } from '../../../data/store/index.js';
import { type ColumnSelection, columnSelectionOf } from './column-selection.js';
import type { QuerySpec } from '../query-spec.js';

/** A query with everything that is needed to run it. */
export interface QueryPlan {
  readonly query: QuerySpec;
  readonly selection: ColumnSelection;
  /** Ranges of row keys, one list for each shard that is read. */
  readonly ranges: KeyRanges;
  /** True if no leading segment is fixed or bounded, so that every row of the entity is read. */
  readonly fullScan: boolean;
}

/**
 * The key ranges of a query. A query for the first row of each group has ranges of whole groups.
 * Throws INVALID_QUERY or INVALID_KEY if the key cannot serve it as ranges.
 */
export function rangesOf(model: EntityModel, spec: Pick<QuerySpec, 'key' | 'firstPer'>): KeyRanges {
  const { prefixes, bound } = spec.key;
  const conditions = prefixes.map((fixed): KeyCondition => {
    if (spec.firstPer === undefined) return { fixed, bound };
    return { fixed };
  });
  if (conditions.length === 1) return model.key.ranges(conditions[0]);
  return model.key.rangesOfAny(conditions);
}

/** The plan of a query with known ranges. */
export function planOf(model: EntityModel, spec: QuerySpec, ranges: KeyRanges): QueryPlan {
  const { depth, prefixes, bound } = spec.key;
  const plan: QueryPlan = {
    query: spec,
    selection: columnSelectionOf(model, spec),
    ranges,
    fullScan:
      depth === 0 &&
      prefixes.length > 0 &&
      bound === undefined &&
      spec.firstPer === undefined &&
      model.key.scope === undefined,
  };
  return Object.freeze(plan);
}

/**
 * One storage read per shard. Each has the whole limit; the merge of the shards applies it again.
 */
export function readPlansOf(
  model: EntityModel,
  plan: QueryPlan,
  limit: number | undefined,
): readonly ReadPlan[] {
  return plan.ranges.perShard.map((ranges) => ({
    table: model.table.name,
    ranges,
    reversed: plan.query.reversed,
    filter: plan.selection.filter,
    limit,
  }));
}
