/** Deep freezing of checked models, maps included. */

function refuse(): never {
  throw new TypeError('A model is frozen.');
}

/** A Map that refuses set, delete and clear: Object.freeze alone leaves a Map's entries open. */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries);
  for (const method of ['set', 'delete', 'clear'])
    Object.defineProperty(map, method, { value: refuse });
  return Object.freeze(map);
}

/**
 * Freezes plain objects and arrays all the way down. Byte arrays cannot be frozen, and codecs,
 * classes and maps are left as they are.
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
