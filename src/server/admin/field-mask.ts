/**
 * Partial updates with google.protobuf.FieldMask: every field that the mask names is taken from the
 * request; one that the request does not set is cleared.
 */
import { requestError } from '../../protocol/index.js';

/**
 * A copy of `current` with the applyMask fields of `update`. `fields` lists the mutable fields: a
 * mask path and the properties that it covers.
 */
export function applyMask<T extends object>(
  current: T,
  update: T,
  paths: readonly string[] | undefined,
  fields: Readonly<Record<string, readonly (keyof T)[]>>,
): T {
  if (paths === undefined || paths.length === 0)
    throw requestError('update_mask', 'The update mask must be specified');
  const changed = { ...current };
  for (const path of paths) {
    const names = fields[path];
    if (names === undefined)
      throw requestError('update_mask', `'${path}' cannot be updated on this server.`);
    for (const name of names) {
      if (update[name] === undefined) delete changed[name];
      else changed[name] = update[name];
    }
  }
  return changed;
}
