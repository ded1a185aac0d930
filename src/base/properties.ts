/**
 * Objects with properties to read: a value that cannot have any must not pass for an empty object.
 */
import { types } from 'node:util';
import { valueText } from './text/text.js';
import { isBytes, isDate, isMap, isThenable } from './value-kind.js';

/** A value that was given instead of an object of properties. */
export interface WrongObject {
  /** In words: `a Map`. */
  readonly given: string;
  /** Undefined if only the call can say how it is written. */
  readonly fix?: string;
}

/**
 * What is given instead of an object of properties; undefined for an object. A Map or a Promise
 * has no properties, so that a write of them would resolve and write nothing. An instance of a
 * class must have properties that `Object.keys` finds, unless `inherited` ones are read as well.
 */
export function wrongObject(value: unknown, inherited = false): WrongObject | undefined {
  if (typeof value !== 'object' || value === null) return { given: valueText(value) };
  const prototype: unknown = Object.getPrototypeOf(value);
  // Object.prototype has no prototype itself, in every realm.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  if (isThenable(value)) return { given: valueText(value), fix: 'await it before the call' };
  if (isMap(value)) return { given: 'a Map', fix: 'pass Object.fromEntries(map)' };
  if (Array.isArray(value) || isBytes(value) || isDate(value) || types.isSet(value))
    return { given: valueText(value) };
  if (inherited || Object.keys(value).length > 0) return undefined;
  return { given: `${valueText(value)} without properties of its own` };
}
