/** Authorized views of entities: some rows and columns, to which access can be given separately. */
import { recordOn } from './declaration/class-record.js';
import { givenOptions } from './declaration/given-options.js';
import { defineToJson } from './json/to-json-method.js';
import type { EntityClass, KeyParts, RowKeyOf, Segments } from './declaration/keys/key-types.js';

/** Options of `authorizedView`. */
export interface AuthorizedViewOptions<E extends object, K extends KeyParts, C> {
  /** The columns that the view shows, at least one. It always shows the segments of the key. */
  readonly columns: readonly C[];
  /**
   * The rows that the view shows: values of leading segments, one object for each part of the rows;
   * default: all rows of the entity.
   */
  readonly rows?: readonly Partial<RowKeyOf<E, K>>[];
  /** Protects the view, its table and its instance from deletion; default false. */
  readonly deletionProtection?: boolean;
}

/**
 * Declares an authorized view of an entity. Returns a class with the segments and the `columns`,
 * which is used as an entity: `open(url, { entities: [PublicUser] })` reads and writes through the
 * view `name` of the table, which `rowsmith generate` writes for Terraform and gcloud. `name` has 1
 * to 50 characters of `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`.
 * @example
 * const PublicUser = authorizedView(User, 'public', { columns: ['name', 'city'] });
 */
export function authorizedView<
  E extends object,
  const K extends KeyParts,
  const C extends Exclude<keyof E, Segments<K>[number]> & string,
>(
  entity: EntityClass<E, K>,
  name: string,
  options: AuthorizedViewOptions<E, K, C>,
): EntityClass<Pick<E, C | (Segments<K>[number] & keyof E)>, K> {
  const viewClass = class {};
  Object.defineProperty(viewClass, 'name', { value: `${entity?.name}.${name}` });
  Object.defineProperty(viewClass, 'key', { value: entity?.key, enumerable: true });
  recordOn(viewClass).view = { of: entity, name, options: givenOptions(options) };
  defineToJson(viewClass);
  return viewClass as EntityClass<Pick<E, C | (Segments<K>[number] & keyof E)>, K>;
}
