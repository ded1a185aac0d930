/**
 * The run-time side of what the compiler checks: queries from JavaScript, and the holes no type
 * closes (an entity instance, a spread of one, `any`). The words are the compiler's.
 */
import { valueText } from '../base/index.js';
/**
 * The run-time side of what the compiler checks: queries from JavaScript, and the holes no type
 * closes (an entity instance, a spread of one, `any`). The words are the compiler's.
 */
import { isDate } from '../cell/index.js';
import { RowsmithError } from '../errors.js';
import type { KeyCondition } from '../key/index.js';
import type { EntityModel } from '../model/index.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * The fixed values of a prefix in key order, checked for names, gaps and completeness; frozen.
 * Throws INVALID_QUERY.
 */
export function checkPrefix(model: EntityModel, segments: unknown): Values {
  const names = model.key.names;
  if (typeof segments !== 'object' || segments === null || Array.isArray(segments)) {
    throw refusal(
      model,
      undefined,
      'prefix() takes an object of leading segments',
      `write prefix({ ${names[0]}: ... })`,
    );
  }
  if (segments instanceof model.entityClass) {
    throw refusal(
      model,
      undefined,
      'prefix() takes leading segments, not an entity',
      `pick the segments: prefix({ ${names[0]}: entity.${names[0]} })`,
    );
  }
  const given = Object.keys(segments);
  if (given.length === 0) {
    throw refusal(
      model,
      names[0],
      `prefix() needs the leading segment '${names[0]}'; to read every row call scanAll()`,
      `add '${names[0]}' or call scanAll()`,
    );
  }
  for (const name of given) checkLeading(model, name);
  const leading = names.slice(0, 1 + Math.max(...given.map((name) => names.indexOf(name))));
  const missing = leading.filter((name) => (segments as Values)[name] === undefined);
  if (missing.length > 0) {
    throw refusal(
      model,
      missing[0],
      `prefix() takes leading segments without gaps: add '${missing[0]}'`,
      `give ${missing.map((name) => `'${name}'`).join(', ')}; undefined never widens a query`,
    );
  }
  return Object.freeze(
    Object.fromEntries(leading.map((name) => [name, (segments as Values)[name]])),
  );
}

/**
 * Checks that nothing of the key is asked for yet: a second prefix would replace what the first one
 * said. Throws INVALID_QUERY.
 */
export function assertNoKeyCondition(model: EntityModel, { fixed, bound }: KeyCondition): void {
  if (Object.keys(fixed).length === 0 && bound === undefined) return;
  throw refusal(
    model,
    bound?.segment,
    'a query takes one prefix, and its bound comes after it',
    'start from the repository, with all leading segments in one prefix()',
  );
}

function checkLeading(model: EntityModel, name: string): void {
  const names = model.key.names;
  const place = names.indexOf(name);
  if (place >= 0 && place < names.length - 1) return;
  if (place >= 0) {
    const fix = `leave '${name}' out and bound it, for instance with since('${name}', ...), or call get() with the whole key`;
    throw refusal(
      model,
      name,
      `prefix() takes all segments but the last, and '${name}' is the last`,
      fix,
    );
  }
  throw refusal(
    model,
    name,
    `'${name}' is not a segment of the row key (${names.join(', ')})`,
    'only key segments can be searched; filter other properties after reading',
  );
}

/**
 * Checks that a bound names the segment after the fixed ones and has a value. Throws INVALID_QUERY.
 */
export function checkBound(
  model: EntityModel,
  method: string,
  { fixed, bound }: KeyCondition,
  segment: unknown,
  values: readonly unknown[],
): string {
  if (bound !== undefined)
    throw refusal(
      model,
      bound.segment,
      'a query takes one bound',
      `give both ends at once: between('${bound.segment}', from, to)`,
    );
  const names = model.key.names;
  const count = Object.keys(fixed).length;
  const next = names[count];
  if (segment !== next) {
    const place = typeof segment === 'string' ? names.indexOf(segment) : -1;
    const problem =
      place < 0
        ? `${quoted(segment)} is not a segment of the row key (${names.join(', ')})`
        : `${method}() bounds the segment after the prefix, which is '${next}', not ${quoted(segment)}`;
    const fix =
      place > count
        ? `add ${names.slice(count, place).map(quoted).join(', ')} to the prefix`
        : `bound '${next}'`;
    throw refusal(model, typeof segment === 'string' ? segment : method, problem, fix);
  }
  for (const value of values) {
    if (value === undefined)
      throw refusal(
        model,
        next,
        `${method}() needs a value for '${next}'; undefined never widens a query`,
        'give a value, or leave the bound out',
      );
  }
  return next;
}

/**
 * Checks that a text to start with narrows the read: an empty one on the first segment would be a
 * full scan that nobody named. Throws INVALID_QUERY.
 */
export function assertNarrows(
  model: EntityModel,
  { fixed }: KeyCondition,
  segment: string,
  text: unknown,
): void {
  if (text !== '' || Object.keys(fixed).length > 0) return;
  throw refusal(
    model,
    segment,
    `startsWith('${segment}', '') is every row`,
    'give at least one character; to read every row call scanAll()',
  );
}

/** Checks the properties of `select`. Throws INVALID_QUERY. */
export function checkSelect(model: EntityModel, properties: readonly unknown[]): readonly string[] {
  const known = [...model.key.names, ...model.columns.map((column) => column.property)];
  for (const property of properties) {
    if (typeof property !== 'string' || !known.includes(property)) {
      throw refusal(
        model,
        typeof property === 'string' ? property : 'select',
        `select() takes names of mapped properties, and ${quoted(property)} is none`,
        `use some of ${known.join(', ')}`,
      );
    }
  }
  if (properties.length === 0)
    throw refusal(
      model,
      undefined,
      'select() needs at least one property',
      'name the properties to read, or call keysOnly()',
    );
  return Object.freeze([...(properties as readonly string[])]);
}

/** Checks a whole number between bounds, both inclusive. Throws INVALID_ARGUMENT. */
export function checkCount(
  model: EntityModel,
  argument: string,
  value: unknown,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most)
    return value;
  throw new RowsmithError('INVALID_ARGUMENT', {
    entity: model.name,
    property: argument,
    problem: `${argument} is ${valueText(value)}`,
    fix:
      most === Number.MAX_SAFE_INTEGER
        ? 'give a whole number of at least 1'
        : `give a whole number from 1 to ${most}`,
  });
}

/** Checks a moment. Throws INVALID_ARGUMENT. */
export function checkInstant(model: EntityModel, argument: string, value: unknown): Date {
  if (isDate(value) && value.getTime() >= 0) return new Date(value);
  throw new RowsmithError('INVALID_ARGUMENT', {
    entity: model.name,
    property: argument,
    problem: `${argument} takes a valid Date since 1970`,
    fix: 'give a Date',
  });
}

function quoted(name: unknown): string {
  return typeof name === 'string' ? `'${name}'` : valueText(name);
}

function refusal(
  model: EntityModel,
  property: string | undefined,
  problem: string,
  fix: string,
): RowsmithError {
  return new RowsmithError('INVALID_QUERY', { entity: model.name, property, problem, fix });
}
