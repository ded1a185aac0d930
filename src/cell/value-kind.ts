/** Recognising values for checks and for the text of faults. */
import { valueText } from '../base/index.js';
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

/** The fault of a value of the wrong JavaScript type. */
export function wrongType(expected: string, value: unknown, fix: string): CellFault {
  return new CellFault(`expected ${expected}, got ${valueText(value)}`, fix);
}
