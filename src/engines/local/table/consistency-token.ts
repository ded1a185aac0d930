/** The token of GenerateConsistencyToken and CheckConsistency. */
import { createHash } from 'node:crypto';
import type { TableState } from './table-state.js';

/** The token of a table, constant as long as the table exists. Table IDs are never reused. */
export function consistencyToken({ id, name }: TableState): string {
  const hash = createHash('sha256').update(`rowsmith consistency ${id} ${name}`).digest('hex');
  return `${id}-${hash.slice(0, 16)}`;
}
