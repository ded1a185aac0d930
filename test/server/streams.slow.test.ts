/**
 * Streams over a real connection: flow control, cancellation, deadlines, malformed requests,
 * shutdown.
 */
import { connect } from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { logVerbosity, setLogVerbosity, status, type ClientReadableStream } from '@grpc/grpc-js';
import { everyKey, pointRange } from '../../src/base/index.js';
import { startServer } from '../../src/server/index.js';
import { planAfter, type Engine } from '../../src/data/store/index.js';
import {
  collectCall,
  instance,
  createTestTable,
  RawClient,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from './raw-client.js';
import { pause, until } from '../support/until.js';
import { replacing, counting, rowCount } from './stream-calls.js';

/** The value once it has not changed for half a second. */
async function settled(value: () => number): Promise<number> {
  let last = value();
  for (let same = 0; same < 25; same++) {
    await pause(20);
    if (value() !== last) [last, same] = [value(), 0];
  }
  return last;
}

/** Resolves when the server has begun to respond. */
const responding = (stream: ClientReadableStream<Buffer>) =>
  new Promise((resolve) => stream.once('metadata', resolve));

let memory: TestServer;
let engine: Engine;
let count: { rows: number; open: number };
let server: Awaited<ReturnType<typeof startServer>>;
let client: RawClient;
beforeAll(async () => {
  memory = await serveMemory({ instance });
  await createTestTable(memory.client);
  const value = Buffer.alloc(1000, 'v');
  const row = (key: string, bytes: Buffer) => ({
    key: utf8(key),
    mutations: [
      {
        kind: 'setCell' as const,
        family: 'a',
        qualifier: utf8('q'),
        timestamp: 1000,
        value: bytes,
      },
    ],
  });
  const rows = Array.from({ length: rowCount }, (_, i) =>
    row(`row-${String(i).padStart(6, '0')}`, value),
  );
  await memory.engine.mutateRows('t', rows);
  await memory.engine.createTable({ name: 'wide', families: new Map([['a', {}]]) });
  const wide = Buffer.alloc(3_000_000, 'w');
  for (const key of ['w1', 'w2', 'w3', 'w4', 'w5'])
    await memory.engine.mutateRow('wide', row(key, wide));
  ({ engine, count } = counting(memory.engine));
  server = await startServer(engine, { instance });
  client = new RawClient(server.address);
});
afterAll(async () => {
  client.close();
  await server.close({ graceMs: 200 });
  await memory.close();
});
beforeEach(() => {
  count.rows = 0;
});

/** Starts a read. `end` also resolves when the call is cancelled. */
function startRead(
  request: object = {},
  deadline?: number,
): { readonly stream: ClientReadableStream<Buffer>; readonly end: ReturnType<typeof collectCall> } {
  const stream = client.stream('data', 'ReadRows', { tableName, ...request }, deadline);
  return { stream, end: collectCall(stream) };
}

test('a scan is complete, in messages of at least 64 KiB', async () => {
  // Rows that have waited for 20 ms are sent in smaller messages: no time passes for the server,
  // however busy the machine is.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const { messages, code } = await startRead().end;
  clock.mockRestore();
  expect(code).toBe(status.OK);
  expect(messages.length).toBeLessThan((rowCount * 1050) / (64 * 1024));
  expect(await client.rows({ tableName })).toHaveLength(rowCount);
  await until(() => count.open === 0);
});

test('a client that stops reading pauses the scan, and gets every row when it resumes', async () => {
  const { stream, end } = startRead();
  stream.pause();
  await until(() => count.rows > 0);
  expect(await settled(() => count.rows)).toBeLessThan(rowCount / 4);
  stream.resume();
  expect((await end).code).toBe(status.OK);
  expect(count.rows).toBe(rowCount);
});

test('a client that cancels stops the scan at once', async () => {
  const { stream, end } = startRead();
  await new Promise((resolve) => stream.once('data', resolve));
  stream.cancel();
  expect((await end).code).toBe(status.CANCELLED);
  await until(() => count.open === 0);
  expect(count.rows).toBeLessThan(rowCount);
});

test('a slow client that disconnects stops the scan', async () => {
  const leaving = new RawClient(server.address);
  const stream = leaving.stream('data', 'ReadRows', { tableName });
  stream.on('error', () => undefined);
  stream.pause();
  await until(() => count.rows > 0);
  stream.cancel();
  leaving.close();
  await until(() => count.open === 0);
  expect(count.rows).toBeLessThan(rowCount);
});

test('a deadline ends the scan of a client that does not read', async () => {
  // If the machine was suspended for the whole deadline, the request may never have reached the
  // server: then repeat with a longer one.
  let opened = false;
  for (let deadline = 1000; !opened && deadline < 60_000; deadline *= 4) {
    const { stream, end } = startRead({}, deadline);
    stream.pause();
    const over = Date.now() + deadline + 100;
    await until(() => (opened = count.open === 1) || Date.now() > over);
    await until(() => count.open === 0);
    stream.resume();
    expect((await end).code).toBe(status.DEADLINE_EXCEEDED);
    expect(count.rows).toBeLessThan(rowCount);
  }
  expect(opened).toBe(true);
});

test('a scan with a filter that passes nothing can be cancelled', async () => {
  const { stream, end } = startRead({ filter: { valueRegexFilter: utf8('none') } });
  await until(() => count.open === 1);
  stream.cancel();
  expect((await end).code).toBe(status.CANCELLED);
  await until(() => count.open === 0);
});

test.each([false, true])(
  'no row is lost when a page is sent before its end (reversed: %s)',
  async (reversed) => {
    const rows = await client.rows({ tableName: `${instance}/tables/wide`, reversed });
    const keys = ['w1', 'w2', 'w3', 'w4', 'w5'];
    expect(rows.map(({ key }) => Buffer.from(key).toString())).toEqual(
      reversed ? keys.reverse() : keys,
    );
    for (const { cells } of rows)
      expect(cells.map(({ value }) => value.length)).toEqual([3_000_000]);
    expect(
      await client.rows({ tableName: `${instance}/tables/wide`, reversed, rowsLimit: 3 }),
    ).toHaveLength(3);
  },
);

test('the rest of a plan after a row', () => {
  const plan = {
    table: 't',
    ranges: [pointRange(utf8('a')), { start: utf8('c'), end: utf8('f') }],
    reversed: false,
    limit: 3,
  };
  expect(planAfter(plan, utf8('d'), 2)).toEqual({
    ...plan,
    ranges: [{ start: new Uint8Array(Buffer.from('d\0')), end: utf8('f') }],
    limit: 1,
  });
  expect(planAfter({ ...plan, reversed: true }, utf8('d'), 1)).toEqual({
    ...plan,
    reversed: true,
    ranges: [pointRange(utf8('a')), { start: utf8('c'), end: utf8('d') }],
    limit: 2,
  });
  expect(planAfter(plan, utf8('d'), 3)).toBeUndefined();
  expect(planAfter({ ...plan, ranges: [everyKey], reversed: true }, utf8(''), 1)).toBeUndefined();
});

test('a hundred concurrent scans each get their rows', async () => {
  const range = (i: number) => ({
    rows: { rowRanges: [{ startKeyClosed: utf8(`row-${String(i * 200).padStart(6, '0')}`) }] },
    rowsLimit: 200,
  });
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, i) => client.rows({ tableName, ...range(i) })),
  );
  expect(results.map((rows) => rows.length)).toEqual(new Array(100).fill(200));
});

