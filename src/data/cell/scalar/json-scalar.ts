/**
 * The scalar `json`: any JSON value, stored as UTF-8 JSON text. Only values that JSON represents
 * exactly are accepted: JSON.stringify would drop undefined and functions, and change NaN, -0,
 * Dates, Maps and class instances.
 */
import { valueText, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import { indexPath, within } from '../fault-path.js';
import { readText } from '../utf8.js';

/**
 * Deeper values could overflow the stack in JSON.stringify. The limit also catches values that
 * contain themselves.
 */
const maxDepth = 1000;

/** Encodes a value. */
export function writeJson(value: unknown): Uint8Array {
  checkJson(value, 0);
  const text = Buffer.from(JSON.stringify(value), 'utf8');
  return new Uint8Array(text.buffer, text.byteOffset, text.length);
}

/** Decodes a value. */
export function readJson(bytes: Uint8Array, start: number, end: number): unknown {
  const text = readText(bytes, start, end);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CodecError(faults.cellNotJson((error as Error).message));
  }
}

function checkJson(value: unknown, depth: number): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return;
  if (typeof value !== 'object') throw notJsonError(value);
  if (depth === maxDepth) throw new CodecError(faults.nestedTooDeep);
  if (Array.isArray(value)) checkArray(value, depth);
  else checkObject(value, depth);
}

function checkArray(value: readonly unknown[], depth: number): void {
  let i = 0;
  try {
    for (; i < value.length; i++) checkJson(value[i], depth + 1);
  } catch (error) {
    throw within(error, indexPath(i));
  }
  if (Reflect.ownKeys(value).length !== value.length + 1) {
    throw new CodecError(faults.arrayWithProperties);
  }
}

function checkObject(value: object, depth: number): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Object.prototype has no prototype itself, in every realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notJsonError(value);
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)!;
    if (typeof key === 'symbol' || property.enumerable !== true || !('value' in property)) {
      throw new CodecError(faults.notAPlainProperty(String(key)));
    }
    try {
      checkJson(property.value, depth + 1);
    } catch (error) {
      throw within(error, key);
    }
  }
}

function notJsonError(value: unknown): CodecError {
  return new CodecError(faults.notJson(value));
}

function notJsonFix(value: unknown): string {
  if (value === undefined) return 'leave the property out, or write null';
  if (typeof value === 'bigint')
    return 'write it as a string, or as a number if it is a safe integer';
  if (Object.is(value, -0)) return 'write 0, or the string "-0" if the sign matters';
  return (
    'use only null, booleans, finite numbers, strings, arrays and plain objects; ' +
    'convert Dates and Maps to those first'
  );
}

const faults = {
  cellNotJson: (message: string) => ({
    problem: `the cell does not contain JSON: ${message}`,
    fix: 'check that the column was written as json',
  }),
  nestedTooDeep: {
    problem: `the value is nested deeper than ${maxDepth} levels, or contains itself`,
    fix: 'store it flat, or in several cells',
  },
  arrayWithProperties: {
    problem: 'the array has properties other than its elements, which JSON would drop',
    fix: 'use a plain array',
  },
  notAPlainProperty: (given: string) => ({
    problem: `the property ${given} is a symbol, not enumerable or an accessor, which JSON cannot represent`,
    fix: 'use plain properties',
  }),
  notJson: (value: unknown) => ({
    problem: `JSON cannot represent ${valueText(value)}`,
    fix: notJsonFix(value),
  }),
} satisfies FaultTexts;
