/** Parts shared by both channels and by reads. */
import { onAbort } from '../../../base/index.js';
import { FeatureFlags } from '../../protocol/index.js';
import type { ResolvedSettings } from '../settings.js';
import {
  type CallError,
  ChannelClosedError,
  type MessageStream,
  type RpcMethod,
  type RpcOptions,
} from './channel.js';

/**
 * Value of `bigtable-features`: what this client does. Servers reject reversed reads without
 * reverse_scans. Only gRPC has trailers.
 */
export function featureHeader(
  { batchWriteFlowControl }: Pick<ResolvedSettings, 'batchWriteFlowControl'>,
  isGrpc: boolean,
): string {
  const ifGrpc = isGrpc ? true : undefined;
  // The first flag alone would disable retries of single rows (feature_flags.proto).
  const ifControlled = batchWriteFlowControl ? true : undefined;
  const flags = FeatureFlags.encode({
    reverseScans: true,
    lastScannedRowResponses: true,
    routingCookie: ifGrpc,
    retryInfo: ifGrpc,
    mutateRowsRateLimit: ifControlled,
    mutateRowsRateLimit2: ifControlled,
  });
  // In web-safe base64, padded as other clients do: strict decoders reject it otherwise.
  return Buffer.from(flags).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** The deadline of a call that starts now, in milliseconds since the epoch. */
export function deadlineOf({ timeoutMs }: RpcOptions): number | undefined {
  if (timeoutMs === undefined) return undefined;
  return Date.now() + timeoutMs;
}

/** A running call, which the channel fails when it is closed. */
export interface RunningCall {
  fail(error: CallError): void;
}

/** The running calls of a channel. */
export class RunningCalls {
  readonly #calls = new Map<RunningCall, RpcMethod>();

  add(call: RunningCall, method: RpcMethod): void {
    this.#calls.set(call, method);
  }

  has(call: RunningCall): boolean {
    return this.#calls.has(call);
  }

  delete(call: RunningCall): void {
    this.#calls.delete(call);
  }

  /** Fails the reads of rows and of samples. */
  failReads(): void {
    for (const [call, method] of [...this.#calls])
      if (/\/(ReadRows|SampleRowKeys)$/.test(method)) call.fail(new ChannelClosedError());
  }

  failAll(): void {
    for (const call of [...this.#calls.keys()]) call.fail(new ChannelClosedError());
  }
}

/** The stream of a call that could not be started. */
export function failedStream(reason: unknown): MessageStream {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller's own reason
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
