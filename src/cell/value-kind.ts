/** Recognising values for checks and for the text of faults. */
import { types } from 'node:util';
import { CellFault } from './cell-codec.js';

/** True for a Date of any realm. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date || types.isDate(value);
}

/** True for a Uint8Array (a Buffer is one) of any realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || types.isUint8Array(value);
}

/** True for a Map of any realm. */
export function isMap(value: unknown): value is Map<unknown, unknown> {
  return value instanceof Map || types.isMap(value);
}

/**
 * A value for the text of a fault, short enough for a log line: `the number 1.5`, `a Map`,
 * `undefined`.
 */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`;
    case 'number':
      return `the number ${Object.is(value, -0) ? '-0' : value}`;
    case 'bigint':
      return `the bigint ${value}n`;
    case 'boolean':
      return `${value}`;
    case 'symbol':
      return 'a symbol';
    case 'function':
      return 'a function';
    case 'undefined':
      return 'undefined';
    default:
      return objectText(value as object | null);
  }
}

function objectText(value: object | null): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const name: unknown = Object.getPrototypeOf(value) === null ? undefined : value.constructor?.name;
  return typeof name !== 'string' || name === '' || name === 'Object'
    ? 'an object'
    : `${/^[aeiouAEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** The fault of a value of the wrong JavaScript type. */
export function wrongType(expected: string, value: unknown, fix: string): CellFault {
  return new CellFault(`expected ${expected}, got ${valueText(value)}`, fix);
}
