/** Type checks of values, and the error for a wrong type. */
import { types } from 'node:util';
import { valueText } from '../base/index.js';
import { CodecError } from './cell-codec.js';

/** True for a Date, also from another realm. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date || types.isDate(value);
}

/** True for a Uint8Array (such as a Buffer), also from another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || types.isUint8Array(value);
}

/** True for a Map, also from another realm. */
export function isMap(value: unknown): value is Map<unknown, unknown> {
  return value instanceof Map || types.isMap(value);
}

/** The error for a value of the wrong JavaScript type. */
export function wrongTypeError(expected: string, value: unknown, fix: string): CodecError {
  return new CodecError(`expected ${expected}, got ${valueText(value)}`, fix);
}

/** The fix for a value of the wrong type where a whole number is expected in a column or field. */
export function integerFix(value: unknown, target: 'column' | 'field'): string {
  if (typeof value === 'bigint') return `give Number(value), or declare the ${target} as int64`;
  return 'give a whole number';
}

/** The fix for a value of the wrong type where a bigint is expected. */
export function bigintFix(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return `write ${value}n, or BigInt(value)`;
  return 'give a bigint';
}
