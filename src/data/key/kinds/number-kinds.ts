/** Integer domains of numbers: int, uint, bigint, decimal, bool and enum ordinals. */
import type { FaultTexts } from '../../../base/index.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { IntegerDomain } from '../fields/integer-field.js';
import { nines, numberIfSafe } from '../encoding/digits.js';

/** Safe integers as numbers, from `min` to `max` inclusive. */
export function numberDomain(min: number | bigint, max: number | bigint): IntegerDomain {
  return {
    min,
    max,
    immutable: true,
    sqlType: 'INT64',
    rangeFix: 'pass a number inside the range, or declare a greater width',
    toInteger(value) {
      if (!Number.isSafeInteger(value)) rejectValue(faults.notASafeInteger, value);
      // Adding 0 turns -0 into 0.
      return (value as number) + 0;
    },
    fromInteger(integer) {
      if (Number.isSafeInteger(integer)) return integer;
      return notAValue;
    },
  };
}

/** Bigints from `min` to `max` inclusive. */
export function bigintDomain(
  min: bigint,
  max: bigint,
  sqlType: 'INT64' | 'TIMESTAMP' = 'INT64',
): IntegerDomain {
  return {
    min,
    max,
    immutable: true,
    sqlType,
    rangeFix: 'pass a bigint inside the range',
    toInteger(value) {
      if (typeof value !== 'bigint') rejectValue(faults.notABigint, value);
      return numberIfSafe(value);
    },
    fromInteger: BigInt,
  };
}

/** Decimal text with `scale` digits after the point, as value * 10^scale; `width` digits in all. */
export function decimalDomain(width: number, scale: number): IntegerDomain {
  const syntax = new RegExp(`^(-?)([0-9]+)(?:\\.([0-9]{1,${Math.max(scale, 1)}}))?$`);
  const unit = 10 ** scale;
  return {
    min: -nines(width),
    max: nines(width),
    immutable: true,
    sqlType: 'INT64',
    rangeFix: 'pass a smaller number, or declare a greater width',
    toInteger(value) {
      const short = shortDecimal(value, scale);
      if (!Number.isNaN(short)) return short;
      // The pattern does not match the empty text.
      const match = syntax.exec(typeof value === 'string' ? value : '');
      if (match === null || (scale === 0 && match[3] !== undefined)) {
        rejectValue(faults.notADecimal(scale), value);
      }
      const [, sign, whole, fraction = ''] = match;
      if (whole.length > 1000) rejectValue(faults.tooManyDigits, value);
      const magnitude = numberIfSafe(BigInt(whole + fraction.padEnd(scale, '0')));
      if (sign === '-' && magnitude !== 0) return -magnitude;
      return magnitude;
    },
    fromInteger(integer) {
      if (integer < 0) return `-${decimalText(-integer, scale, unit)}`;
      return decimalText(integer, scale, unit);
    },
  };
}

/** magnitude / 10^scale with all its digits; `unit` is 10^scale. */
function decimalText(magnitude: number | bigint, scale: number, unit: number): string {
  if (scale === 0) return String(magnitude);
  if (typeof magnitude === 'number' && scale <= 9) {
    const whole = Math.floor(magnitude / unit);
    return `${whole}.${String(magnitude - whole * unit + unit).slice(1)}`;
  }
  const digits = String(magnitude).padStart(scale + 1, '0');
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function decimalExample(scale: number): string {
  if (scale === 0) return '12';
  return `12.${'3'.repeat(scale)}`;
}

/**
 * The fast path for most values: the integer of decimal text of at most 15 characters with exactly
 * `scale` digits after the point; NaN for anything else.
 */
function shortDecimal(value: unknown, scale: number): number {
  if (typeof value !== 'string' || value.length > 15) return NaN;
  const negative = value.startsWith('-');
  const start = Number(negative);
  let point = value.length;
  if (scale > 0) {
    point -= scale + 1;
    if (value.charCodeAt(point) !== 0x2e) return NaN;
  }
  if (point <= start) return NaN;
  let magnitude = 0;
  for (let i = start; i < value.length; i++) {
    if (i === point) continue;
    const digit = value.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    magnitude = magnitude * 10 + digit;
  }
  if (negative && magnitude !== 0) return -magnitude;
  return magnitude;
}

/** false and true as 0 and 1. */
export const boolDomain: IntegerDomain = {
  min: 0,
  max: 1,
  immutable: true,
  sqlType: 'INT64',
  rangeFix: 'pass true or false',
  toInteger(value) {
    if (typeof value !== 'boolean') rejectValue(faults.notABoolean, value);
    return Number(value);
  },
  fromInteger: (integer) => integer === 1,
};

/** Members of an enum as their positions in the declaration. */
export function ordinalDomain(members: readonly string[]): IntegerDomain {
  const ordinals = new Map(members.map((member, ordinal) => [member, ordinal]));
  return {
    min: 0,
    max: members.length - 1,
    immutable: true,
    sqlType: 'INT64',
    rangeFix: 'pass a declared member',
    toInteger: (value) =>
      ordinals.get(value as string) ?? rejectValue(faults.notAMember(members.join(', ')), value),
    fromInteger: (integer) => members[Number(integer)],
  };
}

const faults = {
  notASafeInteger: {
    problem: 'the value is not a safe integer',
    fix: 'pass a whole number of at most 2^53 - 1, or declare the segment bigint',
  },
  notABigint: { problem: 'the value is not a bigint', fix: 'pass a bigint, such as 42n' },
  notADecimal: (scale: number) => ({
    problem: `the value is not decimal text with at most ${scale} digits after the point`,
    fix: `pass text such as '${decimalExample(scale)}'`,
  }),
  tooManyDigits: {
    problem: 'the value has more than 1,000 digits before the point',
    fix: 'pass a number with fewer digits',
  },
  notABoolean: { problem: 'the value is not a boolean', fix: 'pass true or false' },
  notAMember: (list: string) => ({
    problem: 'the value is not a member of the enum',
    fix: `pass one of ${list}`,
  }),
} satisfies FaultTexts;
