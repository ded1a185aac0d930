/**
 * MutateRowsResponse -> the status of each row (google/bigtable/v2/bigtable.proto), without
 * allocating anything for rows with status OK.
 */
import {
  CodecError,
  cursor as wire,
  readEnd,
  readTag,
  readUint32,
  skip,
} from '../../../data/cell/index.js';
import { responseError } from '../response-error.js';
import type { StatusReport } from '../status.js';
import { RateLimitInfo } from '../messages/data-messages.js';
import { Status } from '../messages/operation-messages.js';

/** Tags of MutateRowsResponse and its entries. */
const tag = { entries: 0x0a, rateLimitInfo: 0x1a, index: 0x08, status: 0x12 } as const;

/** Called for each entry: the row's index in the request, and its status unless that is OK. */
type OnStatus = (index: number, failure: StatusReport | undefined) => void;

/** RateLimitInfo of a response. */
export interface RateLimit {
  /** By which the rate of requests is to be multiplied. */
  readonly factor: number;
  /** The time until the next change, in milliseconds. */
  readonly periodMs: number;
}

/**
 * Decodes a message; `onStatus` is called for each of its entries, and `onRateLimit` if it has one.
 */
export function decodeMutateRowsResponse(
  message: Uint8Array,
  onStatus: OnStatus,
  onRateLimit?: (limit: RateLimit) => void,
): void {
  try {
    for (let at = 0; at < message.length;) {
      const field = readTag(message, at, message.length);
      if (field === tag.entries) {
        const end = readEnd(message, wire.at, message.length);
        readEntry(message, wire.at, end, onStatus);
        at = end;
      } else if (field === tag.rateLimitInfo && onRateLimit !== undefined) {
        at = readEnd(message, wire.at, message.length);
        onRateLimit(rateLimitOf(message.subarray(wire.at, at)));
      } else at = skip(message, wire.at, message.length, field, 1);
    }
  } catch (error) {
    if (error instanceof CodecError) throw responseError({ problem: error.problem }, error);
    throw error;
  }
}

function readEntry(b: Uint8Array, at: number, end: number, onStatus: OnStatus): void {
  let index = 0;
  let failure: StatusReport | undefined;
  while (at < end) {
    const field = readTag(b, at, end);
    if (field === tag.index) {
      // An int64 on the wire, but indexes are below 100,000.
      index = readUint32(b, wire.at, end);
      at = wire.at;
    } else if (field === tag.status) {
      at = readEnd(b, wire.at, end);
      failure = undefined;
      if (wire.at < at) failure = failureOf(b.subarray(wire.at, at));
    } else at = skip(b, wire.at, end, field, 2);
  }
  onStatus(index, failure);
}

function rateLimitOf(info: Uint8Array): RateLimit {
  const { factor = 0, period: { seconds = 0n, nanos = 0 } = {} } = RateLimitInfo.decode(info);
  return { factor, periodMs: Number(seconds) * 1000 + nanos / 1e6 };
}

function failureOf(status: Uint8Array): StatusReport | undefined {
  const { code = 0, message = '' } = Status.decode(status);
  if (code === 0) return undefined;
  return { code, message };
}
