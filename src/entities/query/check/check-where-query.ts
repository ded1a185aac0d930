/** Checks `where` in the query that it is added to. */
import { RowsmithError } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { assertRows } from './check-groups.js';
import type { QuerySpec } from '../query-spec.js';
import { checkConditions } from '../where/check-where.js';
import { type Condition } from '../where/condition.js';
import { conditionsFrom } from '../where/where-from.js';

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

/**
 * The same for an object that the program does not trust. Throws INVALID_QUERY for whatever is
 * wrong with it, and INVALID_ARGUMENT for the options.
 */
export function checkWhereFrom(
  model: EntityModel,
  spec: QuerySpec,
  untrusted: unknown,
  options: unknown,
): readonly Condition[] | undefined {
  assertRows(model, 'whereFrom', spec);
  const given = model.key.names.slice(0, spec.key.depth);
  const conditions = conditionsFrom(model, given, untrusted, options);
  if (conditions === undefined) return spec.where;
  try {
    return checkWhere(model, spec, conditions);
  } catch (error) {
    if (!(error instanceof RowsmithError) || error.code !== 'INVALID_KEY') throw error;
    throw new RowsmithError('INVALID_QUERY', error.details);
  }
}
