/**
 * Compares two values as storage would: dates by their time, bytes by their content, maps by their
 * entries, null like undefined.
 */
import { inspect, types } from 'node:util';

/** One of jest's asymmetric matchers: expect.any(Date), expect.closeTo(21, 1). */
interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

/**
 * One line for each path at which `received` differs from `expected`: `status.uptimeMs: expected
 * 5n, is 6n`. Empty if they are equal.
 */
export function differences(expected: unknown, received: unknown, path: string): string[] {
  if (isAsymmetricMatcher(expected))
    return lineUnless(expected.asymmetricMatch(received), expected, received, path);
  if (expected == null && received == null) return [];
  if (Object.is(expected, received)) return [];
  if (
    typeof expected !== 'object' ||
    typeof received !== 'object' ||
    expected === null ||
    received === null
  )
    return [line(expected, received, path)];
  return objectDifferences(expected, received, path);
}

function objectDifferences(expected: object, received: object, path: string): string[] {
  if (types.isDate(expected) && types.isDate(received))
    return lineUnless(Object.is(expected.getTime(), received.getTime()), expected, received, path);
  if (types.isUint8Array(expected) && types.isUint8Array(received))
    return lineUnless(Buffer.compare(expected, received) === 0, expected, received, path);
  if (types.isMap(expected) && types.isMap(received))
    return mapDifferences(expected, received, path);
  if (kindOf(expected) !== kindOf(received)) return [line(expected, received, path)];
  if (Array.isArray(expected))
    return arrayDifferences(expected, received as readonly unknown[], path);
  return [...new Set([...ownKeys(expected), ...ownKeys(received)])].flatMap((key) =>
    differences(
      expected[key as keyof object],
      received[key as keyof object],
      `${path}${accessText(key)}`,
    ),
  );
}

function mapDifferences(
  expected: ReadonlyMap<unknown, unknown>,
  received: ReadonlyMap<unknown, unknown>,
  path: string,
): string[] {
  const [a, b] = [byIdentity(expected), byIdentity(received)];
  return [...new Map([...a, ...b])].flatMap(([id, { key }]) =>
    differences(a.get(id)?.value, b.get(id)?.value, `${path}.get(${inspectValue(key)})`),
  );
}

/** Entries by what makes their keys equal: a plain Map does not compare Dates by their time. */
function byIdentity(
  map: ReadonlyMap<unknown, unknown>,
): Map<unknown, { readonly key: unknown; readonly value: unknown }> {
  return new Map(Array.from(map, ([key, value]) => [identityOf(key), { key, value }]));
}

function identityOf(key: unknown): unknown {
  if (types.isDate(key)) return Symbol.for(`rowsmith.time.${key.getTime()}`);
  return key;
}

function arrayDifferences(
  expected: readonly unknown[],
  received: readonly unknown[],
  path: string,
): string[] {
  if (expected.length !== received.length)
    return [line(expected.length, received.length, `${path}.length`)];
  return expected.flatMap((value, i) => differences(value, received[i], `${path}[${i}]`));
}

function accessText(key: string | symbol): string {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  return `.${key}`;
}

/** A value on one line. */
export function inspectValue(value: unknown): string {
  return inspect(value, {
    depth: 4,
    breakLength: Infinity,
    compact: true,
    maxStringLength: 200,
    maxArrayLength: 20,
  });
}

function lineUnless(equal: boolean, expected: unknown, received: unknown, path: string): string[] {
  if (equal) return [];
  return [line(expected, received, path)];
}

function line(expected: unknown, received: unknown, path: string): string {
  return `${path}: expected ${matcherText(expected)}, is ${matcherText(received)}`;
}

/** Matchers by the name they give themselves, `Any<Date>` or `ObjectContaining`. */
function matcherText(value: unknown): string {
  if (isAsymmetricMatcher(value)) return value.toAsymmetricMatcher?.() ?? inspectValue(value);
  return inspectValue(value);
}

function isAsymmetricMatcher(value: unknown): value is AsymmetricMatcher {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsymmetricMatcher>).asymmetricMatch === 'function'
  );
}

/** The class of an object is not compared: a message equals a literal with the same fields. */
function kindOf(value: object): string {
  if (Array.isArray(value)) return 'array';
  if (types.isDate(value)) return 'date';
  if (types.isUint8Array(value)) return 'bytes';
  if (types.isMap(value)) return 'map';
  return 'object';
}

/** Own enumerable keys. */
function ownKeys(value: object): (string | symbol)[] {
  return Reflect.ownKeys(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
}
