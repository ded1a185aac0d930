/** Parts shared by both channels and by reads. */
import { onAbort } from '../../../base/index.js';
import { statusCode } from '../../../protocol/index.js';
import { CallError, type MessageStream } from './channel.js';

/**
 * google.bigtable.v2.FeatureFlags with reverse_scans (1), last_scanned_row_responses (4) and
 * retry_info (6), in web-safe base64. Servers reject reversed reads without reverse_scans.
 */
export const featureFlags = Buffer.of(0x08, 1, 0x20, 1, 0x30, 1).toString('base64url');

/** A running call, which the channel fails when it is closed. */
export interface RunningCall {
  fail(error: CallError): void;
}

/** The error of running and later calls of a closed channel. */
export function closedError(): CallError {
  return new CallError(statusCode.CANCELLED, 'The channel is closed');
}

/** A stream whose call could not be started. */
export function failedStream(reason: unknown): MessageStream {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own reason
  return { read: () => Promise.reject(reason), cancel: () => undefined, release: () => undefined };
}

/** onAbort for an optional signal. Returns a function that unsubscribes. */
export function onOptionalAbort(
  signal: AbortSignal | undefined,
  callback: (reason: unknown) => void,
): () => void {
  if (signal === undefined) return noop;
  return onAbort(signal, () => callback(signal.reason));
}

function noop(): void {}
