/**
 * Paths to the value inside another that caused an error. They are built while the error
 * propagates, so they cost nothing unless there is one.
 */
import { CodecError } from './cell-codec.js';

/**
 * Prepends the path of an enclosing value to the path of a CodecError: `lat` in `position` becomes
 * `position.lat`, `[2]` in `alarms` becomes `alarms[2]`. Returns the same error.
 */
export function within(error: unknown, path: string): unknown {
  if (error instanceof CodecError && path !== '')
    (error as { path: string }).path = joinPath(path, error.path);
  return error;
}

/** A path inside another one. Either may start with an index; an empty `inner` adds nothing. */
export function joinPath(outer: string, inner: string): string {
  if (inner === '' || inner.startsWith('[')) return outer + inner;
  return `${outer}.${inner}`;
}

/** The path of a list element or map entry: `[2]`, `["a"]`. */
export function indexPath(key: unknown): string {
  if (typeof key === 'string') return `[${JSON.stringify(key)}]`;
  return `[${String(key)}]`;
}
