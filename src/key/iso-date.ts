/** Moments as ISO 8601 text in UTC, years 0000 to 9999: expanded years would sort wrongly. */
import type { Field } from './field.js';
import { notAValue, refuse } from './field.js';
import { civilFromDays, dayMs, daysFromCivil, firstFourDigitMs, lastFourDigitMs } from './calendar.js';
import { readShortDigits, writeDigits } from './digits.js';
import { rawDefaults } from './raw-field.js';
import { floorBound, millisOf } from './time-kinds.js';

/** `2026-02-17T10:30:00.000Z`, or only `2026-02-17`, which floors to the day. */
export function isoDateField(precision: 'ms' | 'day'): Field {
  const width = precision === 'ms' ? 24 : 10;
  return {
    ...rawDefaults,
    write(out, value) {
      const ms = millisOf(value);
      if (ms < firstFourDigitMs || ms > lastFourDigitMs) refuse('the year is not 0000 to 9999', 'pass a moment whose year has four digits, or use timestamp', value);
      const days = Math.floor(ms / dayMs);
      const civil = civilFromDays(days);
      const inDay = ms - days * dayMs;
      const put = (digits: number, count: number, mark: string): void => {
        writeDigits(out, digits, count, false);
        out.ascii(mark);
      };
      put(Math.floor(civil / 10_000), 4, '-');
      put(Math.floor(civil / 100) % 100, 2, '-');
      put(civil % 100, 2, precision === 'ms' ? 'T' : '');
      if (precision === 'day') return;
      put(Math.floor(inDay / 3_600_000), 2, ':');
      put(Math.floor(inDay / 60_000) % 60, 2, ':');
      put(Math.floor(inDay / 1000) % 60, 2, '.');
      put(inDay % 1000, 3, 'Z');
    },
    reader: () => (bytes, start, end) => (end - start === width ? readIso(bytes, start, precision) : notAValue),
    minLength: width, maxLength: width, leastByte: 0x2d, immutable: false, prefixFree: true, sqlType: 'TIMESTAMP',
    punctuation: precision === 'ms' ? '-:.' : '-',
    bound: precision === 'day' ? floorBound(dayMs, true) : undefined,
    encoding: precision === 'ms' ? 'ISO 8601 with milliseconds, UTC' : 'ISO 8601 day, UTC',
  };
}

function readIso(bytes: Uint8Array, at: number, precision: 'ms' | 'day'): unknown {
  const number = (from: number, count: number): number => readShortDigits(bytes, at + from, at + from + count, false);
  const year = number(0, 4);
  const month = number(5, 2);
  const day = number(8, 2);
  if (year < 0 || month < 0 || day < 0 || bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d) return notAValue;
  const days = daysFromCivil(year * 10_000 + month * 100 + day);
  if (Number.isNaN(days)) return notAValue;
  if (precision === 'day') return new Date(days * dayMs);
  const marks = bytes[at + 10] === 0x54 && bytes[at + 13] === 0x3a && bytes[at + 16] === 0x3a && bytes[at + 19] === 0x2e && bytes[at + 23] === 0x5a;
  const hour = number(11, 2);
  const minute = number(14, 2);
  const second = number(17, 2);
  const ms = number(20, 3);
  if (!marks || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || ms < 0) return notAValue;
  return new Date(days * dayMs + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms);
}