describe('no request crashes the process', () => {
  test('invalid HTTP/2 and incomplete requests are closed', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff',
      '\0'.repeat(5000),
    ]) {
      const socket = connect(server.port, server.host);
      socket.on('error', () => undefined);
      socket.write(Buffer.from(bytes, 'latin1'));
      await pause(30);
      socket.destroy();
    }
    const session = connectHttp2(`http://${server.address}`);
    session.on('error', () => undefined);
    const half = session.request({
      ':method': 'POST',
      ':path': '/google.bigtable.v2.Bigtable/MutateRow',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    half.on('error', () => undefined);
    half.write(Buffer.from([0, 0, 0, 1, 0, 10]));
    await pause(30);
    session.destroy();
    expect(await client.rows({ tableName, rowsLimit: 1 })).toHaveLength(1);
  });

  test('an unexpected error of the engine is INTERNAL, in a unary call and in a scan', async () => {
    const fail = async () => {
      throw new TypeError('broken');
    };
    const broken = replacing(memory.engine, {
      mutateRow: fail,
      readRows: () => ({ next: fail, close: async () => undefined }),
    });
    await using other = await startServer(broken, { instance });
    const otherClient = new RawClient(other.address);
    expect(await otherClient.call('data', 'ReadRows', { tableName })).toMatchObject({
      code: status.INTERNAL,
      details: 'Internal error: broken',
    });
    expect(
      await otherClient.call('data', 'MutateRow', {
        tableName,
        rowKey: utf8('r'),
        mutations: [setCell('a', 'q', 'v')],
      }),
    ).toMatchObject({ code: status.INTERNAL });
    otherClient.close();
  });
});

describe('closing', () => {
  test('completes running calls', async () => {
    const other = await startServer(memory.engine, { instance });
    const otherClient = new RawClient(other.address);
    const stream = otherClient.stream('data', 'ReadRows', { tableName });
    const end = collectCall(stream);
    stream.pause();
    await responding(stream);
    const closed = other.close();
    await pause(50);
    stream.resume();
    expect((await end).code).toBe(status.OK);
    await closed;
    expect(
      (await otherClient.call('data', 'ReadRows', { tableName, rowsLimit: 1 }, 500)).code,
    ).not.toBe(status.OK);
    otherClient.close();
  });

  test('cancels calls that do not end in time', async () => {
    const other = await startServer(engine, { instance });
    const otherClient = new RawClient(other.address);
    const stream = otherClient.stream('data', 'ReadRows', { tableName });
    stream.on('error', () => undefined);
    stream.pause();
    await until(() => count.open === 1);
    await other.close({ graceMs: 100 });
    await until(() => count.open === 0);
    otherClient.close();
  });

  test('a port that is in use is an INVALID_ARGUMENT', async () => {
    // grpc-js logs the error itself.
    setLogVerbosity(logVerbosity.NONE);
    await expect(startServer(memory.engine, { port: server.port })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'port' },
    });
  });
});
