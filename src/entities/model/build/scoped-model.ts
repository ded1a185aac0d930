/** The model of an entity in a scope, which fixes its first segments. */
import { invalidArgument, quotedList, type RowsmithError } from '../../../base/index.js';
import { scopedKey } from '../../../data/key/index.js';
import type { EntityModel } from '../model.js';

/** Options of `scopedModel`. */
export interface ScopedModelOptions {
  /** Whether the values may be the whole key, so that the scope is one row; default false. */
  readonly wholeKey?: boolean;
}

/**
 * `model` with a key that makes only keys and ranges with these values. Throws INVALID_ARGUMENT if
 * they are not values of the first segments, without gaps and without the last; INVALID_KEY for
 * invalid values.
 */
export function scopedModel<M extends EntityModel>(
  model: M,
  values: Readonly<Record<string, unknown>>,
  { wholeKey = false }: ScopedModelOptions = {},
): M {
  const { names } = model.key;
  const given = Object.keys(values);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw scopeError(
      model,
      unknown,
      `the scope gives '${unknown}', which is not a segment of the key`,
      `the key of ${model.name} has ${quotedList(names)}: use db.repository(${model.name})`,
    );
  const missing = names.slice(0, given.length).find((name) => !given.includes(name));
  if (missing !== undefined)
    throw scopeError(
      model,
      missing,
      `a scope takes leading segments: '${missing}' is missing`,
      `add '${missing}' to the scope`,
    );
  if (given.length === names.length && !wholeKey)
    throw scopeError(
      model,
      names[names.length - 1],
      'the scope gives every segment of the key',
      'read the one row with db.repository(...).get()',
    );
  return Object.freeze({ ...model, key: scopedKey(model.key, model.name, values) });
}

function scopeError(
  { name }: EntityModel,
  property: string,
  problem: string,
  fix: string,
): RowsmithError {
  return invalidArgument(property, problem, fix, { entity: name });
}
