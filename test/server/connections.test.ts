/**
 * Many connections and broken ones: clients that vanish without closing, send nothing or incomplete
 * frames, and a thousand scans of clients that do not read.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import { pause, until } from '../support/until.js';
import { collectCall, instance, RawClient, tableName } from './raw-client.js';
import { rowCount, count, serveRows } from './open-connections.js';

const rows = serveRows();

describe('clients that are gone or never complete the handshake', () => {
  let server: BigtableServer;
  beforeAll(
    async () => void (server = await startServer(rows.engine, { instance, keepaliveMs: 300 })),
  );
  afterAll(() => server.close({ graceMs: 200 }));

  test('a client that vanished without closing is detected, and its scan ends', async () => {
    // A connection that goes dead: it accepts bytes from both sides and forwards nothing.
    let dead = false;
    const sockets: Socket[] = [];
    const line = createServer((near) => {
      const far = connect(server.port, server.host);
      sockets.push(near, far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const)
        from.on('error', () => undefined).on('data', (bytes) => void (dead || to.write(bytes)));
    });
    await new Promise<void>((resolve) => void line.listen(0, '127.0.0.1', resolve));
    const client = new RawClient(`127.0.0.1:${(line.address() as AddressInfo).port}`);
    const stream = client.stream('data', 'ReadRows', { tableName });
    stream.on('error', () => undefined);
    stream.pause();
    await until(() => count.open === 1 && count.rows > 0);
    dead = true;
    await until(() => count.open === 0);
    expect(count.rows).toBeLessThan(rowCount);
    client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void line.close(resolve));
  });

  test.each([
    ['nothing at all', ''],
    ['the preface and then nothing', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
    ['half a preface', 'PRI * HT'],
    [
      'half a frame',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\x10\0\x01\x04\0\0\0\x01half',
    ],
    ['noise', '\xff\x00\xfe'.repeat(1000)],
  ])('a client that sends %s is disconnected, and the server continues', async (_what, bytes) => {
    const socket = connect(server.port, server.host);
    let closed = false;
    // Received bytes must be consumed, otherwise the end of the stream is not noticed.
    socket
      .on('error', () => undefined)
      .on('close', () => void (closed = true))
      .resume();
    if (bytes !== '') socket.write(Buffer.from(bytes, 'latin1'));
    await until(() => closed);
    const client = new RawClient(server.address);
    expect(await client.rows({ tableName, rowsLimit: 3 })).toHaveLength(3);
    client.close();
  });

  test('an idle client that is alive stays connected', async () => {
    // Both ends are in this process: if the machine suspends it for a third of the interval, the
    // probe is not answered. Then repeat with a longer interval.
    let code: number = status.UNKNOWN;
    for (let keepaliveMs = 300; code !== status.OK && keepaliveMs < 20_000; keepaliveMs *= 3) {
      await using other = await startServer(rows.engine, { instance, keepaliveMs });
      const client = new RawClient(other.address);
      const stream = client.stream('data', 'ReadRows', { tableName, rowsLimit: 5000 });
      const end = collectCall(stream);
      stream.pause();
      await pause(5 * keepaliveMs);
      stream.resume();
      ({ code } = await end);
      client.close();
    }
    expect(code).toBe(status.OK);
  });
});

test('a server closes in time although a client does not read', async () => {
  const server = await startServer(rows.engine, { instance });
  const proxy = await startFaultProxy(server.address);
  const client = new RawClient(proxy.address);
  const stream = client.stream('data', 'ReadRows', { tableName });
  stream.on('error', () => undefined);
  stream.pause();
  await until(() => count.open === 1 && count.rows > 0);
  proxy.stallConnections();
  await server.close({ graceMs: 500 });
  await until(() => count.open === 0);
  client.close();
  await proxy.close();
});

test('an invalid keepalive or number of connections is rejected', async () => {
  for (const value of [0, -1, 1.5, NaN, 2 ** 31])
    for (const property of ['keepaliveMs', 'maxConnections'])
      await expect(startServer(rows.engine, { [property]: value })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { property },
      });
});

test('connections beyond the maximum are closed, and one that ends makes room', async () => {
  const server = await startServer(rows.engine, { instance, maxConnections: 5 });
  const sockets = Array.from({ length: 50 }, () =>
    connect(server.port, server.host).on('error', () => undefined),
  );
  try {
    for (const socket of sockets) socket.resume();
    const open = (): Socket[] => sockets.filter(({ closed }) => !closed);
    await until(() => open().length <= 5);
    await pause(100);
    expect(open()).toHaveLength(5);
    const refused = new RawClient(server.address);
    const { code } = await refused.call('data', 'ReadRows', { tableName, rowsLimit: 1 }, 60_000);
    expect(code).toBe(status.UNAVAILABLE);
    refused.close();
    const before = open().length;
    open()[0].destroy();
    await until(() => open().length < before);
    // Until the server has noticed.
    let answered = false;
    while (!answered) {
      const client = new RawClient(server.address);
      const request = { tableName, rowsLimit: 3 };
      answered = (await client.call('data', 'ReadRows', request, 60_000)).code === status.OK;
      client.close();
    }
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close({ graceMs: 200 });
  }
});

test('the server closes in time while it gives up on a client that does not speak HTTP/2', async () => {
  // The moment is a few turns of the event loop after the bytes have arrived.
  for (let turns = 0; turns < 40; turns++) {
    const server = await startServer(rows.served.engine);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((sent) => socket.write(Buffer.alloc(100, 0x16), sent));
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    await server.close({ graceMs: 100 });
    socket.destroy();
  }
});
