/**
 * Run-time checks of queries, for JavaScript and for what types cannot exclude (an entity instance,
 * a spread of one, `any`). Messages match the compiler's.
 */
import type { RowsmithError } from '../../../base/index.js';
import {
  invalidArgument,
  isBytes,
  isDate,
  quotedList,
  type Values,
  valueText,
} from '../../../base/index.js';
import { type EntityModel, isEntityOf } from '../../model/index.js';
import type { QueryKey, QuerySpec } from '../query-spec.js';
import { queryError } from '../query-error.js';

/**
 * Checks the names and values of a prefix, and that it has no gaps. Returns a frozen copy in key
 * order. Throws INVALID_QUERY.
 */
export function checkPrefix(model: EntityModel, segments: unknown): Values {
  const names = model.key.names;
  if (typeof segments !== 'object' || segments === null || Array.isArray(segments)) {
    throw queryError(
      model,
      undefined,
      'prefix() takes an object of leading segments',
      `write prefix({ ${names[0]}: ... })`,
    );
  }
  if (isEntityOf(model, segments)) {
    throw queryError(
      model,
      undefined,
      'prefix() takes leading segments, not an entity',
      `pick the segments: prefix({ ${names[0]}: entity.${names[0]} })`,
    );
  }
  const { scope } = model.key;
  scope?.assertInside(segments);
  const given = Object.keys(segments).filter((name) => scope?.names.includes(name) !== true);
  if (given.length === 0) {
    throw queryError(
      model,
      names[0],
      `prefix() needs the leading segment '${names[0]}'; to read every row call scanAll()`,
      `add '${names[0]}' or call scanAll()`,
    );
  }
  for (const name of given) checkLeading(model, name);
  const values = segments as Values;
  const count = 1 + Math.max(...given.map((name) => names.indexOf(name)));
  const leading = names.slice(0, count);
  const missing = leading.filter((name) => values[name] === undefined);
  if (missing.length > 0) {
    throw queryError(
      model,
      missing[0],
      `prefix() takes leading segments without gaps: add '${missing[0]}'`,
      `add ${quotedList(missing)}; undefined never widens a query`,
    );
  }
  return Object.freeze(Object.fromEntries(leading.map((name) => [name, copyOfSpec(values[name])])));
}

/** The value of a segment: what the caller does to a Date or to bytes later has no effect. */
export function copyOfSpec(value: unknown): unknown {
  if (isDate(value)) return new Date(value);
  return isBytes(value) ? new Uint8Array(value) : value;
}

/**
 * Checks that the query has no key condition yet: a second prefix would replace the first one.
 * Throws INVALID_QUERY.
 */
export function assertNoKeyCondition(model: EntityModel, { key, firstPer }: QuerySpec): void {
  if (key.depth === 0 && key.bound === undefined && firstPer === undefined) return;
  throw queryError(
    model,
    key.bound?.segment,
    'a query takes one prefix, and its bound comes after it',
    'start from the repository, with all leading segments in one prefix()',
  );
}

function checkLeading(model: EntityModel, name: string): void {
  const names = model.key.names;
  const index = names.indexOf(name);
  if (index < 0)
    throw queryError(
      model,
      name,
      `'${name}' is not a segment of the row key (${names.join(', ')})`,
      'only key segments can be searched; test other properties with where()',
    );
  if (index === names.length - 1)
    throw queryError(
      model,
      name,
      `prefix() takes all segments but the last, and '${name}' is the last`,
      `leave '${name}' out and bound it, for example with since('${name}', ...), ` +
        'or call get() with the whole key',
    );
}

/**
 * Checks that a bound is on the segment after the prefix and has values; returns the segment.
 * Throws INVALID_QUERY.
 */
export function checkBound(
  model: EntityModel,
  method: string,
  { key, firstPer }: QuerySpec,
  segment: unknown,
  values: readonly unknown[],
): string {
  assertNoBound(model, key);
  let prefixLength = depthBefore(model, key, segment);
  if (firstPer !== undefined) prefixLength = model.key.names.indexOf(firstPer) + 1;
  const next = model.key.names[prefixLength];
  if (segment !== next) throw wrongSegmentError(model, method, prefixLength, segment);
  if (values.includes(undefined))
    throw queryError(
      model,
      next,
      `${method}() needs a value for '${next}'; undefined never widens a query`,
      'pass a value, or leave the bound out',
    );
  return next;
}

/**
 * Number of segments before the one that a method names. A query for no prefix, because a list was
 * empty, takes any of them: it has no rows.
 */
export function depthBefore(model: EntityModel, key: QueryKey, segment: unknown): number {
  if (key.prefixes.length > 0) return key.depth;
  return Math.max(0, model.key.names.indexOf(segment as string));
}

function assertNoBound(model: EntityModel, { bound }: QueryKey): void {
  if (bound === undefined) return;
  throw queryError(
    model,
    bound.segment,
    'a query takes one bound',
    `pass both ends at once: between('${bound.segment}', from, to)`,
  );
}

function wrongSegmentError(
  model: EntityModel,
  method: string,
  prefixLength: number,
  segment: unknown,
): RowsmithError {
  const names = model.key.names;
  const next = names[prefixLength];
  if (next === undefined)
    return queryError(
      model,
      method,
      'every segment of the key has its value: no bound is left',
      `leave ${method}() out`,
    );
  if (typeof segment !== 'string')
    return queryError(
      model,
      method,
      `${valueText(segment)} is not a segment of the row key (${names.join(', ')})`,
      `bound '${next}'`,
    );
  const index = names.indexOf(segment);
  if (index < 0)
    return queryError(
      model,
      segment,
      `'${segment}' is not a segment of the row key (${names.join(', ')})`,
      `bound '${next}'`,
    );
  const problem = `${method}() bounds the segment after the prefix, which is '${next}', not '${segment}'`;
  if (index < prefixLength) return queryError(model, segment, problem, `bound '${next}'`);
  const skipped = quotedList(names.slice(prefixLength, index));
  return queryError(model, segment, problem, `add ${skipped} to the prefix`);
}

/**
 * Checks that startsWith narrows the read: with an empty text on the first segment it would be a
 * full scan that was not requested. Throws INVALID_QUERY.
 */
export function assertNarrows(
  model: Pick<EntityModel, 'name'>,
  { depth }: QueryKey,
  segment: string,
  text: unknown,
): void {
  if (text !== '' || depth > 0) return;
  throw queryError(
    model,
    segment,
    `startsWith('${segment}', '') would read every row`,
    'pass at least one character; to read every row call scanAll()',
  );
}

/** Checks a timestamp; returns a copy. Throws INVALID_ARGUMENT. */
export function checkInstant(model: EntityModel, argument: string, value: unknown): Date {
  if (isDate(value) && value.getTime() >= 0) return new Date(value);
  throw invalidArgument(argument, `${argument} takes a valid Date since 1970`, 'pass a Date', {
    entity: model.name,
  });
}
