/** Doubles as exact fractions, for tests of sums. */

/** A double as an exact fraction of 2^1074. */
export function exact(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const exponent = Number((raw >> 52n) & 2047n);
  const fraction = raw & ((1n << 52n) - 1n);
  const magnitude = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return raw >> 63n === 1n ? -magnitude : magnitude;
}

/** From here on, sums are nearer to 2^1024 than to the greatest double. */
const overflow = exact(Number.MAX_VALUE) + exact(2 ** 970);

/** The double nearest to an exact sum: found among the neighbours of an approximation. */
export function nearest(sum: bigint): number {
  if (sum >= overflow) return Infinity;
  if (sum <= -overflow) return -Infinity;
  let low = -Number.MAX_VALUE;
  let high = Number.MAX_VALUE;
  const order = (value: number): bigint => exact(value) - sum;
  const toIndex = (value: number): bigint => {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    const raw = view.getBigUint64(0);
    return raw >> 63n === 1n ? -(raw & ((1n << 63n) - 1n)) : raw;
  };
  const ofIndex = (index: bigint): number => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, index < 0n ? -index : index);
    return index < 0n ? -view.getFloat64(0) : view.getFloat64(0);
  };
  while (toIndex(high) - toIndex(low) > 1n) {
    const middle = ofIndex((toIndex(high) + toIndex(low)) >> 1n);
    if (order(middle) <= 0n) low = middle;
    else high = middle;
  }
  const [below, above] = [-order(low), order(high)];
  if (below !== above) return (below < above ? low : high) + 0;
  return (toIndex(low) % 2n === 0n ? low : high) + 0;
}
