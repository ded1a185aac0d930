/** The token of a table for GenerateConsistencyToken and CheckConsistency. */
import { createHash } from 'node:crypto';
import type { TableState } from './table-state.js';

/**
 * The same each time, also after the database is opened again: table numbers are never used twice,
 * so it ends with its table.
 */
export function consistencyToken({ id, name }: TableState): string {
  return `${id}-${createHash('sha256').update(`rowsmith consistency ${id} ${name}`).digest('hex').slice(0, 16)}`;
}
