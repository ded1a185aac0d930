/**
 * The scalar `json`: a value <-> UTF-8 JSON text. Only what JSON holds exactly is taken:
 * JSON.stringify would drop undefined and functions, and turn NaN, Dates, Maps and class instances
 * into something else. One exception is JSON's own: -0 becomes 0.
 */
import { valueText } from '../../base/index.js';
/**
 * The scalar `json`: a value <-> UTF-8 JSON text. Only what JSON holds exactly is taken:
 * JSON.stringify would drop undefined and functions, and turn NaN, Dates, Maps and class instances
 * into something else. One exception is JSON's own: -0 becomes 0.
 */
import { CellFault } from '../cell-codec.js';
import { indexed, within } from '../fault-path.js';
import { readText } from '../utf8.js';
/**
 * Deeper values would exhaust the stack in JSON.stringify; a value that contains itself ends here
 * too.
 */
const deepest = 1000;

/** The cell of a value. */
export function writeJson(value: unknown): Uint8Array {
  checkJson(value, 0);
  const text = Buffer.from(JSON.stringify(value), 'utf8');
  return new Uint8Array(text.buffer, text.byteOffset, text.length);
}

/** The value of a cell. */
export function readJson(bytes: Uint8Array, start: number, end: number): unknown {
  const text = readText(bytes, start, end);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CellFault(
      `the cell does not hold JSON: ${(cause as Error).message}`,
      'check that the column was written as json',
    );
  }
}

function checkJson(value: unknown, depth: number): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object') throw notJson(value);
  if (depth === deepest)
    throw new CellFault(
      `the value nests deeper than ${deepest} levels, or contains itself`,
      'store it flat, or in several cells',
    );
  if (Array.isArray(value)) checkArray(value, depth);
  else checkObject(value, depth);
}

function checkArray(value: readonly unknown[], depth: number): void {
  let i = 0;
  try {
    for (; i < value.length; i++) checkJson(value[i], depth + 1);
  } catch (fault) {
    throw within(fault, indexed(i));
  }
  if (Reflect.ownKeys(value).length !== value.length + 1) {
    throw new CellFault(
      'the array has properties besides its elements, which JSON drops',
      'use a plain array',
    );
  }
}

function checkObject(value: object, depth: number): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Object.prototype of any realm is the one whose own prototype is null.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notJson(value);
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)!;
    if (typeof key === 'symbol' || property.enumerable !== true || !('value' in property)) {
      throw new CellFault(
        `the property ${String(key)} is a symbol, hidden or computed, which JSON cannot hold`,
        'use plain properties',
      );
    }
    try {
      checkJson(property.value, depth + 1);
    } catch (fault) {
      throw within(fault, key);
    }
  }
}

function notJson(value: unknown): CellFault {
  const fix =
    value === undefined
      ? 'leave the property out, or write null'
      : typeof value === 'bigint'
        ? 'write it as a string, or as a number if it is safe'
        : 'use only null, booleans, finite numbers, strings, arrays and plain objects; turn Dates and Maps into those first';
  return new CellFault(`JSON cannot hold ${valueText(value)}`, fix);
}
