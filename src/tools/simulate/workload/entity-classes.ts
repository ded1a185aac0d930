/** The entities with which a workload's entity is opened. */
import type { EntityClass, EntityModel } from '../../../entities/model/index.js';

/** The entity, and the sources of its copies, also indirectly. */
export function entityClassesOf(model: EntityModel): readonly EntityClass[] {
  const models = new Set([model]);
  for (const { copies = [] } of models) for (const { source } of copies) models.add(source);
  return [...new Set([...models].map(({ entityClass }) => entityClass as EntityClass))];
}
