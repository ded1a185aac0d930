/** Scopes that were made with the same values are the same scope. */
import { isBytes, isDate, toHex, type Values } from '../../../base/index.js';
import type { RowsOf } from '../read/rows/entity-pages.js';

interface ScopeOfRows {
  readonly database: unknown;
  /** The same text for the same values. */
  readonly values: string;
}

const scopes = new WeakMap<RowsOf, ScopeOfRows>();

/** Marks the repositories of a scope. */
export function rowsOfScope(rowsOf: RowsOf, database: unknown, values: Values): RowsOf {
  const pairs = Object.entries(values).map(([name, value]) => [name, valueId(value)] as const);
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  scopes.set(rowsOf, { database, values: JSON.stringify(pairs) });
  return rowsOf;
}

/** Whether two functions find the same rows. */
export function isSameRows(a: RowsOf, b: RowsOf): boolean {
  if (a === b) return true;
  const [first, second] = [scopes.get(a), scopes.get(b)];
  if (first === undefined || second === undefined) return false;
  return first.database === second.database && first.values === second.values;
}

function valueId(value: unknown): readonly [kind: string, text: string] {
  if (isDate(value)) return ['date', String(value.getTime())];
  if (isBytes(value)) return ['bytes', toHex(value)];
  return [typeof value, String(value)];
}
