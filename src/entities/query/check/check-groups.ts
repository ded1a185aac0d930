/**
 * Run-time checks of queries over several prefixes or groups: prefixes, oneOf, firstPer, distinct.
 * Messages match the compiler's.
 */
import {
  quotedList,
  type RowsmithError,
  valueText,
  type FaultTexts,
  type ProblemText,
} from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { checkPrefix, copyOfSpec, depthBefore } from './check-query.js';
import type { QueryKey, QuerySpec } from '../query-spec.js';
import { queryError } from '../query-error.js';

/** A query has at most this many alternative prefixes; each takes some 100 bytes. */
export const maxPrefixes = 100_000;

/** Checks the list of `prefixes`, which all name the same segments. Throws INVALID_QUERY. */
export function checkPrefixes(model: EntityModel, list: unknown): QueryKey {
  if (!Array.isArray(list)) throw queryError(model, 'prefixes', faults.wrongPrefixes(list));
  checkPrefixCount(model, list.length);
  const prefixes = list.map((segments: unknown) => checkPrefix(model, segments));
  const depth = prefixes.length === 0 ? 0 : Object.keys(prefixes[0]).length;
  const other = prefixes.find((prefix) => Object.keys(prefix).length !== depth);
  if (other !== undefined)
    throw queryError(
      model,
      'prefixes',
      faults.mixedPrefixes(Object.keys(prefixes[0]), Object.keys(other)),
    );
  return { depth, prefixes };
}

/**
 * Adds alternative values of the next segment to the prefixes of a query. An empty list matches no
 * row. Throws INVALID_QUERY.
 */
export function checkOneOf(
  model: EntityModel,
  { key, firstPer }: QuerySpec,
  segment: unknown,
  values: unknown,
): QueryKey {
  const depth = depthBefore(model, key, segment);
  const next = model.key.names[depth];
  if (key.bound !== undefined || firstPer !== undefined)
    throw queryError(model, next, faults.lateOneOf);
  if (next === undefined) throw queryError(model, 'oneOf', faults.noSegmentLeft);
  if (segment !== next)
    throw queryError(
      model,
      typeof segment === 'string' ? segment : 'oneOf',
      faults.misplacedOneOf(next, segment),
    );
  if (!Array.isArray(values) || values.includes(undefined))
    throw queryError(model, next, faults.wrongValues(next));
  checkPrefixCount(model, key.prefixes.length * values.length);
  const prefixes = key.prefixes.flatMap((prefix) =>
    values.map((value: unknown) => Object.freeze({ ...prefix, [next]: copyOfSpec(value) })),
  );
  return { depth: prefixes.length === 0 ? 0 : depth + 1, prefixes };
}

/**
 * Checks the segment of `firstPer` or `distinct`: the last one with a value, or one after it, but
 * not the last of the key. Throws INVALID_QUERY.
 */
export function checkGroupSegment(
  model: EntityModel,
  method: string,
  { key, firstPer }: QuerySpec,
  segment: unknown,
): string {
  const names = model.key.names;
  if (key.bound !== undefined || firstPer !== undefined)
    throw queryError(model, key.bound?.segment ?? firstPer, faults.lateGrouping(method));
  const allowed = names.slice(Math.max(0, depthBefore(model, key, segment) - 1), -1);
  if (typeof segment === 'string' && allowed.includes(segment)) return segment;
  throw queryError(
    model,
    typeof segment === 'string' ? segment : method,
    faults.wrongGroupSegment(allowed, allowed.length, method),
  );
}

function groupProblem(allowed: readonly string[]): string {
  if (allowed.length === 0) return 'only the last segment is left, and every row has its own';
  return 'rows are grouped by a segment before the last';
}

/** Checks that the results of a query are rows. Throws INVALID_QUERY for `distinct`. */
export function assertRows(
  model: EntityModel,
  method: string,
  { distinct, firstPer }: QuerySpec,
): void {
  if (distinct !== true) return;
  throw queryError(model, firstPer, faults.segmentsNotRows(method));
}

function checkPrefixCount(model: EntityModel, count: number): void {
  if (count <= maxPrefixes) return;
  throw queryError(model, 'oneOf', faults.tooManyPrefixes(count));
}

/**
 * Checks that the parts of a query can be read on their own: a limit would apply to each of them,
 * and a group may be in two. Throws INVALID_QUERY.
 */
export function assertSplittable(model: EntityModel, { limit, firstPer }: QuerySpec): void {
  if (limit !== undefined) throw splitError(model, faults.lateSplit);
  if (firstPer !== undefined) throw splitError(model, faults.groupInTwoParts);
}

export function splitError(
  model: Pick<EntityModel, 'name'>,
  { problem }: ProblemText,
): RowsmithError {
  return queryError(model, 'split', faults.unsplittableQuery(problem));
}

const faults = {
  wrongPrefixes: (list: unknown) => ({
    problem: `prefixes() takes an array of objects, not ${valueText(list)}`,
    fix: 'write prefixes([{ ... }, { ... }]), or call prefix() for a single prefix',
  }),
  mixedPrefixes: (keys: readonly string[], keysText: readonly string[]) => ({
    problem:
      `prefixes() takes the same segments in each element, not ` +
      `${quotedList(keys)} in one and ${quotedList(keysText)} in another`,
    fix: 'read prefixes of different lengths with queries of their own',
  }),
  lateOneOf: { problem: 'oneOf() comes before bounds and firstPer()', fix: 'call oneOf() first' },
  noSegmentLeft: { problem: 'every segment of the key has its value', fix: 'leave oneOf() out' },
  misplacedOneOf: (next: string, segment: unknown) => ({
    problem: `oneOf() takes '${next}', the segment after the given segments, not ${valueText(segment)}`,
    fix: `give the values of '${next}' first`,
  }),
  wrongValues: (next: string) => ({
    problem: `oneOf() takes an array of values of '${next}'; undefined never widens a query`,
    fix: 'pass an array without undefined; an empty one matches no row',
  }),
  lateGrouping: (method: string) => ({
    problem: `${method}() comes once, and before bounds`,
    fix: `call ${method}() first: the bound then applies within each group`,
  }),
  wrongGroupSegment: (allowed: readonly string[], length: number, method: string) => ({
    problem: groupProblem(allowed),
    fix: length === 0 ? `leave ${method}() out` : `use ${quotedList(allowed)}`,
  }),
  segmentsNotRows: (method: string) => ({
    problem: `${method}() cannot follow distinct(): the results of distinct() are segments, not rows`,
    fix: 'call firstPer() instead of distinct() to read rows',
  }),
  tooManyPrefixes: (count: number) => ({
    problem: `the query has ${count} prefixes, more than ${maxPrefixes}`,
    fix: 'read them in several queries, or read a longer range',
  }),
  lateSplit: { problem: 'split() comes before limit(), which would apply to each part' },
  groupInTwoParts: { problem: 'the rows of a group can be in two parts of a query' },
  unsplittableQuery: (problem: string) => ({
    problem,
    fix: 'split a query for a prefix or bound, and continue with its parts',
  }),
} satisfies FaultTexts;
