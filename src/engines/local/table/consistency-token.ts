/** The token of GenerateConsistencyToken and CheckConsistency. */
import { createHash } from 'node:crypto';
import { invalidArgument, type FaultTexts } from '../../../base/index.js';
import type { TableState } from './table-state.js';

/** The token of a table, constant as long as the table exists. Table IDs are never reused. */
export function consistencyToken({ id, name }: TableState): string {
  const hash = createHash('sha256').update(`rowsmith consistency ${id} ${name}`).digest('hex');
  return `${id}-${hash.slice(0, 16)}`;
}

/** Throws INVALID_ARGUMENT for a token of another table, or none. */
export function checkConsistencyToken(table: TableState, token: string): void {
  if (token !== consistencyToken(table)) throw invalidArgument('token', faults.unknownToken);
}

const faults = {
  unknownToken: {
    problem: 'it is not a token of this table',
    fix: 'give a token that generateConsistencyToken returned for this table',
  },
} satisfies FaultTexts;
