/**
 * Sums of doubles as bigints, for sums that no double holds on the way: whole numbers of 2^-1074,
 * the smallest double.
 */

/** The exponent of the unit. */
const unitExponent = 1074;
/** Bits of a number that is rounded: more than a double has digits, fewer than it has exponents. */
const roundedBits = 1000;

const view = new DataView(new ArrayBuffer(8));

/** A finite double in units. */
export function unitsOf(value: number): bigint {
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = bits >> 52n;
  const fraction = bits & 0xfffffffffffffn;
  // Numbers of the least exponent have no leading 1.
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}

/**
 * The double nearest to a number of units, of two equally near ones the even one; Infinity beyond
 * the greatest. `more`: the number is a little further from zero.
 */
export function roundedDouble(units: bigint, more = false): number {
  const magnitude = units < 0n ? -units : units;
  const excess = BigInt(Math.max(magnitude.toString(16).length * 4 - roundedBits, 0));
  let rounded = magnitude >> excess;
  // A bit far below the last digit breaks a tie for all that is cut off.
  if (more || rounded << excess !== magnitude) rounded |= 1n;
  const result =
    Number(rounded) * 2 ** -(unitExponent / 2) * 2 ** (Number(excess) - unitExponent / 2);
  return units < 0n ? -result : result;
}
