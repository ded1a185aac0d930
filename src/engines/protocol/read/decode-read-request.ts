/** ReadRowsRequest -> ReadPlan. */
import type { FaultTexts } from '../../../base/index.js';
import type { ReadPlan } from '../../../data/store/index.js';
import { requestError } from '../request-error.js';
import type { ReadRowsRequest } from '../messages/data-messages.js';
import { decodeFilter } from '../filter/decode-filter.js';
import { decodeRowSet } from './row-set.js';
import type { ContentOf } from '../../../data/cell/index.js';

/** The plan of a request; `table` is the engine's name of the table. */
export function decodeReadRequest(
  request: ContentOf<typeof ReadRowsRequest>,
  table: string,
): ReadPlan {
  const { rows, filter, rowsLimit = 0n, reversed = false } = request;
  if (rowsLimit < 0n) throw requestError('rows_limit', faults.negativeLimit);
  return {
    table,
    ranges: decodeRowSet(rows),
    reversed,
    limit: limitOf(rowsLimit),
    filter: filter === undefined ? undefined : decodeFilter(filter),
  };
}

/** 0 means unlimited; no response has more rows than a safe integer counts. */
function limitOf(rowsLimit: bigint): number | undefined {
  if (rowsLimit === 0n || rowsLimit > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return Number(rowsLimit);
}

const faults = {
  negativeLimit: { problem: 'rows_limit must be non-negative' },
} satisfies FaultTexts;
