/**
 * Access patterns as methods: `repository.patterns.latestOfDevice({ tenant, device })` is a query
 * like any other.
 */
import { RowsmithError } from '../../errors.js';
import type { EntityModel, PatternModel } from '../../model/index.js';
import type { EntityQuery } from './entity-query.js';
type Values = Readonly<Record<string, unknown>>;

/** The methods of an entity's patterns. They have no prototype: any name may be one. */
export function patternMethods(
  model: EntityModel,
  root: EntityQuery,
): Readonly<Record<string, (values?: unknown) => EntityQuery>> {
  const methods = model.patterns.map(
    (pattern) =>
      [pattern.name, (values: unknown = {}) => patternQuery(model, pattern, root, values)] as const,
  );
  return Object.freeze(
    Object.assign(Object.create(null) as Record<string, never>, Object.fromEntries(methods)),
  );
}

function patternQuery(
  model: EntityModel,
  pattern: PatternModel,
  root: EntityQuery,
  said: unknown,
): EntityQuery {
  const values = checkValues(model, pattern, said);
  const { prefix, bound, reverse, limit, select } = pattern;
  // A value that is missing is told by prefix() and the bounds: undefined never widens a query.
  let query =
    prefix.length === 0
      ? root
      : root.prefix(Object.fromEntries(prefix.map((name) => [name, values[name]])));
  if (bound !== undefined) query = bounded(model, pattern, bound, query, values[bound.segment]);
  if (reverse) query = query.reverse();
  if (limit !== undefined) query = query.limit(limit);
  return select === undefined ? query : query.select(...select);
}

function bounded(
  model: EntityModel,
  pattern: PatternModel,
  { kind, segment }: NonNullable<PatternModel['bound']>,
  query: EntityQuery,
  value: unknown,
): EntityQuery {
  if (kind !== 'between') return query[kind](segment, value);
  if (typeof value !== 'object' || value === null)
    throw refusal(model, pattern, `needs '${segment}': { from, to }`);
  const { from, to } = value as Values;
  return query.between(segment, from, to);
}

function checkValues(model: EntityModel, pattern: PatternModel, said: unknown): Values {
  const names = [
    ...pattern.prefix,
    ...(pattern.bound === undefined ? [] : [pattern.bound.segment]),
  ];
  if (typeof said !== 'object' || said === null)
    throw refusal(
      model,
      pattern,
      names.length === 0 ? 'takes no values' : `takes an object of ${names.join(', ')}`,
    );
  const unknown = Object.keys(said).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw refusal(
      model,
      pattern,
      `takes ${names.length === 0 ? 'no values' : names.join(', ')}, and '${unknown}' is none of them`,
    );
  return said as Values;
}

function refusal(
  model: EntityModel,
  { name, prefix, bound }: PatternModel,
  problem: string,
): RowsmithError {
  const values = [
    ...prefix.map((segment) => `${segment}: ...`),
    ...(bound === undefined
      ? []
      : [`${bound.segment}: ${bound.kind === 'between' ? '{ from, to }' : '...'}`]),
  ];
  const fix = `write patterns.${name}(${values.length === 0 ? '' : `{ ${values.join(', ')} }`})`;
  return new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property: name,
    problem: `access pattern '${name}' ${problem}`,
    fix,
  });
}
