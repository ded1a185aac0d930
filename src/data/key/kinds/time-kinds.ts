/** Integer domains of times: Dates and microseconds as integers, exact or floored. */
import { dayMs, hourMs, isDate, type FaultTexts } from '../../../base/index.js';
import type { BoundMapping } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { IntegerDomain, IntegerLayout } from '../fields/integer-field.js';
import {
  finerMillis,
  longReversed,
  longReversedMillis,
  unsignedDigits,
} from '../fields/digit-layouts.js';
import {
  civilFromDays,
  daysFromCivil,
  firstFourDigitMs,
  lastFourDigitMs,
} from '../encoding/calendar.js';
import { bigintDomain } from './number-kinds.js';
import { int64Max, int64Min } from '../encoding/int64.js';

/** Units of epoch numbers. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** Digits of an epoch number in each unit, enough until 2286-11-20T17:46:39. */
export const unitWidth: Readonly<Record<TimeUnit, number>> = { s: 10, ms: 13, us: 16, ns: 19 };

const dateLimit = 8_640_000_000_000_000;

/** Zeros after milliseconds in each unit; whole seconds have a separate domain. */
const zerosAfterMillis = { s: 0, ms: 0, us: 3, ns: 6 } as const;

/**
 * The text layout of epoch numbers: padded digits; descending, subtracted from all nines or from
 * Long.MAX_VALUE.
 */
export function epochLayout(
  unit: TimeUnit,
  descending: boolean,
  from: 'nines' | 'long',
): IntegerLayout {
  if (descending && from === 'long') return longReversed();
  return unsignedDigits(unitWidth[unit], descending);
}

/**
 * As epochLayout, for the integers of epochDomain: seconds, or milliseconds for every finer unit.
 */
export function dateLayout(
  unit: TimeUnit,
  descending: boolean,
  from: 'nines' | 'long',
): IntegerLayout {
  const zeros = zerosAfterMillis[unit];
  if (descending && from === 'long' && unit !== 's') return longReversedMillis(zeros);
  if (zeros === 0) return epochLayout(unit, descending, from);
  return finerMillis(zeros, descending);
}

/** The milliseconds of a valid Date. */
export function millisOf(value: unknown): number {
  if (!isDate(value)) rejectValue(faults.notADate, value);
  const ms = value.getTime();
  if (Number.isNaN(ms)) rejectValue(faults.invalidDate, value);
  return ms;
}

/** The Date of milliseconds since 1970, or notAValue if Date's range does not reach it. */
function dateOf(ms: number): unknown {
  if (ms < -dateLimit || ms > dateLimit) return notAValue;
  return new Date(ms);
}

const timeDefaults = {
  immutable: false,
  sqlType: 'TIMESTAMP',
  rangeFix: 'pass a time inside the range, or store it in a column',
} as const;

/**
 * Dates as exact numbers since 1970: seconds for `s`, where a Date between two seconds is rejected,
 * else milliseconds.
 */
export function epochDomain(unit: TimeUnit): IntegerDomain {
  if (unit === 's') return secondsDomain();
  return millisDomain();
}

function millisDomain(): IntegerDomain {
  return {
    ...timeDefaults,
    toInteger: millisOf,
    fromInteger: (integer) => dateOf(Number(integer)),
    fromNumber: dateOf,
  };
}

/** Dates as microseconds; numbers, not bigints, between the years 1684 and 2255. */
export function microsecondDates(): IntegerDomain {
  return {
    ...timeDefaults,
    toInteger(value) {
      const ms = millisOf(value);
      if (ms > -9_007_199_254_740 && ms < 9_007_199_254_740) return ms * 1000;
      return BigInt(ms) * 1000n;
    },
    fromInteger(integer) {
      if (typeof integer === 'bigint') {
        if (integer % 1000n !== 0n) return notAValue;
        return dateOf(Number(integer / 1000n));
      }
      const ms = Math.floor(integer / 1000);
      if (ms * 1000 !== integer) return notAValue;
      return dateOf(ms);
    },
  };
}

function secondsDomain(): IntegerDomain {
  return {
    ...timeDefaults,
    toInteger(value) {
      const ms = millisOf(value);
      if (ms % 1000 !== 0) rejectValue(faults.notWholeSeconds, value);
      return ms / 1000 + 0;
    },
    fromInteger: (integer) => dateOf(Number(integer) * 1000),
    mapBound: secondsBound,
  };
}

/** Microseconds since 1970 as bigint. */
export const microsDomain: IntegerDomain = bigintDomain(int64Min, int64Max, 'TIMESTAMP');

