/** Creates entities of initial values. */
import type { Values } from '../../base/index.js';
import { assertValues, type EntityModel, givenValues } from '../model/index.js';
import { assertKnownProperties, checkInit } from './known-properties.js';

/**
 * A new entity, with what it lacks: see `create` of repositories. `validate` is whether its
 * Standard Schemas are checked.
 */
export function createEntity<E extends object>(
  model: EntityModel<E>,
  init: Values,
  validate: boolean,
): E {
  checkInit(model, init);
  const { scope } = model.key;
  const entity = new model.entityClass();
  assertKnownProperties(model, init, entity);
  Object.assign(entity, init);
  givenValues(model).onCreate?.(entity as Record<string, unknown>);
  if (scope !== undefined) {
    scope.assertInside(entity);
    Object.assign(entity, scope.values());
  }
  model.key.encode(entity as Values);
  assertValues(model, entity as Values, 'create()', validate);
  return entity;
}
