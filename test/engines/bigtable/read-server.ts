/**
 * A ReadRows server. A test writes its responses, message by message. The server records the
 * requests, what it sent, and whether the client has cancelled.
 */
import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { Calls } from '../../../src/engines/bigtable/call/calls.js';
import { connect } from '../../../src/engines/bigtable/channel/connect.js';
import { Reads } from '../../../src/engines/bigtable/read/reads.js';
import { resolveSettings, type LiveSettings } from '../../../src/engines/bigtable/settings.js';
import { decodeReadRequest, ReadRowsRequest } from '../../../src/engines/protocol/index.js';
import type { ReadPlan } from '../../../src/data/store/index.js';
import { messageOf } from '../protocol/chunk-messages.js';
import { encodePublished } from '../protocol/published.js';
import { breakStream } from '../../support/break-stream.js';

/** A call as the server sees it. */
export interface ReadCall {
  /** 0 for the first call of all. */
  readonly index: number;
  readonly plan: ReadPlan;
  readonly headers: Metadata;
  /** Number of messages sent. */
  sent: number;
  /** Aborted when the client has cancelled. */
  readonly signal: AbortSignal;
  /** Sends a message and waits until the client can receive more; rejects if it has cancelled. */
  send(message: Uint8Array): Promise<void>;
  /** Resets the HTTP/2 stream without a status, in the next turn of the event loop. */
  reset(): void;
}

/** Ends a call with a status other than OK. */
export class StatusError extends Error {
  constructor(
    readonly code: number,
    details = 'An error that the test injected',
  ) {
    super(details);
  }
}

/** A running server. */
export interface ReadServer {
  readonly address: string;
  readonly calls: readonly ReadCall[];
  close(): Promise<void>;
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** Starts a server. `respond` sends a response; it ends the call by returning, or by throwing. */
export async function startReadServer(
  respond: (call: ReadCall) => Promise<void>,
): Promise<ReadServer> {
  const calls: ReadCall[] = [];
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  const path = {
    path: '/google.bigtable.v2.Bigtable/ReadRows',
    requestStream: false,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  } as const;
  server.addService(
    { ReadRows: path },
    {
      ReadRows: (stream: ServerWritableStream<Buffer, Buffer>) => {
        const call = callOf(stream, calls.length);
        calls.push(call);
        respond(call).then(
          () => stream.end(),
          (error: Error) => {
            stream.emit(
              'error',
              Object.assign(new Error(error.message), {
                code: error instanceof StatusError ? error.code : status.UNKNOWN,
                details: error.message,
              }),
            );
          },
        );
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { address: `127.0.0.1:${port}`, calls, close: async () => server.forceShutdown() };
}

function callOf(stream: ServerWritableStream<Buffer, Buffer>, index: number): ReadCall {
  const cancelled = new AbortController();
  stream.on('cancelled', () =>
    cancelled.abort(new StatusError(status.CANCELLED, 'the client has cancelled')),
  );
  const call: ReadCall = {
    index,
    plan: decodeReadRequest(ReadRowsRequest.decode(stream.request), 't'),
    headers: stream.metadata,
    sent: 0,
    signal: cancelled.signal,
    send: (message) => {
      cancelled.signal.throwIfAborted();
      call.sent++;
      if (stream.write(Buffer.from(message))) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const abort = (): void => reject(cancelled.signal.reason as Error);
        cancelled.signal.addEventListener('abort', abort);
        stream.once('drain', () => {
          cancelled.signal.removeEventListener('abort', abort);
          resolve();
        });
      });
    },
    reset: () => breakStream(stream),
  };
  return call;
}

/** The reads of an engine on such a server. */
export interface ReadsUnderTest {
  readonly reads: Reads;
  readonly close: () => Promise<void>;
}

/** Reads through the vendor's client, connected to the address. */
export async function readsOf(
  address: string,
  settings: LiveSettings = {},
  maxAttempts?: number,
): Promise<ReadsUnderTest> {
  const resolved = resolveSettings({ ...settings, emulatorHost: address });
  const calls = new Calls(
    await connect({ project: 'p', instance: 'instance-1', appProfile: undefined }, resolved),
    resolved,
    'live',
  );
  return { reads: new Reads(calls, maxAttempts), close: () => calls.close() };
}

/** A message with last_scanned_row_key. */
export const scannedTo = (key: Uint8Array): Buffer =>
  encodePublished('google.bigtable.v2.ReadRowsResponse', { lastScannedRowKey: key });
/** A message that resets the current row. */
export const resetRow = messageOf([
  encodePublished('google.bigtable.v2.ReadRowsResponse.CellChunk', { resetRow: true }),
]);
