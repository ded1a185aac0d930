/** The memory that unfinished and compressed requests may take. */
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { startServer } from '../../src/server/index.js';
import { until } from '../support/until.js';
import {
  createTestTable,
  instance,
  serveMemory,
  tableName,
  type TestServer,
} from './raw-client.js';

let served: TestServer;
let session: ClientHttp2Session;
beforeEach(async () => {
  served = await serveMemory({ instance });
  await createTestTable(served.client);
  session = connect(`http://${served.server.address}`);
});
afterEach(async () => {
  session.destroy();
  await served.close();
});

const mebibyte = 1 << 20;

interface Upload {
  readonly stream: ClientHttp2Stream;
  /** The status, once the server has answered. */
  status: number | undefined;
  message: string | undefined;
}

/** Begins a request. Its message has `announced` bytes. */
function begin(announced: number, headers: Record<string, string> = {}, flags = 0): Upload {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/google.bigtable.v2.Bigtable/MutateRows',
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    ...headers,
  });
  const upload: Upload = { stream, status: undefined, message: undefined };
  const take = (received: Record<string, unknown>): void => {
    if (received['grpc-status'] === undefined) return;
    upload.status = Number(received['grpc-status']);
    upload.message = decodeURI(String(received['grpc-message']));
  };
  stream.on('response', take);
  stream.on('trailers', take);
  stream.on('error', () => undefined);
  stream.resume();
  const frame = Buffer.alloc(5);
  frame[0] = flags;
  frame.writeUInt32BE(announced, 1);
  stream.write(frame);
  return upload;
}

/** Sends bytes of an upload; resolves when they are sent or the call has ended. */
async function send({ stream }: Upload, mebibytes: number): Promise<void> {
  const part = Buffer.alloc(mebibyte);
  for (let i = 0; i < mebibytes && !stream.destroyed && stream.writable; i++)
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.write(part, () => {
        stream.off('close', resolve);
        resolve();
      });
    });
}

test('unfinished requests of a connection hold at most 288 MiB', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const uploads = Array.from({ length: 8 }, () => begin(200 * mebibyte));
  for (const upload of uploads) await send(upload, 100);
  const rejected = (): Upload[] =>
    uploads.filter((upload) => upload.status === status.RESOURCE_EXHAUSTED);
  await until(() => rejected().length >= 6);
  expect(rejected()[0].message).toMatch(/^The server holds too many bytes of requests/);
  globalThis.gc?.();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(600 * mebibyte);
  // The connection and the server still work.
  const { code } = await served.client.call('data', 'ReadRows', { tableName });
  expect(code).toBe(status.OK);
});

/** Sends a whole compressed message; resolves when the call has ended. */
async function sendGzip(message: Buffer): Promise<Upload> {
  const upload = begin(message.length, { 'grpc-encoding': 'gzip' }, 1);
  if (!upload.stream.destroyed) upload.stream.end(message);
  await new Promise((resolve) => upload.stream.once('close', resolve));
  return upload;
}

test('compressed requests are inflated one at a time, to what a request may have', async () => {
  const message = gzipSync(Buffer.alloc(257 * mebibyte), { level: 1 });
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const timer = setInterval(
    () => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)),
    5,
  );
  const uploads = await Promise.all(Array.from({ length: 4 }, () => sendGzip(message)));
  clearInterval(timer);
  expect(uploads.map((upload) => upload.status)).toEqual(
    uploads.map(() => status.RESOURCE_EXHAUSTED),
  );
  expect(uploads[0].message).toMatch(/268435456 bytes once it is inflated|too many bytes/);
  expect(most).toBeLessThan(700 * mebibyte);
  const { code } = await served.client.call('data', 'ReadRows', { tableName });
  expect(code).toBe(status.OK);
});

test('a call without the token is rejected before its request is received', async () => {
  const server = await startServer(served.engine, { token: 'a-token-of-more-than-16-characters' });
  session.destroy();
  session = connect(`http://${server.address}`);
  const upload = begin(200 * mebibyte);
  const answered = new Promise((resolve) => upload.stream.once('response', resolve));
  await answered;
  expect(upload.status).toBe(status.UNAUTHENTICATED);
  await server.close({ graceMs: 100 });
});
