/** What both kinds of channel share. */
import { CallFault, type MessageStream } from './channel.js';

/**
 * google.bigtable.v2.FeatureFlags: reverse_scans (1), last_scanned_row_responses (4), retry_info
 * (6), in web-safe base64. Without the first a reversed read is refused.
 */
export const featureFlags = Buffer.of(0x08, 1, 0x20, 1, 0x30, 1).toString('base64url');

/** google/rpc/code.proto. */
const cancelled = 1;

/** A call that can be ended from outside. */
export interface Running {
  fail(fault: CallFault): void;
}

/** What ends the calls of a channel that is closed, and refuses later ones. */
export function closedFault(): CallFault {
  return new CallFault(cancelled, 'The channel is closed');
}

/** A stream that never began. */
export function failedStream(reason: unknown): MessageStream {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own reason
  return { read: () => Promise.reject(reason), cancel: () => undefined, release: () => undefined };
}
