/** Whether two classes are one entity: the same declaration, compiled twice. */
import { buildModel } from '../build/build.js';
import { declarationOf } from '../declaration/class-record.js';
import type { Constructor } from '../declaration/declaration.js';
import type { EntityModel } from '../model.js';
import { differencesOf } from './differences.js';

/** For each class the other classes that were compared with it. */
const compared = new WeakMap<object, WeakMap<object, boolean>>();

/**
 * Whether a value is an instance of the entity's class, or of another compilation of it: bundlers
 * compile a file once for each bundle.
 */
export function isEntityOf({ entityClass }: EntityModel, value: unknown): value is object {
  if (value instanceof entityClass) return true;
  if (typeof value !== 'object' || value === null) return false;
  let { constructor: each }: { constructor: unknown } = value;
  // A class may extend the entity's. Most other values are plain objects.
  while (typeof each === 'function' && each !== Object && each !== Function.prototype) {
    if (isSameEntity(entityClass, each as Constructor)) return true;
    each = Object.getPrototypeOf(each);
  }
  return false;
}

/** Whether two classes, one of an entity, have the same declaration. */
export function isSameEntity(entityClass: Constructor, other: Constructor): boolean {
  let results = compared.get(entityClass);
  if (results === undefined) compared.set(entityClass, (results = new WeakMap()));
  let same = results.get(other);
  if (same === undefined) {
    same = hasSameDeclaration(entityClass, other);
    results.set(other, same);
  }
  return same;
}

function hasSameDeclaration(entityClass: Constructor, other: Constructor): boolean {
  if (declarationOf(other).entity === undefined) return false;
  try {
    return differencesOf(buildModel(entityClass), buildModel(other)).length === 0;
  } catch {
    // A class with a faulty declaration is no entity.
    return false;
  }
}
