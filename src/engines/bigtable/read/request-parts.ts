/** Splits a read of many ranges into requests that Bigtable accepts. */
import type { KeyRange } from '../../../base/index.js';
import type { ReadPlan } from '../../../data/store/index.js';

/**
 * Maximum bytes of the keys and ranges of a request. Bigtable accepts 512 KiB; the rest is left for
 * the filter, which has at most 20 KiB, and the names.
 */
const maxRowSetBytes = 480 * 1024;
/** Bytes of a range beside its keys: tags and lengths. */
const rangeBytes = 16;

/** The ranges of a plan in parts, in reading order; one part if they fit a request. */
export function requestParts({ ranges, reversed }: ReadPlan): readonly (readonly KeyRange[])[] {
  if (ranges.length <= 1) return [ranges];
  const parts: KeyRange[][] = [[]];
  let bytes = 0;
  for (const range of reversed ? [...ranges].reverse() : ranges) {
    const size = rangeBytes + range.start.length + (range.end?.length ?? 0);
    const part = parts[parts.length - 1];
    if (part.length > 0 && bytes + size > maxRowSetBytes) {
      parts.push([range]);
      bytes = size;
    } else {
      part.push(range);
      bytes += size;
    }
  }
  if (reversed) for (const part of parts) part.reverse();
  return parts;
}
