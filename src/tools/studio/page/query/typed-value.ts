/** Values as they are typed, and back. */
import type { JsonValue } from '../../protocol/json.js';
import { base64Of, bytesOf, hexOf } from '../format/bytes.js';
import { isBytes, isTime } from '../format/value.js';
import { dateText, parseTime, timeText } from '../format/time.js';

/** What typed text means, or why it means nothing. */
export type Typed = { readonly value: JsonValue } | { readonly problem: string };

/** Kinds with integers that JSON numbers cannot hold. */
const digits = /^(bigint|micros|reversedId|s?u?int64|s?fixed64)$/;
const integers = /^(int|uint|s?u?int32|s?fixed32)$/;
const unsigned = /^(uint|uint32|uint64|fixed32|fixed64)$/;
const fractions = /^(float|double)$/;
const specialNumbers = ['NaN', 'Infinity', '-Infinity', '-0'];

/** The value that text means for a kind. */
export function typedValue(text: string, kind: string, zone: string): Typed {
  if (digits.test(kind) || integers.test(kind)) return typedInteger(text.trim(), kind);
  if (fractions.test(kind)) return typedNumber(text.trim());
  if (kind === 'bool') return typedBoolean(text);
  if (isTime(kind)) {
    const value = parseTime(text, zone);
    const problem = 'Type a time: 2001-03-31 07:56:00';
    return value === undefined ? { problem } : { value };
  }
  if (kind === 'isoDate') return typedDate(text.trim());
  if (kind === 'date') return typedDay(text.trim());
  if (isBytes(kind)) return typedBytes(text.trim());
  if (kind === 'message' || kind === 'json') return typedJson(text);
  if (kind === 'jsonValue') return { value: jsonValue(text) };
  // Enums of messages are open: a number may have no name.
  if (kind === 'openEnum' && /^-?\d+$/.test(text.trim())) return { value: Number(text) };
  if (kind === 'decimal' && !/^-?\d+(\.\d+)?$/.test(text.trim()))
    return { problem: 'Type a decimal number: 12.50' };
  return { value: text };
}

function typedInteger(text: string, kind: string): Typed {
  if (!/^-?\d+$/.test(text)) return { problem: 'Type a whole number' };
  if (unsigned.test(kind) && text.startsWith('-')) return { problem: 'Type a number of 0 or more' };
  const exact = BigInt(text);
  if (digits.test(kind)) return { value: exact.toString() };
  const value = Number(exact);
  if (!Number.isSafeInteger(value)) return { problem: 'The number is too large' };
  return { value };
}

function typedNumber(text: string): Typed {
  if (specialNumbers.includes(text)) return { value: text };
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? { problem: 'Type a number' } : { value };
}

function typedBoolean(text: string): Typed {
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return { problem: 'Choose true or false' };
}

function typedDate(text: string): Typed {
  const value = parseTime(text, 'UTC');
  const problem = 'Type a date or a time in UTC: 2001-03-31';
  return value === undefined ? { problem } : { value };
}

/** The day of a column, which is text. */
function typedDay(text: string): Typed {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && parseTime(text, 'UTC') !== undefined)
    return { value: text };
  return { problem: 'Type a date: 2001-03-31' };
}

function typedBytes(text: string): Typed {
  if (/^0x([0-9a-fA-F]{2})*$/.test(text)) {
    const pairs = text.slice(2).match(/../g) ?? [];
    return { value: base64Of(Uint8Array.from(pairs, (pair) => parseInt(pair, 16))) };
  }
  const bytes = bytesOf(text);
  if (bytes === undefined) return { problem: 'Type bytes as 0x00ff, or as base64' };
  return { value: base64Of(bytes) };
}

function typedJson(text: string): Typed {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
}

/** A number, true and false as JSON has them; all else is text, which quotes keep as it is. */
function jsonValue(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return ['string', 'number', 'boolean'].includes(typeof value) ? value : text;
  } catch {
    return text;
  }
}

/** The text that `typedValue` turns back into the value. */
export function textToType(value: JsonValue, kind: string, zone: string): string {
  if (value === null) return '';
  if (typeof value === 'string') {
    if (isTime(kind)) return timeText(value, zone);
    if (kind === 'isoDate') return dateText(value);
    if (isBytes(kind)) {
      const bytes = bytesOf(value);
      return bytes === undefined || bytes.length > 64 ? value : `0x${hexOf(bytes)}`;
    }
    if (kind === 'message' || kind === 'json') return JSON.stringify(value, undefined, 2);
    if (kind === 'jsonValue') return jsonValue(value) === value ? value : JSON.stringify(value);
    return value;
  }
  return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value);
}

/** An example of what can be typed. */
export function hintFor(kind: string): string {
  if (isTime(kind)) return '2001-03-31 07:56';
  if (kind === 'isoDate' || kind === 'date') return '2001-03-31';
  if (isBytes(kind)) return '0x00ff or base64';
  if (kind === 'decimal') return '12.50';
  if (kind === 'uuid') return '00000000-0000-...';
  if ([integers, digits, fractions].some((kinds) => kinds.test(kind))) return 'number';
  return 'value';
}
