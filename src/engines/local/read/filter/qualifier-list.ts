/** Sorted lists of qualifiers. A filter may select thousands of columns of a row with millions. */
import { compareBytes, compareSlices } from '../../../../base/index.js';

/** A sorted copy without duplicates. */
export function sortedQualifiers(qualifiers: readonly Uint8Array[]): readonly Uint8Array[] {
  const sorted = [...qualifiers].sort(compareBytes);
  return sorted.filter((one, i) => i === 0 || compareBytes(sorted[i - 1], one) !== 0);
}

/** Index of the first of the sorted qualifiers that is not before the one in `[start, end)`. */
export function firstFrom(
  sorted: readonly Uint8Array[],
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = sorted[middle];
    if (compareSlices(candidate, 0, candidate.length, bytes, start, end) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** True when the qualifier in `[start, end)` is one of the sorted ones. */
export function hasQualifier(
  sorted: readonly Uint8Array[],
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const at = firstFrom(sorted, bytes, start, end);
  if (at === sorted.length || sorted[at].length !== end - start) return false;
  return compareSlices(sorted[at], 0, sorted[at].length, bytes, start, end) === 0;
}
