/** Moments as ISO 8601 text in UTC, years 0000 to 9999: expanded years would sort wrongly. */
import type { Field } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import {
  civilFromDays,
  dayMs,
  daysFromCivil,
  firstFourDigitMs,
  lastFourDigitMs,
} from '../encoding/calendar.js';
import { readShortDigits, readTwoDigits, writeTwoDigits } from '../encoding/digits.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { rawDefaults } from './raw-field.js';
import { floorBound, millisOf } from './time-kinds.js';

/** `2026-02-17T10:30:00.000Z`, or only `2026-02-17`, which floors to the day. */
export function isoDateField(precision: 'ms' | 'day'): Field {
  const width = precision === 'ms' ? 24 : 10;
  return {
    ...rawDefaults,
    write(out, value) {
      const ms = millisOf(value);
      if (ms < firstFourDigitMs || ms > lastFourDigitMs)
        rejectValue(
          'the year is not 0000 to 9999',
          'pass a moment whose year has four digits, or use timestamp',
          value,
        );
      out.reserve(width);
      const days = Math.floor(ms / dayMs);
      writeDay(out, civilFromDays(days));
      if (precision === 'ms') writeTime(out, ms - days * dayMs);
      out.at += width;
    },
    reader: () => (bytes, start, end) =>
      end - start === width ? readIso(bytes, start, precision) : notAValue,
    minLength: width,
    maxLength: width,
    leastByte: 0x2d,
    immutable: false,
    prefixFree: true,
    sqlType: 'TIMESTAMP',
    punctuation: precision === 'ms' ? '-:.' : '-',
    bound: precision === 'day' ? floorBound(dayMs, true) : undefined,
    encoding: precision === 'ms' ? 'ISO 8601 with milliseconds, UTC' : 'ISO 8601 day, UTC',
  };
}

/** `yyyy-mm-dd` at the writer's place; the caller moves on. */
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

/** `Thh:mm:ss.mmmZ` behind the day. */
function writeTime({ bytes, at }: KeyWriter, inDay: number): void {
  const seconds = (inDay / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  const ms = inDay - seconds * 1000;
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

function readIso(bytes: Uint8Array, at: number, precision: 'ms' | 'day'): unknown {
  const year = readShortDigits(bytes, at, at + 4);
  const month = readTwoDigits(bytes, at + 5);
  const day = readTwoDigits(bytes, at + 8);
  if ((year | month | day) < 0 || bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d)
    return notAValue;
  const days = daysFromCivil(year * 10_000 + month * 100 + day);
  if (Number.isNaN(days)) return notAValue;
  if (precision === 'day') return new Date(days * dayMs);
  if (
    bytes[at + 10] !== 0x54 ||
    bytes[at + 13] !== 0x3a ||
    bytes[at + 16] !== 0x3a ||
    bytes[at + 19] !== 0x2e ||
    bytes[at + 23] !== 0x5a
  )
    return notAValue;
  const hour = readTwoDigits(bytes, at + 11);
  const minute = readTwoDigits(bytes, at + 14);
  const second = readTwoDigits(bytes, at + 17);
  const ms = readShortDigits(bytes, at + 20, at + 23);
  if ((hour | minute | second | ms) < 0 || hour > 23 || minute > 59 || second > 59)
    return notAValue;
  return new Date(days * dayMs + (hour * 3_600_000 + minute * 60_000 + second * 1000 + ms));
}
