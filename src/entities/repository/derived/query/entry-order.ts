/** The properties that the rows of an index are ordered by. */
import type { SegmentType } from '../../../../data/key/index.js';
import type { IndexModel } from '../../../model/index.js';

/** Options that leave each value as it is. */
const exactOptions = ['kind', 'order', 'nullable', 'maxLength', 'width', 'max', 'reverseFrom'];
const exactKinds = ['string', 'bytes', 'bool', 'int', 'uint', 'bigint', 'timestamp'];

function isExact(type: SegmentType): boolean {
  const options = Object.keys(type) as (keyof SegmentType)[];
  return (
    exactKinds.includes(type.kind) &&
    options.every((name) => type[name] === undefined || exactOptions.includes(name))
  );
}

/**
 * The first segments of an index that have the same values as the rows: a floored time, for one, is
 * equal in rows with different times. `isExact` if all segments do.
 */
export function orderedNames({ entry }: IndexModel): {
  readonly names: readonly string[];
  readonly isExact: boolean;
} {
  const inexact = entry.segments.findIndex(({ type }) => !isExact(type));
  const names = entry.key.names;
  if (inexact < 0) return { names, isExact: true };
  return { names: names.slice(0, inexact), isExact: false };
}