const exactDomains = { s: secondsDomain, ms: millisDomain, us: microsecondDates };

/** Dates floored to `sizeMs`, as numbers of `unit`. */
export function flooredDomain(sizeMs: number, unit: 's' | 'ms' | 'us'): IntegerDomain {
  const inner = exactDomains[unit]();
  // Reused for every value: the inner domain only reads its time.
  const floored = new Date(0);
  return {
    ...timeDefaults,
    toInteger(value) {
      floored.setTime(floorTo(millisOf(value), sizeMs));
      return inner.toInteger(floored);
    },
    fromInteger(integer) {
      const value = inner.fromInteger(integer);
      if (!(value instanceof Date)) return notAValue;
      const ms = value.getTime();
      if (floorTo(ms, sizeMs) !== ms) return notAValue;
      return value;
    },
    mapBound: bucketBound(sizeMs),
  };
}

/** Dates floored to the hour (UTC), as the number yyyymmddhh. */
export function hourDomain(): IntegerDomain {
  return {
    ...timeDefaults,
    toInteger(value) {
      const ms = fourDigitYearMillis(value, 'pass a time with a year of four digits');
      const days = Math.floor(ms / dayMs);
      return civilFromDays(days) * 100 + Math.floor((ms - days * dayMs) / hourMs);
    },
    fromInteger(integer) {
      const whole = Number(integer);
      const civil = Math.floor(whole / 100);
      const hour = whole - civil * 100;
      const days = daysFromCivil(civil);
      if (hour > 23 || Number.isNaN(days)) return notAValue;
      return new Date(days * dayMs + hour * hourMs);
    },
    mapBound: bucketBound(hourMs),
  };
}

/** Dates floored to the day (UTC), as the number yyyymmdd. */
export function dayDomain(): IntegerDomain {
  return {
    ...timeDefaults,
    toInteger(value) {
      const ms = fourDigitYearMillis(value, 'pass a time with a year of four digits');
      return civilFromDays(Math.floor(ms / dayMs));
    },
    fromInteger(integer) {
      const days = daysFromCivil(Number(integer));
      if (Number.isNaN(days)) return notAValue;
      return new Date(days * dayMs);
    },
    mapBound: bucketBound(dayMs),
  };
}

/** The milliseconds of a Date in the years 0000 to 9999. */
export function fourDigitYearMillis(value: unknown, fix: string): number {
  const ms = millisOf(value);
  if (ms < firstFourDigitMs || ms > lastFourDigitMs) rejectValue(faults.yearOutOfRange(fix), value);
  return ms;
}

/**
 * Start of the bucket that contains the time. Flooring, not truncating, is right before 1970 too.
 */
export function floorTo(ms: number, sizeMs: number): number {
  return Math.floor(ms / sizeMs) * sizeMs;
}

/**
 * Bounds over keys in which one value stands for every time in its bucket of `sizeMs`: a bound
 * inside a bucket includes the bucket. `> t` means `>= t + 1`, since Dates are whole milliseconds.
 */
export function bucketBound(sizeMs: number): BoundMapping {
  return (end, bound) => {
    if (bound.value === null) return bound;
    const ms = millisOf(bound.value);
    const start = floorTo(ms, sizeMs);
    let matchesBucket = start !== ms;
    // Unlike `to`, `> t` matches the bucket that starts at t, unless t is the bucket's last time.
    if (end === 'from') matchesBucket = ms + 1 < start + sizeMs;
    return { value: new Date(start), inclusive: bound.inclusive || matchesBucket };
  };
}

/** Bounds over keys of whole seconds: `from` between two seconds excludes the earlier one. */
const secondsBound: BoundMapping = (end, bound) => {
  if (bound.value === null) return bound;
  const ms = millisOf(bound.value);
  const start = floorTo(ms, 1000);
  const value = new Date(start);
  if (start === ms) return { value, inclusive: bound.inclusive };
  return { value, inclusive: end === 'to' };
};

const faults = {
  notADate: { problem: 'the value is not a Date', fix: 'pass a Date' },
  invalidDate: { problem: 'the Date is invalid', fix: 'pass a Date with a number as getTime()' },
  notWholeSeconds: {
    problem: 'the Date has milliseconds and the segment stores whole seconds',
    fix: 'declare the segment with floor: 1000, or pass whole seconds',
  },
  yearOutOfRange: (fix: string) => ({ problem: 'the Date is outside the years 0000 to 9999', fix }),
} satisfies FaultTexts;
