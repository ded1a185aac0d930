/** Creates entities of initial values. */
import type { Values } from '../../base/index.js';
import { declaredRules, type EntityModel, givenValues } from '../model/index.js';
import { assertKnownProperties, checkInit } from './known-properties.js';

/** A new entity, with what it lacks: see `create` of repositories. */
export function createEntity<E extends object>(model: EntityModel<E>, init: Values): E {
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
  declaredRules(model)?.checkEntity(entity as Values);
  return entity;
}
