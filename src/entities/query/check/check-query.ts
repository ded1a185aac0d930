/**
 * Run-time checks of queries, for JavaScript and for what types cannot exclude (an entity instance,
 * a spread of one, `any`). Messages match the compiler's.
 */
import type { FaultTexts } from '../../../base/index.js';
import {
  invalidArgument,
  isBytes,
  isDate,
  quotedList,
  RowsmithError,
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
    throw queryError(model, undefined, faults.wrongPrefix(names[0]));
  }
  if (isEntityOf(model, segments)) {
    throw queryError(model, undefined, faults.entityAsPrefix(names[0]));
  }
  const { scope } = model.key;
  scope?.assertInside(segments);
  const given = Object.keys(segments).filter((name) => scope?.names.includes(name) !== true);
  if (given.length === 0) {
    throw queryError(model, names[0], faults.missingLeadingSegment(names[0]));
  }
  for (const name of given) checkLeading(model, name);
  const values = segments as Values;
  const count = 1 + Math.max(...given.map((name) => names.indexOf(name)));
  const leading = names.slice(0, count);
  const missing = leading.filter((name) => values[name] === undefined);
  if (missing.length > 0) {
    throw queryError(model, missing[0], faults.skippedSegment(missing[0], missing));
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
  throw queryError(model, key.bound?.segment, faults.misplacedPrefix);
}

function checkLeading(model: EntityModel, name: string): void {
  const names = model.key.names;
  const index = names.indexOf(name);
  if (index < 0) throw queryError(model, name, faults.unknownSegment(name, names.join(', ')));
  if (index === names.length - 1) throw queryError(model, name, faults.lastSegmentInPrefix(name));
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
    throw queryError(model, next, faults.boundWithoutValue(method, next));
  return next;
}

/**
 * Number of segments before the segment that a method names. A query for no prefix, because a list
 * was empty, takes any segment: it has no rows.
 */
export function depthBefore(model: EntityModel, key: QueryKey, segment: unknown): number {
  if (key.prefixes.length > 0) return key.depth;
  return Math.max(0, model.key.names.indexOf(segment as string));
}

function assertNoBound(model: EntityModel, { bound }: QueryKey): void {
  if (bound === undefined) return;
  throw queryError(model, bound.segment, faults.twoBounds(bound.segment));
}

function wrongSegmentError(
  model: EntityModel,
  method: string,
  prefixLength: number,
  segment: unknown,
): RowsmithError {
  const names = model.key.names;
  const next = names[prefixLength];
  if (next === undefined) return queryError(model, method, faults.noBoundLeft(method));
  if (typeof segment !== 'string')
    return queryError(model, method, faults.wrongBoundSegment(segment, names.join(', '), next));
  const index = names.indexOf(segment);
  if (index < 0)
    return queryError(model, segment, faults.boundOfUnknown(segment, names.join(', '), next));
  const problem = `${method}() bounds the segment after the prefix, which is '${next}', not '${segment}'`;
  if (index < prefixLength) return queryError(model, segment, faults.boundTooLate(problem, next));
  const skipped = quotedList(names.slice(prefixLength, index));
  return queryError(model, segment, faults.gapBeforeBound(problem, skipped));
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
  throw queryError(model, segment, faults.emptyStartsWith(segment));
}

/** Checks the time of a read; returns a copy. Throws INVALID_ARGUMENT and UNSUPPORTED. */
export function checkAsOf(model: EntityModel, value: unknown): Date {
  assertWriteTimes(model, 'asOf');
  return checkInstant(model, 'asOf', value);
}

/** Throws UNSUPPORTED for an entity with cells that have other timestamps than the writes. */
export function assertWriteTimes({ name, expiresAt }: EntityModel, property: string): void {
  if (expiresAt === undefined) return;
  throw new RowsmithError('UNSUPPORTED', {
    entity: name,
    property,
    ...faults.noWriteTimes(expiresAt.property),
  });
}

function checkInstant(model: EntityModel, argument: string, value: unknown): Date {
  if (isDate(value) && value.getTime() >= 0) return new Date(value);
  throw invalidArgument(argument, faults.notADate(argument), {
    entity: model.name,
  });
}

