/** Sums without loss: of numbers rounded once, of bigints, and of decimal text. */

import { roundedDouble, unitsOf } from './wide-sum.js';

/** Adds up the values of one type. */
export interface Sum {
  add(value: unknown): void;
  total(): unknown;
}

/** The sum of numbers or of bigints. */
export interface NumericSum extends Sum {
  /** The average, if `count` values were added. */
  mean(count: number): number;
}

/** Partial sums that do not overlap: 2,098 bits of exponents and 53 of digits fill 41 doubles. */
const maxPartials = 41;

/**
 * The sum of doubles, rounded only once: kept as partial sums that do not overlap; their exact sum
 * is the exact sum of all values (Shewchuk 1997, as in Python's math.fsum).
 */
export class NumberSum implements NumericSum {
  /** While all values are integers, their sum, as long as it is one that a double holds. */
  #integer = 0;
  /** In ascending order of their magnitude. */
  #partials: Float64Array | undefined;
  #count = 0;
  /** The exact sum as a bigint, from when a partial sum was more than a double holds. */
  #wide: bigint | undefined;
  /** The plain sum of the values that are not finite. */
  #special = 0;

  add(value: number): void {
    if (this.#partials === undefined) {
      const sum = this.#integer + value;
      if (Number.isSafeInteger(sum) && Number.isInteger(value)) {
        this.#integer = sum;
        return;
      }
      this.#partials = new Float64Array(maxPartials);
      this.#addPartial(this.#partials, this.#integer);
    }
    if (!Number.isFinite(value)) this.#special += value;
    else if (this.#wide === undefined) this.#addPartial(this.#partials, value);
    else this.#wide += unitsOf(value);
  }

  total(): number {
    if (this.#partials === undefined) return this.#integer;
    if (this.#special !== 0) return this.#special;
    if (this.#wide !== undefined) return roundedDouble(this.#wide);
    return roundedSum(this.#partials, this.#count);
  }

  mean(count: number): number {
    const total = this.total();
    if (Number.isFinite(total) || this.#special !== 0) return total / count;
    // Only the sum is more than a double holds. The bits that division cuts off are far below the
    // last digit of the average.
    return roundedDouble(this.#wide! / BigInt(count), this.#wide! % BigInt(count) !== 0n);
  }

  #addPartial(partials: Float64Array, value: number): void {
    let high = value;
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const partial = partials[i];
      const sum = high + partial;
      if (!Number.isFinite(sum)) {
        const rest = [...partials.subarray(0, kept), ...partials.subarray(i, this.#count)];
        this.#wide = rest.reduce((units, each) => units + unitsOf(each), unitsOf(high));
        return;
      }
      // The smaller of the two is what rounding can have cut off.
      const low =
        Math.abs(high) < Math.abs(partial) ? high - (sum - partial) : partial - (sum - high);
      if (low !== 0) partials[kept++] = low;
      high = sum;
    }
    partials[kept] = high;
    this.#count = kept + 1;
  }
}

/** The double nearest to the exact sum of the partials; of two equally near ones the even one. */
function roundedSum(partials: Float64Array, count: number): number {
  let at = count - 1;
  if (at < 0) return 0;
  let sum = partials[at];
  let low = 0;
  while (at > 0 && low === 0) {
    const partial = partials[--at];
    const next = sum + partial;
    low = partial - (next - sum);
    sum = next;
  }
  // Half of the last digit: the partials below it decide the direction.
  if (at > 0 && low !== 0 && Math.sign(low) === Math.sign(partials[at - 1])) {
    const twice = low * 2;
    const next = sum + twice;
    if (twice === next - sum) return next;
  }
  return sum;
}

/** The sum of bigints. */
export class BigIntSum implements NumericSum {
  #total = 0n;
  /** Small values are first added as numbers, which takes a fifth of the time. */
  #small = 0;

  add(value: bigint): void {
    const small = Number(value);
    const sum = this.#small + small;
    if (Number.isSafeInteger(small) && Number.isSafeInteger(sum)) {
      this.#small = sum;
      return;
    }
    this.#total += value + BigInt(this.#small);
    this.#small = 0;
  }

  total(): bigint {
    return this.#total + BigInt(this.#small);
  }

  mean(count: number): number {
    const total = this.total();
    // The integer part and the rest are each below what a double rounds.
    return Number(total / BigInt(count)) + Number(total % BigInt(count)) / count;
  }
}

/** A decimal number: `units * 10^-scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Digits with an optional sign and an optional point; no exponent. */
const decimalPattern = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** The number that decimal text stands for; undefined if it is something else. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = ''] = decimalPattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const magnitude = BigInt(whole + fraction);
  return { units: sign === '-' ? -magnitude : magnitude, scale: fraction.length };
}

/** Negative, zero or positive, as the first number is less, equal or greater. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [unitsAt(a, scale), unitsAt(b, scale)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

/** The sum of decimals, with as many digits after the point as the value with the most of them. */
export class DecimalSum implements Sum {
  #sum: Decimal = { units: 0n, scale: 0 };

  add(value: Decimal): void {
    const scale = Math.max(value.scale, this.#sum.scale);
    this.#sum = { units: unitsAt(this.#sum, scale) + unitsAt(value, scale), scale };
  }

  total(): string {
    const { units, scale } = this.#sum;
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
    const point = digits.length - scale;
    const fraction = scale === 0 ? '' : `.${digits.slice(point)}`;
    return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }
}
