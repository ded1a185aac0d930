/**
 * The row key as a value the compiler can read: `static readonly key = rowKey('tenant', 'device',
 * 'at')`.
 */
import type { KeyLiteral } from './declaration.js';

/** A registered symbol, so that a key made by the ESM build is known to the CommonJS build. */
const ROW_KEY = Symbol.for('rowsmith.rowKey');

/**
 * The parts of a row key in order: names of segments, and literals that name a dataset. Parts are
 * checked when the model is built.
 * @example rowKey(literal('reading'), 'tenant', 'device', 'at')
 */
export function rowKey<const K extends readonly [string | KeyLiteral, ...(string | KeyLiteral)[]]>(
  ...parts: K
): K {
  Object.defineProperty(parts, ROW_KEY, { value: true });
  return Object.freeze(parts);
}

/** A constant part of a row key, so that several entities can share a table. */
export function literal<const T extends string>(text: T): KeyLiteral<T> {
  return Object.freeze({ literal: text });
}

/** Whether rowKey made it. */
export function isRowKey(value: unknown): value is readonly (string | KeyLiteral)[] {
  return Array.isArray(value) && Object.hasOwn(value, ROW_KEY);
}
