/**
 * Where two values differ, as a store sees it: dates by their moment, bytes by their bytes, maps by
 * their entries, absent and null alike.
 */
import { inspect, types } from 'node:util';

/** A value that jest's own asymmetric matchers decide: expect.any(Date), expect.closeTo(21, 1). */
interface Asymmetric {
  asymmetricMatch(value: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

/**
 * A line for each place where `received` is not `expected`: `status.uptimeMs: expected 5n, is 6n`.
 * None when they are alike.
 */
export function differences(expected: unknown, received: unknown, path: string): string[] {
  if (isAsymmetric(expected))
    return expected.asymmetricMatch(received) ? [] : [line(expected, received, path)];
  if (expected == null && received == null) return [];
  if (Object.is(expected, received)) return [];
  if (
    typeof expected !== 'object' ||
    typeof received !== 'object' ||
    expected === null ||
    received === null
  )
    return [line(expected, received, path)];
  if (types.isDate(expected) && types.isDate(received))
    return Object.is(expected.getTime(), received.getTime())
      ? []
      : [line(expected, received, path)];
  if (types.isUint8Array(expected) && types.isUint8Array(received))
    return Buffer.compare(expected, received) === 0 ? [] : [line(expected, received, path)];
  if (types.isMap(expected) && types.isMap(received)) {
    return [...new Set([...expected.keys(), ...received.keys()])].flatMap((key) =>
      differences(expected.get(key), received.get(key), `${path}.get(${shown(key)})`),
    );
  }
  if (kindOf(expected) !== kindOf(received)) return [line(expected, received, path)];
  if (Array.isArray(expected)) {
    const length = differences(
      expected.length,
      (received as readonly unknown[]).length,
      `${path}.length`,
    );
    return length.length > 0
      ? length
      : expected.flatMap((value, i) =>
          differences(value, (received as readonly unknown[])[i], `${path}[${i}]`),
        );
  }
  return [...new Set([...ownKeys(expected), ...ownKeys(received)])].flatMap((key) =>
    differences(
      expected[key as keyof object],
      received[key as keyof object],
      typeof key === 'symbol' ? `${path}[${String(key)}]` : `${path}.${key}`,
    ),
  );
}

/** A value on one line. */
export function shown(value: unknown): string {
  return inspect(value, {
    depth: 4,
    breakLength: Infinity,
    compact: true,
    maxStringLength: 200,
    maxArrayLength: 20,
  });
}

function line(expected: unknown, received: unknown, path: string): string {
  const texts = [expected, received].map((value) =>
    isAsymmetric(value) ? asymmetricText(value) : shown(value),
  );
  return `${path}: expected ${texts[0]}, is ${texts[1]}`;
}

/** `Any<Date>`, `ObjectContaining`: what jest's own name themselves. */
function asymmetricText(value: Asymmetric): string {
  return value.toAsymmetricMatcher?.() ?? shown(value);
}

function isAsymmetric(value: unknown): value is Asymmetric {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<Asymmetric>).asymmetricMatch === 'function'
  );
}

/** Of objects only: an instance of a message class is like a literal with its fields. */
function kindOf(value: object): string {
  return Array.isArray(value)
    ? 'array'
    : types.isDate(value)
      ? 'date'
      : types.isUint8Array(value)
        ? 'bytes'
        : types.isMap(value)
          ? 'map'
          : 'object';
}

/** Own and enumerable. */
function ownKeys(value: object): (string | symbol)[] {
  return Reflect.ownKeys(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
}
