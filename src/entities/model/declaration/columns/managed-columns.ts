/** Columns that the library sets: revisions, and the times of creation and of the last write. */
import type { ColumnDefinition, QualifierOptions } from './column-definition.js';
import { readOptions } from '../given-options.js';
import type { ManagedRole } from '../declaration.js';

/**
 * The revision of the row: random text, new with each write. Writes of an entity that was read are
 * conditional on it.
 */
export function revision(family: string, options?: QualifierOptions): ColumnDefinition<string> {
  return managed('revision', 'string', family, options);
}

/** When the row was first saved or inserted. */
export function createdAt(family: string, options?: QualifierOptions): ColumnDefinition<Date> {
  return managed('createdAt', 'timestamp', family, options);
}

/** When the row was last written. */
export function updatedAt(family: string, options?: QualifierOptions): ColumnDefinition<Date> {
  return managed('updatedAt', 'timestamp', family, options);
}

function managed<V>(
  role: ManagedRole,
  scalar: 'string' | 'timestamp',
  family: string,
  options: QualifierOptions | undefined,
): ColumnDefinition<V> {
  return {
    declaration: {
      kind: 'column',
      role,
      family,
      qualifier: readOptions(options).qualifier,
      options,
      type: { kind: 'scalar', scalar },
    },
  };
}
