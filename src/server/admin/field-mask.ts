/**
 * Updates with a mask (google.protobuf.FieldMask): what it names is taken from the request, also
 * where the request leaves it out.
 */
import { badRequest } from '../../protocol/index.js';

/**
 * The object with the fields of `update` that the mask names. `fields` are those that may change:
 * the mask's name of each, and its properties here.
 */
export function masked<T extends object>(
  current: T,
  update: T,
  paths: readonly string[] | undefined,
  fields: Readonly<Record<string, readonly (keyof T)[]>>,
): T {
  if (paths === undefined || paths.length === 0)
    throw badRequest('update_mask', 'The update mask must be specified');
  const changed = { ...current };
  for (const path of paths) {
    const names = fields[path];
    if (names === undefined)
      throw badRequest('update_mask', `'${path}' cannot be updated on this server.`);
    for (const name of names) {
      if (update[name] === undefined) delete changed[name];
      else changed[name] = update[name];
    }
  }
  return changed;
}
