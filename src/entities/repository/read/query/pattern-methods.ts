/**
 * Access patterns as methods: `repository.patterns.latestOfDevice({ tenant, device })` returns an
 * ordinary query.
 */
import {
  RowsmithError,
  type Values,
  type FaultTexts,
  type ProblemText,
} from '../../../../base/index.js';
import type { EntityModel, PatternModel } from '../../../model/index.js';
import type { EntityQuery } from './entity-query.js';

/** The methods of an entity's patterns. The object has no prototype, so any name may be one. */
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
  input: unknown,
): EntityQuery {
  const { bound, reverse, limit } = pattern;
  const isLeft = (name: string): boolean => model.key.scope?.names.includes(name) !== true;
  const prefix = pattern.prefix.filter(isLeft);
  const select = pattern.select?.filter(isLeft);
  const values = checkValues(model, pattern, prefix, input);
  let query = root;
  // prefix() and the bounds reject missing values: undefined never widens a query.
  if (prefix.length > 0)
    query = query.prefix(Object.fromEntries(prefix.map((name) => [name, values[name]])));
  if (bound !== undefined) query = withBound(model, pattern, bound, query, values[bound.segment]);
  if (reverse) query = query.reverse();
  if (limit !== undefined) query = query.limit(limit);
  if (select !== undefined && select.length === 0) query = query.keysOnly();
  else if (select !== undefined) query = query.select(...select);
  return query;
}

function withBound(
  model: EntityModel,
  pattern: PatternModel,
  { kind, segment }: NonNullable<PatternModel['bound']>,
  query: EntityQuery,
  value: unknown,
): EntityQuery {
  if (kind !== 'between') return query[kind](segment, value);
  if (typeof value !== 'object' || value === null)
    throw patternError(model, pattern, faults.missingBound(segment));
  const { from, to } = value as Values;
  return query.between(segment, from, to);
}

function checkValues(
  model: EntityModel,
  pattern: PatternModel,
  prefix: readonly string[],
  input: unknown,
): Values {
  const { scope } = model.key;
  const names = [...prefix];
  if (pattern.bound !== undefined) names.push(pattern.bound.segment);
  if (typeof input !== 'object' || input === null)
    throw patternError(model, pattern, faults.wrongValues(names));
  scope?.assertInside(input);
  const unknown = Object.keys(input).find(
    (name) => !names.includes(name) && scope?.names.includes(name) !== true,
  );
  if (unknown !== undefined)
    throw patternError(model, pattern, faults.unknownValue(names, unknown));
  return input as Values;
}

function namesText(names: readonly string[], prefix = ''): string {
  if (names.length === 0) return 'no values';
  return `${prefix}${names.join(', ')}`;
}

function patternError(
  model: EntityModel,
  pattern: PatternModel,
  { problem }: ProblemText,
): RowsmithError {
  return new RowsmithError('INVALID_QUERY', {
    entity: model.name,
    property: pattern.name,
    ...faults.wrongPatternValues(pattern.name, problem, callText(pattern)),
  });
}

/** How the pattern's method is called: `patterns.between({ tenant: ..., at: { from, to } })`. */
function callText({ name, prefix, bound }: PatternModel): string {
  const values = prefix.map((segment) => `${segment}: ...`);
  if (bound?.kind === 'between') values.push(`${bound.segment}: { from, to }`);
  else if (bound !== undefined) values.push(`${bound.segment}: ...`);
  if (values.length === 0) return `patterns.${name}()`;
  return `patterns.${name}({ ${values.join(', ')} })`;
}

const faults = {
  missingBound: (segment: string) => ({ problem: `needs '${segment}': { from, to }` }),
  wrongValues: (names: readonly string[]) => ({
    problem: `takes ${namesText(names, 'an object of ')}`,
  }),
  unknownValue: (names: readonly string[], unknown: string) => ({
    problem: `takes ${namesText(names)}, but '${unknown}' was given`,
  }),
  wrongPatternValues: (name: string, problem: string, call: string) => ({
    problem: `access pattern '${name}' ${problem}`,
    fix: `write ${call}`,
  }),
} satisfies FaultTexts;