const faults = {
  noWriteTimes: (property: string) => ({
    problem: `the timestamps of cells say when the row expires ('${property}'), and not when it was written`,
    fix: 'read the row as it is now; store earlier versions as rows of another entity',
  }),
  wrongPrefix: (name: string) => ({
    problem: 'prefix() takes an object of leading segments',
    fix: `write prefix({ ${name}: ... })`,
  }),
  entityAsPrefix: (name: string) => ({
    problem: 'prefix() takes leading segments, not an entity',
    fix: `pick the segments: prefix({ ${name}: entity.${name} })`,
  }),
  missingLeadingSegment: (name: string) => ({
    problem: `prefix() needs the leading segment '${name}'; to read every row call scanAll()`,
    fix: `add '${name}' or call scanAll()`,
    shell: {
      problem: `the prefix lacks the first segment '${name}'`,
      fix: `add ${name}=VALUE, or give no prefix to read every row`,
    },
  }),
  skippedSegment: (missing: string, missingText: readonly string[]) => ({
    problem: `prefix() takes leading segments without gaps: add '${missing}'`,
    fix: `add ${quotedList(missingText)}; undefined never widens a query`,
    shell: {
      problem: `a prefix has the first segments without gaps, and '${missing}' is missing`,
      fix: `add ${missing}=VALUE`,
    },
  }),
  misplacedPrefix: {
    problem: 'a query takes one prefix, and its bound comes after it',
    fix: 'start from the repository, with all leading segments in one prefix()',
  },
  unknownSegment: (name: string, list: string) => ({
    problem: `'${name}' is not a segment of the row key (${list})`,
    fix: 'only key segments can be searched; test other properties with where()',
    shell: { fix: 'name segments of the key only, and test other properties with --where' },
  }),
  lastSegmentInPrefix: (name: string) => ({
    problem: `prefix() takes all segments but the last, and '${name}' is the last`,
    fix:
      `leave '${name}' out and bound it, for example with since('${name}', ...), ` +
      'or call get() with the whole key',
    shell: {
      problem: `a prefix has all segments but the last, and '${name}' is the last`,
      fix: `leave '${name}' out; rowsmith get reads the row of a whole key, and rowsmith scan a range of '${name}'`,
    },
  }),
  boundWithoutValue: (method: string, next: string) => ({
    problem: `${method}() needs a value for '${next}'; undefined never widens a query`,
    fix: 'pass a value, or leave the bound out',
  }),
  twoBounds: (segment: string) => ({
    problem: 'a query takes one bound',
    fix: `pass both ends at once: between('${segment}', from, to)`,
  }),
  noBoundLeft: (method: string) => ({
    problem: 'every segment of the key has its value: no bound is left',
    fix: `leave ${method}() out`,
  }),
  wrongBoundSegment: (segment: unknown, list: string, next: string) => ({
    problem: `${valueText(segment)} is not a segment of the row key (${list})`,
    fix: `bound '${next}'`,
  }),
  boundOfUnknown: (segment: string, list: string, next: string) => ({
    problem: `'${segment}' is not a segment of the row key (${list})`,
    fix: `bound '${next}'`,
  }),
  boundTooLate: (problem: string, next: string) => ({ problem, fix: `bound '${next}'` }),
  gapBeforeBound: (problem: string, skipped: string) => ({
    problem,
    fix: `add ${skipped} to the prefix`,
  }),
  emptyStartsWith: (segment: string) => ({
    problem: `startsWith('${segment}', '') would read every row`,
    fix: 'pass at least one character; to read every row call scanAll()',
    shell: {
      problem: `an empty beginning of '${segment}' would read every row`,
      fix: 'give at least one character; to read every row leave it out',
    },
  }),
  notADate: (argument: string) => ({
    problem: `${argument} is not a valid Date since 1970`,
    fix: 'pass a Date since 1970',
    shell: { problem: 'the time is before 1970', fix: 'give a time since 1970' },
  }),
} satisfies FaultTexts;
