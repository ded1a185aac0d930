/**
 * A gRPC proxy that fails calls: it forwards everything to a real server unchanged, and ends
 * selected calls with a status after a number of messages, before or after the server has executed
 * them.
 */
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { breakStream } from './break-stream.js';

/** How a call fails. */
export interface CallFailure {
  /** Messages of the response that are forwarded first; default 0. */
  readonly afterMessages?: number;
  /** The status (grpc-js, status). `reset` resets the stream without a status. */
  readonly code: number | 'reset';
  /** Whether the call reaches the server; default true. Otherwise it fails at once. */
  readonly reachesServer?: boolean;
  /** Milliseconds before it fails; default 0. */
  readonly delayMs?: number;
  /** Retry delay in milliseconds, sent to the client as google.rpc.RetryInfo. */
  readonly retryAfterMs?: number;
}

/** A call that the proxy received. */
export interface ReceivedCall {
  /** `/google.bigtable.v2.Bigtable/ReadRows`. */
  readonly method: string;
  readonly request: Buffer;
  readonly headers: Metadata;
  /** 0 for the first call. */
  readonly index: number;
}

/** A running proxy. */
export interface FaultServer {
  readonly address: string;
  /** All calls received. */
  readonly calls: readonly ReceivedCall[];
  /** Number of failed calls. */
  readonly failures: () => number;
  close(): Promise<void>;
}

const identity = (bytes: Buffer): Buffer => bytes;

/**
 * Starts a proxy for `target`. `fails` is called for each call; undefined forwards it unchanged.
 */
export async function startFaultServer(
  target: string,
  fails: (call: ReceivedCall) => CallFailure | undefined,
): Promise<FaultServer> {
  const upstream = new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  const server = new Server({
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  const calls: ReceivedCall[] = [];
  let failures = 0;
  const handle = (method: string, call: ServerWritableStream<Buffer, Buffer>): void => {
    const seen: ReceivedCall = {
      method,
      request: call.request,
      headers: call.metadata,
      index: calls.length,
    };
    calls.push(seen);
    const failure = fails(seen);
    if (failure !== undefined) failures++;
    forward(upstream, method, call, failure);
  };
  for (const [service, methods] of Object.entries(services)) {
    const paths = Object.fromEntries(
      methods.map((name) => [
        name,
        {
          path: `/${service}/${name}`,
          requestStream: false,
          responseStream: true,
          requestSerialize: identity,
          requestDeserialize: identity,
          responseSerialize: identity,
          responseDeserialize: identity,
        } as const,
      ]),
    );
    server.addService(
      paths,
      Object.fromEntries(
        methods.map((name) => [
          name,
          (call: ServerWritableStream<Buffer, Buffer>) => handle(`/${service}/${name}`, call),
        ]),
      ),
    );
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    calls,
    failures: () => failures,
    close: async () => {
      server.forceShutdown();
      upstream.close();
    },
  };
}

/** All methods are handled as streams: a unary call looks like a stream of one message. */
const services: Readonly<Record<string, readonly string[]>> = {
  'google.bigtable.v2.Bigtable': [
    'ReadRows',
    'SampleRowKeys',
    'MutateRow',
    'MutateRows',
    'CheckAndMutateRow',
    'ReadModifyWriteRow',
    'PingAndWarm',
  ],
  'google.bigtable.admin.v2.BigtableTableAdmin': [
    'CreateTable',
    'ListTables',
    'GetTable',
    'UpdateTable',
    'DeleteTable',
    'ModifyColumnFamilies',
    'DropRowRange',
    'GenerateConsistencyToken',
    'CheckConsistency',
  ],
  'google.longrunning.Operations': ['GetOperation'],
};

function forward(
  upstream: Client,
  method: string,
  call: ServerWritableStream<Buffer, Buffer>,
  failure: CallFailure | undefined,
): void {
  let ended = false;
  const end = (error?: { code: number; details: string; metadata?: Metadata }): void => {
    if (ended) return;
    ended = true;
    if (error === undefined) call.end();
    else call.emit('error', Object.assign(new Error(error.details), error));
  };
  const fail = (): void => {
    const { code, delayMs = 0, retryAfterMs } = failure!;
    const metadata = new Metadata();
    if (retryAfterMs !== undefined)
      metadata.set('grpc-status-details-bin', retryInfo(code === 'reset' ? 0 : code, retryAfterMs));
    const failNow = (): void => {
      if (code === 'reset') breakStream(call);
      else end({ code, details: 'A fault injected by the test', metadata });
    };
    if (delayMs === 0) failNow();
    else setTimeout(failNow, delayMs);
  };
  if (failure?.reachesServer === false) return fail();
  const inner = upstream.makeServerStreamRequest(
    method,
    identity,
    identity,
    call.request,
    headersOf(call.metadata),
  );
  let messages = 0;
  call.on('cancelled', () => inner.cancel());
  inner.on('data', (message: Buffer) => {
    if (ended || (failure !== undefined && messages >= (failure.afterMessages ?? 0))) return;
    messages++;
    if (!call.write(message)) {
      inner.pause();
      call.once('drain', () => inner.resume());
    }
  });
  // The server completes the call before it fails.
  inner.on('end', () => undefined);
  inner.on('error', (error: Error & { code?: number; details?: string }) => {
    if (failure !== undefined) fail();
    else end({ code: error.code ?? status.UNKNOWN, details: error.details ?? error.message });
  });
  inner.on('status', ({ code }: { code: number }) => {
    if (code !== status.OK) return;
    const complete = (): void => {
      if (failure === undefined) end();
      else fail();
    };
    // The status may arrive before the last messages.
    inner.once('end', complete);
    if (inner.readableEnded) complete();
  });
}

function headersOf(from: Metadata): Metadata {
  const headers = new Metadata();
  for (const name of [
    'x-goog-request-params',
    'bigtable-features',
    'bigtable-attempt',
    'x-goog-api-client',
  ])
    for (const value of from.get(name)) headers.add(name, value);
  return headers;
}

/** google.rpc.Status with a google.rpc.RetryInfo, in protobuf. */
function retryInfo(code: number, ms: number): Buffer {
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes]);
  const varint = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))];
  const duration = Buffer.of(
    0x08,
    ...varint(Math.floor(ms / 1000)),
    0x10,
    ...varint((ms % 1000) * 1_000_000),
  );
  const any = Buffer.concat([
    field(1, Buffer.from('type.googleapis.com/google.rpc.RetryInfo')),
    field(2, field(1, duration)),
  ]);
  return Buffer.concat([Buffer.of(0x08, code), field(3, any)]);
}
