/** ReadPlan -> ReadRowsRequest, the way back of read-request.ts. */
import { maxRowKeyBytes } from '../../base/index.js';
import { equalBytes, isPoint, type KeyRange } from '../../bytes/index.js';
import type { ReadPlan } from '../../store/index.js';
import { requestError } from '../request-error.js';
import { ReadRowsRequest, type RowRange } from '../messages/data-messages.js';
import type { ContentOf } from '../messages/message-type.js';

/** What a request names besides the plan. */
export interface RequestTarget {
  /** `projects/P/instances/I/tables/T`. */
  readonly tableName: string;
  /** Undefined for the default one. */
  readonly appProfile: string | undefined;
  /** The plan's filter as writeFilter gives it: a plan may be asked in many requests. */
  readonly filter: Uint8Array | undefined;
}

/**
 * The bytes of the plan's request; undefined when no row can be in its ranges: an empty set of rows
 * would be the whole table.
 */
export function encodeReadRequest(
  { ranges, reversed, limit }: ReadPlan,
  { tableName, appProfile, filter }: RequestTarget,
): Uint8Array | undefined {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1))
    throw requestError('limit', 'must be a whole number of at least 1');
  const rowKeys: Uint8Array[] = [];
  const rowRanges: ContentOf<typeof RowRange>[] = [];
  let all = false;
  for (const range of ranges) {
    if (isPoint(range)) {
      // No row has an empty or a longer key.
      if (range.start.length > 0 && range.start.length <= maxRowKeyBytes) rowKeys.push(range.start);
      continue;
    }
    const message = rangeMessage(range);
    if (message === undefined) continue;
    all ||= range.start.length === 0 && range.end === undefined;
    rowRanges.push(message);
  }
  if (rowKeys.length === 0 && rowRanges.length === 0) return undefined;
  return ReadRowsRequest.encode({
    tableName,
    ...(all
      ? {}
      : {
          rows: {
            ...(rowKeys.length === 0 ? {} : { rowKeys }),
            ...(rowRanges.length === 0 ? {} : { rowRanges }),
          },
        }),
    ...(filter === undefined ? {} : { filter }),
    ...(limit === undefined ? {} : { rowsLimit: BigInt(limit) }),
    ...(appProfile === undefined ? {} : { appProfileId: appProfile }),
    ...(reversed ? { reversed } : {}),
  });
}

/**
 * `[k 00, ...)` is said as `(k, ...)` and `[..., k 00)` as `[..., k]`; undefined when no row key
 * lies between the bounds.
 */
function rangeMessage({ start, end }: KeyRange): ContentOf<typeof RowRange> | undefined {
  const lower = keyBefore(start);
  const upper = end === undefined ? undefined : keyBefore(end);
  if (end?.length === 1 && end[0] === 0) return undefined;
  if (lower !== undefined && upper !== undefined && equalBytes(lower, upper)) return undefined;
  return {
    ...(start.length === 0
      ? {}
      : lower === undefined
        ? { startKeyClosed: start }
        : { startKeyOpen: lower }),
    ...(end === undefined
      ? {}
      : upper === undefined
        ? { endKeyOpen: end }
        : { endKeyClosed: upper }),
  };
}

/**
 * The last row key there can be before the bound, where it is one: the bound without its last 00,
 * or the part of it that is as long as a key.
 */
function keyBefore(bound: Uint8Array): Uint8Array | undefined {
  if (bound.length > maxRowKeyBytes) return bound.subarray(0, maxRowKeyBytes);
  return bound.length > 1 && bound[bound.length - 1] === 0 ? bound.subarray(0, -1) : undefined;
}
