/** Deep freezing of checked models, maps included. */

function rejectChange(): never {
  throw new TypeError('A model is frozen.');
}

/**
 * A Map with set, delete and clear that throw: Object.freeze does not protect the entries of a Map.
 */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries);
  for (const method of ['set', 'delete', 'clear'])
    Object.defineProperty(map, method, { value: rejectChange });
  return Object.freeze(map);
}

/**
 * Freezes plain objects and arrays recursively. Codecs, classes and maps are not frozen, and byte
 * arrays cannot be.
 */
export function deepFreeze<T>(value: T): T {
  const plain =
    Array.isArray(value) ||
    (typeof value === 'object' &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype);
  if (!plain || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value as object)) deepFreeze(inner);
  return value;
}
