/** Values of rollups as integers, exactly: aggregate families hold int64. */
import { maxInt64, minInt64, valueText, type FaultTexts } from '../../../../base/index.js';
import { CodecError } from '../../../../data/cell/index.js';
import type { RollupScale, Scaled } from '../../rollup-model.js';

/** Digits after the point that a number may keep: with more, few numbers would be exact. */
export const maxDecimals = 15;

/** Numbers with a fraction. `round` is the precision of the source: Math.fround for floats. */
export function numberScale(decimals: number, round?: (value: number) => number): RollupScale {
  const factor = 10 ** decimals;
  const valueOf = (integer: number): number => {
    // The quotient is rounded once, so it is the double nearest to the decimal number.
    const value = integer / factor;
    return round === undefined ? value : round(value);
  };
  return Object.freeze({
    decimals,
    scaled(value: unknown): Scaled {
      const integer = Math.round((value as number) * factor);
      if (Number.isSafeInteger(integer) && valueOf(integer) === value) return integer;
      throw inexact(value, decimals);
    },
    unscaled(integer: bigint): number {
      const small = Number(integer);
      if (Number.isSafeInteger(small)) return valueOf(small);
      return Number(decimalText(integer, decimals));
    },
  });
}

/** int64. */
export const bigIntScale: RollupScale = Object.freeze({
  decimals: 0,
  scaled(value: unknown): Scaled {
    const integer = value as bigint;
    if (integer < minInt64 || integer > maxInt64) throw outOfRange(value);
    const small = Number(integer);
    return Number.isSafeInteger(small) ? small : integer;
  },
  unscaled: (integer: bigint) => integer,
});

/** Times, as milliseconds since 1970. */
export const dateScale: RollupScale = Object.freeze({
  decimals: 0,
  scaled: (value: unknown): Scaled => (value as Date).getTime(),
  unscaled: (integer: bigint) => new Date(Number(integer)),
});

const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?$/;

/** Decimal text, such as `'12.50'`. */
export function decimalScale(decimals: number): RollupScale {
  return Object.freeze({
    decimals,
    scaled(value: unknown): Scaled {
      const text = value as string;
      const [, sign = '', whole = '', fraction = ''] = decimalPattern.exec(text) ?? [];
      if (whole.length + fraction.length === 0) throw notDecimal(value);
      if (/[1-9]/.test(fraction.slice(decimals))) throw inexact(value, decimals);
      const digits = whole + fraction.slice(0, decimals).padEnd(decimals, '0');
      const magnitude = BigInt(digits);
      return bigIntScale.scaled(sign === '-' ? -magnitude : magnitude);
    },
    unscaled: (integer: bigint) => decimalText(integer, decimals),
  });
}

/** An integer divided by a power of ten, as text with all its digits. */
export function decimalText(integer: bigint, decimals: number): string {
  const sign = integer < 0n ? '-' : '';
  const digits = String(integer < 0n ? -integer : integer).padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  const point = digits.length - decimals;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The mean of `count` values with this sum, rounded as a double. */
export function meanOf(sum: bigint, count: bigint, decimals: number): number {
  const divisor = count * 10n ** BigInt(decimals);
  const [total, parts] = [Number(sum), Number(divisor)];
  if (Number.isSafeInteger(total) && Number.isSafeInteger(parts)) return total / parts;
  // The integer part and the rest are each below what a double rounds.
  return Number(sum / divisor) + Number(sum % divisor) / Number(divisor);
}

function inexact(value: unknown, decimals: number): CodecError {
  if (typeof value === 'number' && !Number.isFinite(value))
    return new CodecError(faults.notANumber(value));
  return new CodecError(faults.tooManyDecimals(decimals, value));
}

function outOfRange(value: unknown): CodecError {
  return new CodecError(faults.int64OutOfRange(value));
}

function notDecimal(value: unknown): CodecError {
  return new CodecError(faults.notADecimal(value));
}

const faults = {
  notANumber: (value: number) => ({
    problem: `expected a finite number for the rollup, got ${valueText(value)}`,
    fix: 'set a finite number, or leave the value out',
  }),
  tooManyDecimals: (decimals: number, value: unknown) => ({
    problem: `a rollup keeps ${decimals} digits after the point, and ${valueText(value)} has more`,
    fix: 'round the value, or declare more decimals in the rollup',
  }),
  int64OutOfRange: (value: unknown) => ({
    problem: `${valueText(value)} is outside the range of int64, which the rollup adds`,
    fix: 'leave the value out of the rollup, or declare fewer decimals',
  }),
  notADecimal: (value: unknown) => ({
    problem: `expected decimal text for the rollup, got ${valueText(value)}`,
    fix: "write a decimal number such as '12.50'",
  }),
} satisfies FaultTexts;
