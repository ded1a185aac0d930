/** ReadPlan -> ReadRowsRequest, the inverse of decode-read-request.ts. */
import {
  equalBytes,
  isPoint,
  type KeyRange,
  maxRowKeyBytes,
  type FaultTexts,
} from '../../../base/index.js';
import type { ReadPlan } from '../../../data/store/index.js';
import { requestError } from '../request-error.js';
import { ReadRowsRequest, type RowRange } from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';

/** The fields of a request that do not come from the plan. */
export interface RequestTarget {
  /** `projects/P/instances/I/tables/T`; undefined if a view is named. */
  readonly tableName?: string | undefined;
  readonly authorizedViewName?: string | undefined;
  /** Undefined for the default app profile. */
  readonly appProfileId?: string | undefined;
  /** The plan's filter, encoded once for all requests of the plan. */
  readonly filter: Uint8Array | undefined;
}

/**
 * The encoded request of the plan. Undefined when no row can be in its ranges: an empty row set
 * would mean the whole table.
 */
export function encodeReadRequest(
  { ranges, reversed, limit }: ReadPlan,
  { tableName, authorizedViewName, appProfileId, filter }: RequestTarget,
): Uint8Array | undefined {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1))
    throw requestError('limit', faults.notAWholeNumber);
  const rowKeys: Uint8Array[] = [];
  const rowRanges: ContentOf<typeof RowRange>[] = [];
  let fullScan = false;
  for (const range of ranges) {
    if (isPoint(range)) {
      // Empty keys and keys over the limit cannot exist.
      if (range.start.length > 0 && range.start.length <= maxRowKeyBytes) rowKeys.push(range.start);
      continue;
    }
    const message = rangeMessage(range);
    if (message === undefined) continue;
    fullScan ||= range.start.length === 0 && range.end === undefined;
    rowRanges.push(message);
  }
  if (rowKeys.length === 0 && rowRanges.length === 0) return undefined;
  const request: ContentOf<typeof ReadRowsRequest> = {
    tableName,
    authorizedViewName,
    filter,
    appProfileId,
  };
  if (!fullScan) request.rows = { rowKeys, rowRanges };
  if (limit !== undefined) request.rowsLimit = BigInt(limit);
  if (reversed) request.reversed = true;
  return ReadRowsRequest.encode(request);
}

/**
 * Writes `[k 00, ...)` as `(k, ...)` and `[..., k 00)` as `[..., k]`. Undefined when no row key can
 * be in the range.
 */
function rangeMessage({ start, end }: KeyRange): ContentOf<typeof RowRange> | undefined {
  const message: ContentOf<typeof RowRange> = {};
  const startKeyOpen = keyBefore(start);
  if (startKeyOpen !== undefined) message.startKeyOpen = startKeyOpen;
  else if (start.length > 0) message.startKeyClosed = start;
  if (end === undefined) return message;
  if (end.length === 1 && end[0] === 0) return undefined;
  const endKeyClosed = keyBefore(end);
  if (endKeyClosed === undefined) return { ...message, endKeyOpen: end };
  if (startKeyOpen !== undefined && equalBytes(startKeyOpen, endKeyClosed)) return undefined;
  return { ...message, endKeyClosed };
}

/**
 * The greatest possible row key before the bound, if there is one: the bound without its last 00,
 * or its first 4,096 bytes.
 */
function keyBefore(bound: Uint8Array): Uint8Array | undefined {
  if (bound.length > maxRowKeyBytes) return bound.subarray(0, maxRowKeyBytes);
  if (bound.length > 1 && bound[bound.length - 1] === 0) return bound.subarray(0, -1);
  return undefined;
}

const faults = {
  notAWholeNumber: { problem: 'must be a whole number of at least 1' },
} satisfies FaultTexts;
