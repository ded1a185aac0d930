/** Domains of numbers: int, uint, bigint, decimal, bool and enum ordinals. */
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import type { IntegerDomain } from './integer-field.js';
import { nines, safest } from '../encoding/digits.js';

/** Safe integers as numbers, `min .. max`. */
export function numberDomain(min: number | bigint, max: number | bigint): IntegerDomain {
  return {
    min,
    max,
    immutable: true,
    sqlType: 'INT64',
    rangeFix: 'pass a number inside the range, or declare a greater width',
    toInteger(value) {
      if (!Number.isSafeInteger(value))
        rejectValue(
          'the value is not a safe integer',
          'pass a whole number of at most 2^53 - 1, or declare the segment bigint',
          value,
        );
      return (value as number) + 0;
    },
    fromInteger: (integer) => (Number.isSafeInteger(integer) ? integer : notAValue),
  };
}

/** Bigints, `min .. max`. */
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
      if (typeof value !== 'bigint')
        rejectValue('the value is not a bigint', 'pass a bigint, such as 42n', value);
      return safest(value);
    },
    fromInteger: BigInt,
  };
}

/** Decimal text with `scale` digits after the point, as the integer value * 10^scale. */
export function decimalDomain(width: number, scale: number): IntegerDomain {
  const form = new RegExp(`^(-?)([0-9]+)(?:\\.([0-9]{1,${Math.max(scale, 1)}}))?$`);
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
      const match = typeof value === 'string' ? form.exec(value) : null;
      if (match === null || (scale === 0 && match[3] !== undefined)) {
        rejectValue(
          `the value is not decimal text with at most ${scale} digits after the point`,
          `pass text such as '${scale === 0 ? '12' : `12.${'3'.repeat(scale)}`}'`,
          value,
        );
      }
      if (match[2].length > 1000)
        rejectValue('the number has too many digits', 'pass a smaller number', value);
      const size = safest(BigInt(match[2] + (match[3] ?? '').padEnd(scale, '0')));
      return match[1] === '-' && size !== 0 ? -size : size;
    },
    fromInteger(integer) {
      const size = integer < 0 ? -integer : integer;
      const sign = integer < 0 ? '-' : '';
      if (scale === 0) return `${sign}${size}`;
      if (typeof size === 'number' && scale <= 9) {
        const whole = Math.floor(size / unit);
        return `${sign}${whole}.${String(size - whole * unit + unit).slice(1)}`;
      }
      const digits = String(size).padStart(scale + 1, '0');
      return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
    },
  };
}

/**
 * The integer of decimal text of at most 15 characters with the full scale, which is what most
 * values are; NaN for anything else.
 */
function shortDecimal(value: unknown, scale: number): number {
  if (typeof value !== 'string' || value.length > 15) return NaN;
  const start = value.startsWith('-') ? 1 : 0;
  const point = scale === 0 ? value.length : value.length - scale - 1;
  if (point <= start || (scale > 0 && value.charCodeAt(point) !== 0x2e)) return NaN;
  let size = 0;
  for (let i = start; i < value.length; i++) {
    if (i === point) continue;
    const digit = value.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    size = size * 10 + digit;
  }
  return start === 1 && size !== 0 ? -size : size;
}

/** false and true as 0 and 1. */
export const boolDomain: IntegerDomain = {
  min: 0,
  max: 1,
  immutable: true,
  sqlType: 'INT64',
  rangeFix: 'pass true or false',
  toInteger(value) {
    if (typeof value !== 'boolean')
      rejectValue('the value is not a boolean', 'pass true or false', value);
    return value ? 1 : 0;
  },
  fromInteger: (integer) => integer === 1,
};

/** Members of an enum as their places in the declaration. */
export function ordinalDomain(members: readonly string[]): IntegerDomain {
  const places = new Map(members.map((member, place) => [member, place]));
  return {
    min: 0,
    max: members.length - 1,
    immutable: true,
    sqlType: 'INT64',
    rangeFix: 'pass a declared member',
    toInteger: (value) =>
      places.get(value as string) ??
      rejectValue(
        'the value is not a member of the enum',
        `pass one of ${members.join(', ')}`,
        value,
      ),
    fromInteger: (integer) => members[Number(integer)],
  };
}
