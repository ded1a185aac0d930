/** Digits of integer segments, as src/data/key/FORMAT.md defines them. */
import type { SegmentType } from '../../data/key/index.js';

/** Digits when neither `width` nor `max` is declared: all safe integers. */
const defaultDigits = 16;

/** Number of decimal digits that a segment of integers has in a text key. */
export function digitsOf({ width, max }: SegmentType): number {
  if (width !== undefined) return width;
  if (max !== undefined) return String(max).length;
  return defaultDigits;
}
