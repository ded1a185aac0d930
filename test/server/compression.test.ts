/** Requests that a client compresses, as Go and Java do on request (grpc-encoding: gzip). */
import { gzipSync } from 'node:zlib';
import { connect } from 'node:http2';
import { Client, compressionAlgorithms, credentials, Metadata, status } from '@grpc/grpc-js';
import { encodePublished } from '../engines/protocol/published.js';
import {
  createTestTable,
  instance,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from './raw-client.js';

let served: TestServer;
beforeAll(async () => {
  served = await serveMemory({ instance });
  await createTestTable(served.client);
});
afterAll(() => served.close());

const service = '/google.bigtable.v2.Bigtable';
const value = Buffer.alloc(200_000, 'compressible ');
const identity = (bytes: Buffer): Buffer => bytes;

/** Sends one message in a frame with the flag for compression; resolves to the status. */
async function sent(
  method: string,
  message: Buffer,
  headers: Record<string, string>,
  flag = 1,
): Promise<Record<string, unknown>> {
  const session = connect(`http://${served.server.address}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': `${service}/${method}`,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    ...headers,
  });
  const seen: Record<string, unknown> = {};
  stream.on('response', (received) => Object.assign(seen, received));
  stream.on('trailers', (received) => Object.assign(seen, received));
  stream.on('error', () => undefined);
  stream.resume();
  const frame = Buffer.alloc(5);
  frame[0] = flag;
  frame.writeUInt32BE(message.length, 1);
  if (!stream.destroyed) stream.end(Buffer.concat([frame, message]));
  await new Promise((resolve) => stream.once('close', resolve));
  session.destroy();
  return seen;
}

const write = (key: string, bytes: Buffer): Buffer =>
  encodePublished('google.bigtable.v2.MutateRowRequest', {
    tableName,
    rowKey: utf8(key),
    mutations: [setCell('a', 'q', bytes)],
  });
const gzip = { 'grpc-encoding': 'gzip' };
const statusOf = (seen: Record<string, unknown>): number => Number(seen['grpc-status']);

test('a client that compresses writes and reads, in unary and streaming calls', async () => {
  const client = new Client(served.server.address, credentials.createInsecure(), {
    'grpc.default_compression_algorithm': compressionAlgorithms.gzip,
  });
  const call = (method: string, type: string, request: object) =>
    new Promise<void>((resolve, reject) => {
      const stream = client.makeServerStreamRequest(
        `${service}/${method}`,
        identity,
        identity,
        encodePublished(`google.bigtable.v2.${type}`, request),
        new Metadata(),
      );
      stream
        .on('data', () => undefined)
        .on('end', resolve)
        .on('error', reject);
    });
  const mutations = [setCell('a', 'q', value)];
  await call('MutateRow', 'MutateRowRequest', { tableName, rowKey: utf8('one'), mutations });
  const entries = ['two', 'three'].map((key) => ({ rowKey: utf8(key), mutations }));
  await call('MutateRows', 'MutateRowsRequest', { tableName, entries });
  client.close();
  const rows = await served.client.rows({ tableName });
  expect(rows.map(({ key }) => String(Buffer.from(key)))).toEqual(['one', 'three', 'two']);
  for (const { cells } of rows) expect(Buffer.from(cells[0].value).equals(value)).toBe(true);
});

test('a call announces gzip and sends a message that is not compressed', async () => {
  expect(statusOf(await sent('MutateRow', write('plain', utf8('v')), gzip, 0))).toBe(status.OK);
});

test('bad input', async () => {
  const message = gzipSync(write('never', value));
  const broken = Buffer.from(message);
  broken.fill(0xff, 20, 60);
  const cases: [Buffer, Record<string, string>, number][] = [
    [broken, gzip, status.INTERNAL],
    [message.subarray(0, 40), gzip, status.INTERNAL],
    [Buffer.of(0x1f, 0x8b), gzip, status.INTERNAL],
    // Not a protobuf message, and inflated only for calls that announce it.
    [message, {}, status.INVALID_ARGUMENT],
    [message, { 'rowsmith-compressed': '1' }, status.INVALID_ARGUMENT],
    [message, { 'grpc-encoding': 'deflate' }, status.UNIMPLEMENTED],
    [message, { 'grpc-encoding': 'snappy' }, status.UNIMPLEMENTED],
  ];
  for (const [bytes, headers, expected] of cases)
    expect([headers, statusOf(await sent('MutateRow', bytes, headers))]).toEqual([
      headers,
      expected,
    ]);
  const refused = await sent('MutateRow', message, { 'grpc-encoding': 'snappy' });
  expect(refused['grpc-accept-encoding']).toBe('identity,gzip');
  const rows = await served.client.rows({ tableName, rows: { rowKeys: [utf8('never')] } });
  expect(rows).toEqual([]);
});
