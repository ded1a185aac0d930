/**
 * Streams with a large window: nothing is lost to a slow consumer, and a consumer that sleeps stops
 * the server.
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

const readRows = '/google.bigtable.v2.Bigtable/ReadRows';
const target = { project: 'p', instance: 'i', appProfile: undefined };
const asIs = (bytes: Buffer): Buffer => bytes;

interface Sent {
  /** Messages that the server handed to its transport. */
  messages: number;
  cancelled: boolean;
  headers: Metadata | undefined;
}

/**
 * A server whose ReadRows sends numbered messages of so many bytes, as fast as they are taken, and
 * then ends with the status.
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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until a value has not changed for a while. */
async function settled(value: () => number): Promise<number> {
  for (let before = -1, same = 0; same < 10;) {
    same = value() === before ? same + 1 : 0;
    before = value();
    await sleep(30);
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

/** Every message in order, or what is wrong. */
function numbers(messages: readonly Uint8Array[]): number[] {
  return messages.map((message) => Buffer.from(message).readUInt32BE());
}

test.each([16, 24, 32, 300])(
  'a slow consumer gets all of %d messages, though the status comes while some are still on their way',
  async (count) => {
    const { stream } = await open(count, 20_000);
    const got: number[] = [];
    for (let some = await stream.read(); some !== undefined; some = await stream.read()) {
      got.push(...numbers(some));
      // The whole answer fits the window. What we hold fills up while we sleep, the transport keeps
      // the rest, and has its status already.
      if (got.length < 60) await sleep(100);
    }
    expect(got).toEqual(Array.from({ length: count }, (_, at) => at));
    expect(await stream.read()).toBeUndefined();
  },
);

test('a consumer that sleeps stops the server, and goes on where it was', async () => {
  const count = 4000;
  const bytes = 10_000;
  const { stream, sent } = await open(count, bytes);
  const first = (await stream.read())!;
  const held = await settled(() => sent.messages);
  // The window, what we hold ourselves, and the buffers of both transports: a fraction of the 40
  // MB.
  expect(held * bytes).toBeLessThan(12 << 20);
  const got = numbers(first);
  for (let some = await stream.read(); some !== undefined; some = await stream.read())
    got.push(...numbers(some));
  expect(got).toEqual(Array.from({ length: count }, (_, at) => at));
});

test('what came before a failure is read first, in order', async () => {
  const { stream } = await open(50, 100, status.ABORTED);
  const got: number[] = [];
  let fault: unknown;
  try {
    for (let some = await stream.read(); some !== undefined; some = await stream.read())
      got.push(...numbers(some));
  } catch (error) {
    fault = error;
  }
  expect(fault).toBeInstanceOf(CallError);
  expect(fault).toMatchObject({ code: status.ABORTED, message: 'no more' });
  expect(got).toEqual(Array.from({ length: got.length }, (_, at) => at));
  await expect(stream.read()).rejects.toBe(fault);
});

test('cancelling is seen by the server at once, and headers come along', async () => {
  const { stream, sent } = await open(100_000, 10_000);
  await stream.read();
  stream.cancel();
  for (const end = Date.now() + 120_000; !sent.cancelled && Date.now() < end;) await sleep(5);
  expect(sent.cancelled).toBe(true);
  const header = (name: string): unknown => sent.headers?.get(name)[0];
  expect([
    header('x-goog-request-params'),
    header('bigtable-attempt'),
    header('bigtable-features'),
  ]).toEqual(['table_name=t', '2', 'CAEgATAB']);
  expect(header('x-goog-api-client')).toMatch(/^gl-node\/[\d.]+ (gapic|gax)\/[\d.]+$/);
});

test('a call that is let go ends with the server, and one whose server does not end it is cancelled', async () => {
  const whole = await open(3, 10);
  await whole.stream.read();
  whole.stream.release();
  whole.stream.release();
  expect(await whole.stream.read()).toBeUndefined();
  const endless = await open(Infinity, 10_000);
  await endless.stream.read();
  endless.stream.release();
  expect(await endless.stream.read()).toBeUndefined();
  for (const end = Date.now() + 120_000; !endless.sent.cancelled && Date.now() < end;)
    await sleep(5);
  expect(endless.sent.cancelled).toBe(true);
});
