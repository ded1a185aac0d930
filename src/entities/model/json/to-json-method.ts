/**
 * Makes `JSON.stringify(entity)` exact: without it a Map becomes `{}`, bytes an object of numbers,
 * NaN null, and a bigint throws.
 */
import { buildModel } from '../build/build.js';
import type { Constructor } from '../declaration/declaration.js';
import { entityJson } from './entity-json.js';

/** A registered symbol, because an application may load Rowsmith both as ESM and as CommonJS. */
const ownSymbol = Symbol.for('rowsmith.toJSON');

/**
 * Defines `toJSON` on the prototype of an entity class, unless the class or one that it extends
 * defines its own. Not enumerable, so that comparisons, copies and clones do not see it.
 */
export function defineToJson(entityClass: Constructor): void {
  if (typeof entityClass !== 'function') return;
  const prototype = entityClass.prototype as { readonly toJSON?: unknown };
  const existing = prototype.toJSON;
  if (existing !== undefined && !Object.hasOwn(existing as object, ownSymbol)) return;
  // The model is built at the first use: the declaration is not complete yet.
  const toJSON = function (this: object): object {
    return entityJson(buildModel(entityClass)).stringified(this);
  };
  Object.defineProperty(toJSON, ownSymbol, { value: true });
  Object.defineProperty(prototype, 'toJSON', { value: toJSON, writable: true, configurable: true });
}
