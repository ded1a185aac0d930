/** Which entities share the row keys of a query. */
import { intersectRanges, type KeyRange } from '../../../base/index.js';
import { canStartWith, type KeyRanges } from '../../../data/key/index.js';
import type { EntityModel } from '../../model/index.js';
import { rangesOf } from './planner.js';
import { fullScan, type QuerySpec } from '../query-spec.js';

/**
 * The names of the entities of `models`, all of one table, that could have rows in the ranges of a
 * query, beside the one that it reads.
 */
export function entitiesWithin(
  models: readonly EntityModel[],
  { name, key }: EntityModel,
  { query, ranges }: { readonly query: QuerySpec; readonly ranges: Pick<KeyRanges, 'perShard'> },
): readonly string[] {
  const depth = query.key.depth + (key.scope?.names.length ?? 0);
  const read = ranges.perShard.flat();
  const others = models.filter(
    (other) => other.name !== name && canStartWith(key, depth, other.key) && meets(other, read),
  );
  return others.map((other) => other.name);
}

function meets(model: EntityModel, ranges: readonly KeyRange[]): boolean {
  const theirs = rangesOf(model, fullScan).perShard.flat();
  return ranges.some((range) => theirs.some((each) => intersectRanges(range, each) !== undefined));
}
