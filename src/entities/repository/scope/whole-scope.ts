/** Prefixes that name a whole scope. */
import type { KeyScope } from '../../../data/key/index.js';

/**
 * Whether `segments` is a plain object without segments beyond the scope: `{}`, or the
 * scope's own values. Throws OUTSIDE_SCOPE for other values. An entity never stands for its scope,
 * nor does a value that is undefined.
 */
export function namesWholeScope(scope: KeyScope, segments: unknown): boolean {
  if (typeof segments !== 'object' || segments === null) return false;
  const prototype: unknown = Object.getPrototypeOf(segments);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  scope.assertInside(segments);
  return Object.entries(segments).every(
    ([name, value]: [string, unknown]) => scope.names.includes(name) && value !== undefined,
  );
}
