/** Values and names as they appear in error messages. */
import { isDate } from '../value-kind.js';

/** A short description of a value: `the number 1.5`, `a Map`, `undefined`. */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(shortened(value))}`;
    case 'number':
      return `the number ${numberText(value)}`;
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

const maxShownChars = 40;

function shortened(text: string): string {
  if (text.length <= maxShownChars) return text;
  return `${text.slice(0, maxShownChars)}...`;
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return `${value}`;
}

function objectText(value: object | null): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isDate(value) && Number.isNaN(value.getTime())) return 'an invalid Date';
  if (Object.getPrototypeOf(value) === null) return 'an object';
  const name: unknown = value.constructor?.name;
  if (typeof name !== 'string' || name === '' || name === 'Object') return 'an object';
  const article = /^(?:[aeio]|u(?!int|ser|uid))/i.test(name) ? 'an' : 'a';
  return `${article} ${name}`;
}

/** Names in quotes for a sentence: `'m', 's'`. */
export function quotedList(names: Iterable<string>): string {
  return Array.from(names, (name) => `'${name}'`).join(', ');
}

/** A name in quotes; what JavaScript gave instead of a name, in words. */
export function quotedName(name: unknown): string {
  return typeof name === 'string' ? `'${name}'` : valueText(name);
}

/** The message of whatever was thrown, which need not be an Error. */
export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  return String(error);
}

/** A comparator for sort: by UTF-16 units, which is the same in every locale. */
export function compareText(a: string, b: string): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return 0;
}

/**
 * A declared value as it is written in code, for errors about names and options. What JSON cannot
 * write is described: `JSON.stringify` throws a TypeError for a bigint and for a cycle.
 */
export function literalText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  try {
    return JSON.stringify(value) ?? valueText(value);
  } catch {
    return valueText(value);
  }
}

/** `12 MiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
