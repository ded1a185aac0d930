/** Type checks of values by what they are, and not by their prototype, which can be faked. */
import { types } from 'node:util';

/** True for a Date, also from another realm. */
export function isDate(value: unknown): value is Date {
  return types.isDate(value);
}

/** True for a Uint8Array (such as a Buffer), also from another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return types.isUint8Array(value);
}

/** True for a Map, also from another realm. */
export function isMap(value: unknown): value is Map<unknown, unknown> {
  return types.isMap(value);
}
