/**
 * Streams with a large flow control window: a slow consumer loses nothing, and a paused consumer
 * stops the server.
 */
import {
  Server,
  ServerCredentials,
  status,
  Metadata,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { connect } from '../../../src/engines/bigtable/channel/connect.js';
import {
  CallError,
  type Channel,
  type MessageStream,
} from '../../../src/engines/bigtable/channel/channel.js';
import { pause, until } from '../../support/until.js';

const readRows = '/google.bigtable.v2.Bigtable/ReadRows';
const target = { project: 'p', instance: 'i', appProfile: undefined };
const asIs = (bytes: Buffer): Buffer => bytes;

interface Sent {
  /** Messages that the server passed to its transport. */
  messages: number;
  cancelled: boolean;
  headers: Metadata | undefined;
}

/**
 * A server. Its ReadRows sends numbered messages of `bytes` bytes, as fast as the client receives
 * them, and then ends with the status.
 */
async function serve(
  count: number,
  bytes: number,
  code: number = status.OK,
): Promise<{ readonly address: string; readonly sent: Sent; readonly close: () => void }> {
  const sent: Sent = { messages: 0, cancelled: false, headers: undefined };
  const server = new Server();
  const send = (call: ServerWritableStream<Buffer, Buffer>): void => {
    sent.headers = call.metadata;
    call.on('cancelled', () => {
      sent.cancelled = true;
    });
    const more = (): void => {
      while (sent.messages < count && !call.cancelled) {
        const message = Buffer.alloc(bytes);
        message.writeUInt32BE(sent.messages++);
        if (!call.write(message)) return void call.once('drain', more);
      }
      if (code === status.OK) call.end();
      else call.emit('error', { code, details: 'no more', metadata: new Metadata() });
    };
    more();
  };
  const method = {
    path: readRows,
    requestStream: false,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  } as const;
  server.addService({ ReadRows: method }, { ReadRows: send });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { address: `127.0.0.1:${port}`, sent, close: () => server.forceShutdown() };
}

/** Waits until a value has stopped changing. */
async function settled(value: () => number): Promise<number> {
  for (let before = -1, same = 0; same < 10;) {
    same = value() === before ? same + 1 : 0;
    before = value();
    await pause(30);
  }
  return value();
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(
  ...server: Parameters<typeof serve>
): Promise<{ readonly stream: MessageStream; readonly sent: Sent; readonly channel: Channel }> {
  const { address, sent, close } = await serve(...server);
  closing.push(close);
  const channel = await connect(target, { emulatorHost: address, windowBytes: 4 << 20 });
  closing.push(() => channel.close());
  return {
    stream: channel.stream(readRows, Buffer.alloc(0), { routing: 'table_name=t', attempt: 2 }),
    sent,
    channel,
  };
}

/** The numbers of the messages. */
function numbers(messages: readonly Uint8Array[]): number[] {
  return messages.map((message) => Buffer.from(message).readUInt32BE());
}

test.each([16, 24, 32, 300])(
  'a slow consumer gets all of %d messages, although the status arrives before the last ones',
  async (count) => {
    const { stream } = await open(count, 20_000);
    const received: number[] = [];
    for (let some = await stream.read(); some !== undefined; some = await stream.read()) {
      received.push(...numbers(some));
      // The response fits into the window. While we sleep, our buffer fills up, and the transport
      // has the other messages and the status.
      if (received.length < 60) await pause(100);
    }
    expect(received).toEqual(Array.from({ length: count }, (_, at) => at));
    expect(await stream.read()).toBeUndefined();
  },
);

test('a paused consumer stops the server, and resumes without loss', async () => {
  const count = 4000;
  const bytes = 10_000;
  const { stream, sent } = await open(count, bytes);
  const first = (await stream.read())!;
  const buffered = await settled(() => sent.messages);
  // The window, our own buffer and the buffers of both transports: a fraction of the 40 MB.
  expect(buffered * bytes).toBeLessThan(12 << 20);
  const received = numbers(first);
  for (let some = await stream.read(); some !== undefined; some = await stream.read())
    received.push(...numbers(some));
  expect(received).toEqual(Array.from({ length: count }, (_, at) => at));
});

test('messages before a failure are read first, in order', async () => {
  const { stream } = await open(50, 100, status.ABORTED);
  const received: number[] = [];
  let error: unknown;
  try {
    for (let some = await stream.read(); some !== undefined; some = await stream.read())
      received.push(...numbers(some));
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(CallError);
  expect(error).toMatchObject({ code: status.ABORTED, message: 'no more' });
  expect(received).toEqual(Array.from({ length: received.length }, (_, at) => at));
  await expect(stream.read()).rejects.toBe(error);
});

test('the server sees a cancellation at once, and the headers of the call', async () => {
  const { stream, sent } = await open(100_000, 10_000);
  await stream.read();
  stream.cancel();
  await until(() => sent.cancelled);
  const header = (name: string): unknown => sent.headers?.get(name)[0];
  expect([
    header('x-goog-request-params'),
    header('bigtable-attempt'),
    header('bigtable-features'),
  ]).toEqual(['table_name=t', '2', 'CAEgATABOAE=']);
  expect(header('x-goog-api-client')).toMatch(/^gl-node\/[\d.]+ (gapic|gax)\/[\d.]+$/);
});

test('a released call is ended by the server, or cancelled if the server does not end it', async () => {
  const short = await open(3, 10);
  await short.stream.read();
  short.stream.release();
  short.stream.release();
  expect(await short.stream.read()).toBeUndefined();
  const endless = await open(Infinity, 10_000);
  await endless.stream.read();
  endless.stream.release();
  expect(await endless.stream.read()).toBeUndefined();
  await until(() => endless.sent.cancelled);
});
