/** RowSet -> the ranges of a plan. */
import { maxRowKeyBytes } from '../../base/index.js';
import {
  compareBytes,
  everyKey,
  nextKey,
  pointRange,
  rangeFrom,
  unionRanges,
  type KeyRange,
  noBytes,
} from '../../bytes/index.js';
import { unknownFields } from '../../cell/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import type { RowRange, RowSet } from '../messages/data-messages.js';
import type { ContentOf } from '../messages/message-type.js';

/** The ranges of a set, sorted and disjoint; a set that names nothing is the whole table. */
export function readRowSet({
  rowKeys = [],
  rowRanges = [],
}: ContentOf<typeof RowSet> = {}): readonly KeyRange[] {
  if (rowKeys.length === 0 && rowRanges.length === 0) return [everyKey];
  // The empty key is no row's key, so it finds nothing, as in Google's emulator; a range would find
  // the row 00.
  const points = rowKeys
    .filter((key) => key.length > 0)
    .map((key) => pointRange(checkedBound(key)));
  return unionRanges([...points, ...rowRanges.map(readRange)]);
}

function readRange(range: ContentOf<typeof RowRange>): KeyRange {
  if (unknownFields in range)
    throw unsupportedRequest('rows', 'The row range has fields that this server does not know.');
  const { startKeyClosed, startKeyOpen, endKeyOpen, endKeyClosed } = range;
  const start = checkedBound(startKeyClosed ?? startKeyOpen ?? noBytes);
  // An empty open end is no bound (bigtable.proto: the infinite row key).
  const end =
    endKeyClosed ?? (endKeyOpen === undefined || endKeyOpen.length === 0 ? undefined : endKeyOpen);
  if (end !== undefined && compareBytes(start, checkedBound(end)) > 0)
    throw requestError('rows', "Error in field 'row_ranges' : start_key must be less than end_key");
  const first = startKeyOpen === undefined ? start : nextKey(start);
  return rangeFrom(first, end !== undefined && endKeyClosed !== undefined ? nextKey(end) : end);
}

function checkedBound(key: Uint8Array): Uint8Array {
  if (key.length > maxRowKeyBytes)
    throw requestError(
      'rows',
      `Row keys have at most ${maxRowKeyBytes} bytes, this one has ${key.length}.`,
    );
  return key;
}
