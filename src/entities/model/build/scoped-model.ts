/** The model of an entity in a scope, which fixes its first segments. */
import { quotedList, type FaultTexts } from '../../../base/index.js';
import { argumentError } from '../argument-error.js';
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
    throw argumentError(model, unknown, faults.unknownSegment(unknown, model.name, names));
  const missing = names.slice(0, given.length).find((name) => !given.includes(name));
  if (missing !== undefined) throw argumentError(model, missing, faults.skippedSegment(missing));
  if (given.length === names.length && !wholeKey)
    throw argumentError(model, names[names.length - 1], faults.noSegmentLeft);
  return Object.freeze({ ...model, key: scopedKey(model.key, model.name, values) });
}

const faults = {
  unknownSegment: (unknown: string, name: string, names: readonly string[]) => ({
    problem: `the scope gives '${unknown}', which is not a segment of the key`,
    fix: `use one of ${quotedList(names)}, or db.repository(${name})`,
  }),
  skippedSegment: (missing: string) => ({
    problem: `a scope takes leading segments: '${missing}' is missing`,
    fix: `add '${missing}' to the scope`,
  }),
  noSegmentLeft: {
    problem: 'the scope gives every segment of the key',
    fix: 'read the one row with db.repository(...).get()',
  },
} satisfies FaultTexts;
