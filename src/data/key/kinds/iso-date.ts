/** Times as ISO 8601 text in UTC, years 0000 to 9999: expanded years would not sort correctly. */
import type { Field } from '../fields/field.js';
import { notAValue } from '../encoding/segment-value-error.js';
import { civilFromDays, dayMs, daysFromCivil } from '../encoding/calendar.js';
import { readShortDigits, readTwoDigits, writeTwoDigits } from '../encoding/digits.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { rawDefaults } from '../fields/raw-field.js';
import { bucketBound, fourDigitYearMillis } from './time-kinds.js';

const isoDefaults = {
  ...rawDefaults,
  minByte: 0x2d,
  immutable: false,
  prefixFree: true,
  sqlType: 'TIMESTAMP',
} as const;

const yearFix = 'pass a time with a year of four digits, or use timestamp';

/** `2026-02-17T10:30:00.000Z`. */
const isoMillis: Field = {
  ...isoDefaults,
  write(out, value) {
    const ms = fourDigitYearMillis(value, yearFix);
    out.reserve(24);
    const days = Math.floor(ms / dayMs);
    writeDay(out, civilFromDays(days));
    writeTime(out, ms - days * dayMs);
    out.at += 24;
  },
  reader: () => (bytes, start, end) => {
    if (end - start !== 24) return notAValue;
    const ms = readDay(bytes, start) + readTime(bytes, start);
    if (Number.isNaN(ms)) return notAValue;
    return new Date(ms);
  },
  minLength: 24,
  maxLength: 24,
  punctuation: '-:.',
  encoding: 'ISO 8601 with milliseconds, UTC',
};

/** `2026-02-17`: the time floored to the day. */
const isoDay: Field = {
  ...isoDefaults,
  write(out, value) {
    const ms = fourDigitYearMillis(value, yearFix);
    out.reserve(10);
    writeDay(out, civilFromDays(Math.floor(ms / dayMs)));
    out.at += 10;
  },
  reader: () => (bytes, start, end) => {
    if (end - start !== 10) return notAValue;
    const ms = readDay(bytes, start);
    if (Number.isNaN(ms)) return notAValue;
    return new Date(ms);
  },
  minLength: 10,
  maxLength: 10,
  punctuation: '-',
  mapBound: bucketBound(dayMs),
  encoding: 'ISO 8601 day, UTC',
};

/** The field of a precision. */
export function isoDateField(precision: 'ms' | 'day'): Field {
  if (precision === 'day') return isoDay;
  return isoMillis;
}

/** Writes `yyyy-mm-dd` at the writer's position, which the caller advances. */
function writeDay({ bytes, at }: KeyWriter, civil: number): void {
  const year = (civil / 10_000) | 0;
  const century = (year / 100) | 0;
  const month = ((civil / 100) | 0) % 100;
  writeTwoDigits(bytes, at, century);
  writeTwoDigits(bytes, at + 2, year - century * 100);
  bytes[at + 4] = 0x2d;
  writeTwoDigits(bytes, at + 5, month);
  bytes[at + 7] = 0x2d;
  writeTwoDigits(bytes, at + 8, civil % 100);
}

/** Writes `Thh:mm:ss.mmmZ` after the day. */
function writeTime({ bytes, at }: KeyWriter, msOfDay: number): void {
  const seconds = (msOfDay / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  const ms = msOfDay - seconds * 1000;
  bytes[at + 10] = 0x54;
  writeTwoDigits(bytes, at + 11, hours);
  bytes[at + 13] = 0x3a;
  writeTwoDigits(bytes, at + 14, minutes - hours * 60);
  bytes[at + 16] = 0x3a;
  writeTwoDigits(bytes, at + 17, seconds - minutes * 60);
  bytes[at + 19] = 0x2e;
  bytes[at + 20] = 0x30 + ((ms / 100) | 0);
  writeTwoDigits(bytes, at + 21, ms % 100);
  bytes[at + 23] = 0x5a;
}

/** Milliseconds of the day `yyyy-mm-dd`; NaN if there is no such day. */
function readDay(bytes: Uint8Array, at: number): number {
  const year = readShortDigits(bytes, at, at + 4);
  const month = readTwoDigits(bytes, at + 5);
  const day = readTwoDigits(bytes, at + 8);
  if ((year | month | day) < 0 || bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d) return NaN;
  return daysFromCivil(year * 10_000 + month * 100 + day) * dayMs;
}

/**
 * Milliseconds of `Thh:mm:ss.mmmZ`, which follows the day at `at`; NaN if there is no such time.
 */
function readTime(bytes: Uint8Array, at: number): number {
  if (
    bytes[at + 10] !== 0x54 ||
    bytes[at + 13] !== 0x3a ||
    bytes[at + 16] !== 0x3a ||
    bytes[at + 19] !== 0x2e ||
    bytes[at + 23] !== 0x5a
  )
    return NaN;
  const hour = readTwoDigits(bytes, at + 11);
  const minute = readTwoDigits(bytes, at + 14);
  const second = readTwoDigits(bytes, at + 17);
  const ms = readShortDigits(bytes, at + 20, at + 23);
  if ((hour | minute | second | ms) < 0 || hour > 23 || minute > 59 || second > 59) return NaN;
  return hour * 3_600_000 + minute * 60_000 + second * 1000 + ms;
}
