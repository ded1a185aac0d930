/** Checks `where` in the query that it is added to. */
import type { EntityModel } from '../../model/index.js';
import { assertRows } from './check-groups.js';
import type { QuerySpec } from '../query-spec.js';
import { checkConditions } from '../where/check-where.js';
import { type Condition } from '../where/condition.js';

/**
 * The conditions of a query and of one more call of `where`. Throws INVALID_QUERY, and INVALID_KEY
 * for values that a segment cannot have.
 */
export function checkWhere(
  model: EntityModel,
  spec: QuerySpec,
  conditions: unknown,
): readonly Condition[] {
  assertRows(model, 'where', spec);
  const given = model.key.names.slice(0, spec.key.depth);
  return Object.freeze([...(spec.where ?? []), ...checkConditions(model, given, conditions)]);
}
