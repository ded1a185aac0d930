/** Row keys with parts that the compiler knows: `static readonly key = rowKey('tenant', 'at')`. */
import type { KeyLiteral } from '../declaration.js';

/** A registered symbol, so that the CommonJS build recognises keys created by the ESM build. */
const rowKeySymbol = Symbol.for('rowsmith.rowKey');

/**
 * Declares the parts of a row key in order: names of segments, and literals. buildModel checks
 * them.
 * @example rowKey(literal('reading'), 'tenant', 'device', 'at')
 */
export function rowKey<const K extends readonly [string | KeyLiteral, ...(string | KeyLiteral)[]]>(
  ...parts: K
): K {
  Object.defineProperty(parts, rowKeySymbol, { value: true });
  return Object.freeze(parts);
}

/** A constant part of a row key, so that several entities can share a table. */
export function literal<const T extends string>(text: T): KeyLiteral<T> {
  return Object.freeze({ literal: text });
}

/** True for the result of rowKey. */
export function isRowKey(value: unknown): value is readonly (string | KeyLiteral)[] {
  return Array.isArray(value) && Object.hasOwn(value, rowKeySymbol);
}
