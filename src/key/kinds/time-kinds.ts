/** Domains of moments: Dates and microseconds as the integers keys hold, floored or exact. */
import type { FieldBound } from './field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { IntegerDomain, IntegerLayout } from './integer-field.js';
import { finerMillis, longReversed, longReversedMillis, unsignedDigits } from './digit-layouts.js';
import {
  civilFromDays,
  dayMs,
  daysFromCivil,
  firstFourDigitMs,
  lastFourDigitMs,
} from '../encoding/calendar.js';
import { bigintDomain } from './number-kinds.js';
import { int64Max, int64Min } from '../encoding/int64.js';

/** Units of epoch numbers. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** Digits of each unit until 2286-11-20T17:46:39. */
export const unitWidth: Readonly<Record<TimeUnit, number>> = { s: 10, ms: 13, us: 16, ns: 19 };

const hourMs = 3_600_000;
const dateLimit = 8_640_000_000_000_000;

/**
 * The layout of epoch numbers in text: padded digits, or what is left to nines or Long.MAX_VALUE
 * when descending.
 */
export function epochLayout(
  unit: TimeUnit,
  descending: boolean,
  from: 'nines' | 'long',
): IntegerLayout {
  return descending && from === 'long'
    ? longReversed()
    : unsignedDigits(unitWidth[unit], descending);
}

/**
 * As epochLayout, of Dates as epochDomain gives them: seconds, or milliseconds for every finer
 * unit.
 */
export function dateLayout(
  unit: TimeUnit,
  descending: boolean,
  from: 'nines' | 'long',
): IntegerLayout {
  const zeros = unit === 'us' ? 3 : unit === 'ns' ? 6 : 0;
  if (descending && from === 'long' && unit !== 's') return longReversedMillis(zeros);
  return zeros === 0 ? epochLayout(unit, descending, from) : finerMillis(zeros, descending);
}

/** The milliseconds of a valid Date. */
export function millisOf(value: unknown): number {
  if (!(value instanceof Date)) rejectValue('the value is not a Date', 'pass a Date', value);
  const ms = value.getTime();
  if (Number.isNaN(ms))
    rejectValue('the Date is invalid', 'pass a Date whose getTime() is a number', value);
  return ms;
}

/** A Date of milliseconds, or notAValue when no Date reaches so far. */
function dateOf(ms: number): unknown {
  return ms >= -dateLimit && ms <= dateLimit ? new Date(ms) : notAValue;
}

const timed = {
  immutable: false,
  sqlType: 'TIMESTAMP',
  rangeFix: 'pass a moment inside the range, or keep it outside the key',
} as const;

/**
 * Dates as numbers since 1970, exact: seconds for `s`, where a Date between two seconds is refused,
 * else milliseconds.
 */
export function epochDomain(unit: TimeUnit): IntegerDomain {
  return unit === 's'
    ? secondsDomain()
    : {
        ...timed,
        toInteger: millisOf,
        fromInteger: (integer) => dateOf(Number(integer)),
        fromNumber: dateOf,
      };
}

/** Dates as microseconds; numbers, not bigints, between the years 1684 and 2255. */
export function microsecondDates(): IntegerDomain {
  return {
    ...timed,
    toInteger(value) {
      const ms = millisOf(value);
      return ms > -9_007_199_254_740 && ms < 9_007_199_254_740 ? ms * 1000 : BigInt(ms) * 1000n;
    },
    fromInteger(integer) {
      if (typeof integer === 'bigint')
        return integer % 1000n === 0n ? dateOf(Number(integer / 1000n)) : notAValue;
      const ms = Math.floor(integer / 1000);
      return ms * 1000 === integer ? dateOf(ms) : notAValue;
    },
  };
}

function secondsDomain(): IntegerDomain {
  return {
    ...timed,
    toInteger(value) {
      const ms = millisOf(value);
      if (ms % 1000 !== 0)
        rejectValue(
          'the Date has milliseconds and the key whole seconds',
          'declare the segment with floor: 1000, or pass whole seconds',
          value,
        );
      return ms / 1000 + 0;
    },
    fromInteger: (integer) => dateOf(Number(integer) * 1000),
    bound: floorBound(1000, false),
  };
}

/** Microseconds since 1970 as bigint. */
export const microsDomain: IntegerDomain = bigintDomain(int64Min, int64Max, 'TIMESTAMP');

/** Dates floored to `sizeMs`, as numbers of `unit`. */
export function flooredDomain(sizeMs: number, unit: 's' | 'ms' | 'us'): IntegerDomain {
  const inner =
    unit === 's' ? secondsDomain() : unit === 'ms' ? epochDomain('ms') : microsecondDates();
  // One Date for all: what is inside only asks for its time.
  const floored = new Date(0);
  return {
    ...timed,
    toInteger(value) {
      floored.setTime(floorTo(millisOf(value), sizeMs));
      return inner.toInteger(floored);
    },
    fromInteger(integer) {
      const value = inner.fromInteger(integer);
      if (!(value instanceof Date)) return notAValue;
      const ms = value.getTime();
      return floorTo(ms, sizeMs) === ms ? value : notAValue;
    },
    bound: floorBound(sizeMs, true),
  };
}

/** Dates floored to the hour or day (UTC), as the number yyyymmddhh or yyyymmdd. */
export function calendarDomain(floor: 'hour' | 'day'): IntegerDomain {
  const sizeMs = floor === 'hour' ? hourMs : dayMs;
  return {
    ...timed,
    toInteger(value) {
      const ms = millisOf(value);
      if (ms < firstFourDigitMs || ms > lastFourDigitMs)
        rejectValue(
          'the year is not 0000 to 9999',
          'pass a moment whose year has four digits',
          value,
        );
      const days = Math.floor(ms / dayMs);
      const civil = civilFromDays(days);
      return floor === 'day' ? civil : civil * 100 + Math.floor((ms - days * dayMs) / hourMs);
    },
    fromInteger(integer) {
      const whole = Number(integer);
      const civil = floor === 'hour' ? Math.floor(whole / 100) : whole;
      const hour = floor === 'hour' ? whole - civil * 100 : 0;
      const days = daysFromCivil(civil);
      return hour > 23 || Number.isNaN(days) ? notAValue : new Date(days * dayMs + hour * hourMs);
    },
    bound: floorBound(sizeMs, true),
  };
}

/** The start of the bucket the moment is in; floor, not truncation, so it holds before 1970 too. */
export function floorTo(ms: number, sizeMs: number): number {
  return Math.floor(ms / sizeMs) * sizeMs;
}

/**
 * Bounds over keys that hold only multiples of `sizeMs`. With `wholeBucket` a key stands for every
 * moment of its bucket, so the bucket that `from` falls into still answers; without, it stands for
 * its first moment only. Dates are whole milliseconds, so `> t` is `>= t + 1`.
 */
export function floorBound(
  sizeMs: number,
  wholeBucket: boolean,
): (end: 'from' | 'to', bound: FieldBound) => FieldBound {
  return (end, { value, inclusive }) => {
    if (value === null) return { value, inclusive };
    const ms = millisOf(value);
    const start = floorTo(ms, sizeMs);
    const floored = new Date(start);
    if (end === 'to') return { value: floored, inclusive: start === ms ? inclusive : true };
    if (!wholeBucket) return { value: floored, inclusive: start === ms && inclusive };
    return { value: floored, inclusive: inclusive || ms + 1 < start + sizeMs };
  };
}
