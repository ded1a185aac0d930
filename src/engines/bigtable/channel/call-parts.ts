/** Parts shared by both channels and by reads. */
import { onAbort } from '../../../base/index.js';
import { FeatureFlags } from '../../protocol/index.js';
import { type CallError, ChannelClosedError, type MessageStream, type Method } from './channel.js';

/**
 * What this client does whatever the transport. Servers reject reversed reads without
 * reverse_scans.
 */
const commonFeatures = { reverseScans: true, lastScannedRowResponses: true } as const;

/** Value of `bigtable-features` over gRPC. */
export const grpcFeatures = featureHeader({
  ...commonFeatures,
  routingCookie: true,
  retryInfo: true,
});

/** Value of `bigtable-features` over another transport, which has no trailers. */
export const otherFeatures = featureHeader(commonFeatures);

/** In web-safe base64, padded as other clients do: strict decoders reject it otherwise. */
function featureHeader(flags: Parameters<typeof FeatureFlags.encode>[0]): string {
  const encoded = Buffer.from(FeatureFlags.encode(flags)).toString('base64');
  return encoded.replaceAll('+', '-').replaceAll('/', '_');
}

/** A running call, which the channel fails when it is closed. */
export interface RunningCall {
  fail(error: CallError): void;
}

/** The running calls of a channel. */
export class RunningCalls {
  readonly #calls = new Map<RunningCall, Method>();

  add(call: RunningCall, method: Method): void {
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
