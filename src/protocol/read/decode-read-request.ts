/** ReadRowsRequest -> ReadPlan. */
import type { ReadPlan } from '../../store/index.js';
import { requestError } from '../request-error.js';
import type { ReadRowsRequest } from '../messages/data-messages.js';
import { decodeFilter } from '../filter/decode-filter.js';
import { readRowSet } from './row-set.js';
import type { ContentOf } from '../messages/message-type.js';

/** The plan of a request, over the table that the engine knows as `table`. */
export function decodeReadRequest(
  request: ContentOf<typeof ReadRowsRequest>,
  table: string,
): ReadPlan {
  const { rows, filter, rowsLimit = 0n, reversed = false } = request;
  if (rowsLimit < 0n) throw requestError('rows_limit', 'rows_limit must be non-negative');
  return {
    table,
    ranges: readRowSet(rows),
    reversed,
    // No answer has more rows than a number counts exactly.
    ...(rowsLimit === 0n || rowsLimit > BigInt(Number.MAX_SAFE_INTEGER)
      ? {}
      : { limit: Number(rowsLimit) }),
    ...(filter === undefined ? {} : { filter: decodeFilter(filter) }),
  };
}
