/** The version of one entity's declaration, which generated programs name. */
import { createHash } from 'node:crypto';
import type { EntityModel } from '../../entities/model/index.js';
import { emptyLock, type Lock } from './lock/lock.js';
import { lockText } from './lock/lock-text.js';
import { nextLock } from './next-lock.js';

/**
 * A function that gives the version of an entity: 8 hexadecimal digits, the start of the SHA-256
 * of its entry in the lock file as `rowsmith check --update` writes it.
 */
export function declarationVersions(
  lock: Lock,
  models: readonly EntityModel[],
): (model: EntityModel) => string {
  const { tables } = nextLock(lock, models);
  return ({ name, table }) => {
    const entity = tables[table.name].entities[name];
    const own = { [table.name]: { families: {}, entities: { [name]: entity } } };
    const text = lockText({ ...emptyLock, tables: own });
    return createHash('sha256').update(text).digest('hex').slice(0, 8);
  };
}
