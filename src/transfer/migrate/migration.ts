/** Moving the rows of an entity from an old declaration to a new one, as data. */
import type { EntityClass } from '../../model/index.js';

/** What `rowsmith migrate` runs: a file exports it by default. */
export interface Migration<Old extends object = object, New extends object = object> {
  /** The class as it was: it reads the rows that are there. */
  readonly from: EntityClass<Old>;
  /** The class as it is now. */
  readonly to: EntityClass<New>;
  /**
   * The new entity of an old one; undefined leaves the row out. Without it, properties of one name
   * are copied cell by cell, with every version and timestamp.
   */
  readonly map?: (old: Old) => New | undefined;
  /** Properties of the old class that are left behind on purpose. */
  readonly drop?: readonly (keyof Old & string)[];
}

/**
 * Gives the migration back as it is, with its types: `export default defineMigration({ from:
 * OldReading, to: Reading })`.
 */
export function defineMigration<Old extends object, New extends object>(
  migration: Migration<Old, New>,
): Migration<Old, New> {
  return migration;
}
