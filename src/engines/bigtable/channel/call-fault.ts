/** What gRPC says about a failed call -> CallFault. */
import { int32, many, messageType, one, text, Any, Duration } from '../../../protocol/index.js';
import { CallFault } from './channel.js';
import type { Metadata, ServiceError } from './vendor.js';

/**
 * google.rpc.Status with its details, and the one kind of detail that is read
 * (google/rpc/error_details.proto).
 */
const Status = messageType('google.rpc.Status', {
  code: int32(1),
  message: text(2),
  details: many(3, Any),
});
const RetryInfo = messageType('google.rpc.RetryInfo', { retryDelay: one(1, Duration) });

const unknownCode = 2;

/** The fault of a call that the transport reports. */
export function callFault(error: ServiceError): CallFault {
  return new CallFault(
    error.code ?? unknownCode,
    error.details ?? error.message,
    retryDelay(error.metadata),
  );
}

/**
 * Milliseconds to wait that stand in the trailers; what cannot be read is no wish of the server's.
 */
function retryDelay(metadata: Metadata | undefined): number | undefined {
  const [encoded] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(encoded)) return undefined;
  try {
    const detail = Status.decode(encoded).details?.find(
      ({ type_url: type }) => type?.endsWith('/google.rpc.RetryInfo') === true,
    );
    const delay =
      detail?.value === undefined ? undefined : RetryInfo.decode(detail.value).retryDelay;
    return delay === undefined
      ? undefined
      : Number(delay.seconds ?? 0n) * 1000 + (delay.nanos ?? 0) / 1e6;
  } catch {
    return undefined;
  }
}
