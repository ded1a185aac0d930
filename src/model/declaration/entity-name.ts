/** The name of an entity. */
import { declarationOf } from './class-record.js';
import type { Constructor, EntityOptions } from './declaration.js';

/** The declared name of an entity, or the name of its class. */
export function entityName(
  entityClass: Constructor,
  options: Partial<EntityOptions> = declarationOf(entityClass).entity ?? {},
): string {
  const { name } = options;
  return typeof name === 'string' ? name : entityClass.name;
}
