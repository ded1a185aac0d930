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

/** True for an object that may have properties, and not for an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for promises, and for queries of other libraries that are sent when they are awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
