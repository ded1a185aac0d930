/**
 * Integers of any size up to 99 digits: two digits of length, then the digits. A negative integer
 * is `-` and the nines' complement of both.
 */
import type { FaultTexts } from '../../../base/index.js';
import type { SegmentField } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { rawDefaults } from '../fields/raw-field.js';

const limit = 10n ** 99n;

const ascending: SegmentField = {
  ...rawDefaults,
  write(out, value) {
    out.ascii(format(checkedBigint(value)));
  },
  reader: () => (bytes, start, end) => parse(asciiText(bytes, start, end)) ?? notAValue,
  minLength: 3,
  maxLength: 102,
  minByte: 0x2d,
  prefixFree: true,
  sqlType: 'BYTES',
  punctuation: '-',
  encoding: "two digits of length, digits, negatives as '-' and the nines' complement",
};

/** Writes -n, which is exact because the range is symmetric. */
const descending: SegmentField = {
  ...ascending,
  write(out, value) {
    out.ascii(format(-checkedBigint(value)));
  },
  reader: () => (bytes, start, end) => {
    const negated = parse(asciiText(bytes, start, end));
    if (negated === undefined) return notAValue;
    return -negated;
  },
  descending: true,
  encoding: `${ascending.encoding}, of -n`,
};

/** The field of a direction. */
export function bigIntegerField(isDescending: boolean): SegmentField {
  if (isDescending) return descending;
  return ascending;
}

function checkedBigint(value: unknown): bigint {
  if (typeof value !== 'bigint') rejectValue(faults.notABigint, value);
  if (value <= -limit || value >= limit) rejectValue(faults.tooManyDigits, value);
  return value;
}

function format(value: bigint): string {
  if (value < 0n) return `-${complement(withLength(-value))}`;
  return withLength(value);
}

/** The integer of the text; undefined if the text is not canonical. */
function parse(text: string): bigint | undefined {
  if (!text.startsWith('-')) return parseWithLength(text);
  const magnitude = parseWithLength(complement(text.slice(1)));
  if (magnitude === undefined || magnitude === 0n) return undefined;
  return -magnitude;
}

function withLength(magnitude: bigint): string {
  const digits = magnitude.toString();
  return String(digits.length).padStart(2, '0') + digits;
}

function parseWithLength(text: string): bigint | undefined {
  if (!/^[0-9]{3,101}$/.test(text)) return undefined;
  const digits = text.slice(2);
  if (Number(text.slice(0, 2)) !== digits.length) return undefined;
  if (digits.length > 1 && digits.startsWith('0')) return undefined;
  return BigInt(digits);
}

/** Each digit d as 9 - d; characters that are not digits stay so. */
function complement(text: string): string {
  let digits = '';
  for (let i = 0; i < text.length; i++) digits += String.fromCharCode(0x69 - text.charCodeAt(i));
  return digits;
}

function asciiText(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

const faults = {
  notABigint: { problem: 'the value is not a bigint', fix: 'pass a bigint, such as 42n' },
  tooManyDigits: { problem: 'the value has more than 99 digits', fix: 'pass a smaller number' },
} satisfies FaultTexts;
