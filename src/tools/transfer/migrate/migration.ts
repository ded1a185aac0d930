/**
 * The definition of a migration: moves the rows of an entity from an old declaration to a new one.
 */
import type { EntityClass } from '../../../entities/model/index.js';

/** The default export of a file that `rowsmith migrate` runs. */
export interface Migration<Old extends object = object, New extends object = object> {
  /** The old class, which reads the stored rows. */
  readonly from: EntityClass<Old>;
  /** The new class. */
  readonly to: EntityClass<New>;
  /**
   * Converts an old entity to a new one, or returns undefined to leave the row out. By default,
   * properties with the same name are copied cell by cell, with all versions and timestamps.
   */
  readonly map?: (old: Old) => New | undefined;
  /** Properties of the old class that are not copied. */
  readonly drop?: readonly (keyof Old & string)[];
}

/**
 * Returns the migration unchanged, with its types inferred: `export default defineMigration({ from:
 * OldReading, to: Reading })`.
 */
export function defineMigration<Old extends object, New extends object>(
  migration: Migration<Old, New>,
): Migration<Old, New> {
  return migration;
}
