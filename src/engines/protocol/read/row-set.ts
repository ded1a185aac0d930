/** RowSet -> the ranges of a plan. */
import {
  compareBytes,
  everyKey,
  type KeyRange,
  maxRowKeyBytes,
  nextKey,
  noBytes,
  pointRange,
  rangeFrom,
  unionRanges,
  type FaultTexts,
} from '../../../base/index.js';
import { unknownFields } from '../../../data/cell/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import type { RowRange, RowSet } from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';

/** The ranges of a set, sorted and disjoint. An empty set means the whole table. */
export function decodeRowSet({
  rowKeys = [],
  rowRanges = [],
}: ContentOf<typeof RowSet> = {}): readonly KeyRange[] {
  if (rowKeys.length === 0 && rowRanges.length === 0) return [everyKey];
  const points = rowKeys.map((key) => pointRange(checkedRowKey(key)));
  return unionRanges([...points, ...rowRanges.map(decodeRange)]);
}

function decodeRange(range: ContentOf<typeof RowRange>): KeyRange {
  if (unknownFields in range) throw unsupportedRequest('rows', faults.unknownFields);
  const { startKeyClosed, startKeyOpen, endKeyOpen, endKeyClosed } = range;
  const start = checkedBound(startKeyClosed ?? startKeyOpen ?? noBytes);
  // An empty open end means no bound (bigtable.proto: the infinite row key).
  const openEnd = endKeyOpen?.length === 0 ? undefined : endKeyOpen;
  const end = endKeyClosed ?? openEnd;
  if (end !== undefined && compareBytes(start, checkedBound(end)) > 0)
    throw requestError('rows', faults.emptyRange);
  const first = startKeyOpen === undefined ? start : nextKey(start);
  if (endKeyClosed !== undefined) return rangeFrom(first, nextKey(endKeyClosed));
  return rangeFrom(first, end);
}

function checkedRowKey(key: Uint8Array): Uint8Array {
  if (key.length === 0) throw requestError('row_keys', faults.emptyRowKey);
  return checkedBound(key);
}

function checkedBound(key: Uint8Array): Uint8Array {
  if (key.length > maxRowKeyBytes) throw requestError('rows', faults.rowKeyTooLong(key.length));
  return key;
}

const faults = {
  unknownFields: { problem: 'The row range has fields that this server does not know.' },
  emptyRange: { problem: "Error in field 'row_ranges' : start_key must be less than end_key" },
  emptyRowKey: { problem: 'Row keys must be non-empty' },
  rowKeyTooLong: (length: number) => ({
    problem: `Row keys have at most ${maxRowKeyBytes} bytes, this one has ${length}.`,
  }),
} satisfies FaultTexts;
