/**
 * A gRPC proxy that fails calls as a service does: it passes everything on to a real server, byte
 * for byte, and ends chosen calls with a status after so many messages, before or behind what the
 * server did.
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

/** How one call is to fail. */
export interface CallFailure {
  /** Messages of the answer that are passed on before; default 0. */
  readonly afterMessages?: number;
  /** With which status (grpc-js, status). `reset` breaks the stream off without one. */
  readonly code: number | 'reset';
  /**
   * Whether the call reaches the server at all; default true. A call that does not is refused at
   * once.
   */
  readonly reaches?: boolean;
  /** Milliseconds to wait before it fails; default 0. */
  readonly delayMs?: number;
  /** Milliseconds that the status asks the client to wait, as google.rpc.RetryInfo. */
  readonly retryAfterMs?: number;
}

/** A call that came, as seen by the proxy. */
export interface SeenCall {
  /** `/google.bigtable.v2.Bigtable/ReadRows`. */
  readonly method: string;
  readonly request: Buffer;
  readonly headers: Metadata;
  /** 0 for the first call of all. */
  readonly index: number;
}

/** A running proxy. */
export interface FaultServer {
  readonly address: string;
  /** Every call there was. */
  readonly calls: readonly SeenCall[];
  /** Calls that were made to fail. */
  readonly failures: () => number;
  close(): Promise<void>;
}

const asIs = (bytes: Buffer): Buffer => bytes;

/**
 * Starts a proxy before `target`; `fails` is asked for each call, and undefined lets it through.
 */
export async function startFaultServer(
  target: string,
  fails: (call: SeenCall) => CallFailure | undefined,
): Promise<FaultServer> {
  const upstream = new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  const server = new Server({
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  const calls: SeenCall[] = [];
  let failures = 0;
  const handle = (method: string, call: ServerWritableStream<Buffer, Buffer>): void => {
    const seen: SeenCall = {
      method,
      request: call.request,
      headers: call.metadata,
      index: calls.length,
    };
    calls.push(seen);
    const failure = fails(seen);
    if (failure !== undefined) failures++;
    pass(upstream, method, call, failure);
  };
  for (const [service, methods] of Object.entries(served)) {
    const paths = Object.fromEntries(
      methods.map((name) => [
        name,
        {
          path: `/${service}/${name}`,
          requestStream: false,
          responseStream: true,
          requestSerialize: asIs,
          requestDeserialize: asIs,
          responseSerialize: asIs,
          responseDeserialize: asIs,
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

/** One answer is a stream of one message: unary calls look the same on the wire. */
const served: Readonly<Record<string, readonly string[]>> = {
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

function pass(
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
    const now = (): void =>
      code === 'reset'
        ? breakStream(call)
        : end({ code, details: 'A fault that the test asked for', metadata });
    if (delayMs === 0) now();
    else setTimeout(now, delayMs);
  };
  if (failure?.reaches === false) return fail();
  const inner = upstream.makeServerStreamRequest(
    method,
    asIs,
    asIs,
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
  // The server's own end is seen first: what it did, it did.
  inner.on('end', () => undefined);
  inner.on('error', (error: Error & { code?: number; details?: string }) => {
    if (failure !== undefined) fail();
    else end({ code: error.code ?? status.UNKNOWN, details: error.details ?? error.message });
  });
  inner.on('status', ({ code }: { code: number }) => {
    if (code !== status.OK) return;
    // Messages may still be on their way from the transport to us.
    inner.once('end', () => (failure === undefined ? end() : fail()));
    if (inner.readableEnded) (failure === undefined ? end : fail)();
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
