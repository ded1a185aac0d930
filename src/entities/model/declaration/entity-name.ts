/** The name of an entity. */
import { declarationOf } from './class-record.js';
import { readOptions } from './given-options.js';
import type { Constructor, EntityOptions } from './declaration.js';

/** The declared name of an entity, or the name of its class. */
export function entityName(
  entityClass: Constructor,
  options: EntityOptions | undefined = declarationOf(entityClass).entity,
): string {
  const { name } = readOptions(options);
  return typeof name === 'string' ? name : entityClass.name;
}
