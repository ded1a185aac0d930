/** ServiceError of grpc-js -> CallError. */
import {
  int32,
  many,
  messageType,
  one,
  statusCode,
  text,
  Any,
  ProtoDuration,
} from '../../protocol/index.js';
import { CallError } from './channel.js';
import type { Metadata, ServiceError } from './vendor/vendor-types.js';

/** google.rpc.Status with details; only RetryInfo is used (error_details.proto). */
const Status = messageType('google.rpc.Status', {
  code: int32(1),
  message: text(2),
  details: many(3, Any),
});
const RetryInfo = messageType('google.rpc.RetryInfo', { retryDelay: one(1, ProtoDuration) });

/**
 * The CallError of an error that the transport reports. `deadline` is the call's, in milliseconds
 * since the epoch: a server that resets a call after it has done so because of it, and grpc-js
 * reports the reset as a cancellation if it arrives before its own timer fires (Go's client decides
 * likewise).
 */
export function callError(error: ServiceError, deadline = Infinity): CallError {
  const { code = statusCode.UNKNOWN, details, message, metadata } = error;
  if (code === statusCode.CANCELLED && Date.now() >= deadline)
    return new CallError(statusCode.DEADLINE_EXCEEDED, 'The server ended the call at its deadline');
  return new CallError(code, details ?? message, retryDelayMs(metadata));
}

/** The delay in the trailers, in milliseconds; undefined if there is none, or it is malformed. */
function retryDelayMs(metadata: Metadata | undefined): number | undefined {
  const [encoded] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(encoded)) return undefined;
  try {
    const detail = Status.decode(encoded).details?.find(
      ({ type_url: type }) => type?.endsWith('/google.rpc.RetryInfo') === true,
    );
    if (detail?.value === undefined) return undefined;
    const delay = RetryInfo.decode(detail.value).retryDelay;
    if (delay === undefined) return undefined;
    return Number(delay.seconds ?? 0n) * 1000 + (delay.nanos ?? 0) / 1e6;
  } catch {
    return undefined;
  }
}
