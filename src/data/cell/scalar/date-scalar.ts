/**
 * The scalar `date`: a calendar day, stored as text `YYYY-MM-DD` with years 0001 to 9999. The text
 * sorts chronologically.
 */
import { valueText, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import { readText } from '../utf8.js';
import { wrongTypeError } from '../value-kind.js';

const fix = 'give a day as YYYY-MM-DD, years 0001 to 9999, for example 2026-02-28';

/** Encodes a day. */
export function writeDate(value: string): Uint8Array {
  if (typeof value !== 'string') throw wrongTypeError('a day as text', value, fix);
  if (!isDay(value)) throw new CodecError(faults.notADay(value));
  return Uint8Array.from(value, (character) => character.charCodeAt(0));
}

/** Decodes a day. */
export function readDate(bytes: Uint8Array, start: number, end: number): string {
  // Damaged cells can be long: only text of the right length is decoded.
  if (end - start === 10) {
    const text = readText(bytes, start, end);
    if (isDay(text)) return text;
  }
  throw new CodecError(faults.cellNotADay);
}

function isDay(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null || text.length !== 10) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2 && isLeapYear(year)) return 29;
  return daysOfMonths[month - 1];
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const faults = {
  notADay: (value: string) => ({ problem: `${valueText(value)} is not a calendar day`, fix }),
  cellNotADay: {
    problem: 'the cell does not contain a calendar day',
    fix: 'check that the column was written as date (YYYY-MM-DD)',
  },
} satisfies FaultTexts;
