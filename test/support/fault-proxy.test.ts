/** The fault proxies work as documented; other tests rely on them. */
import { status } from '@grpc/grpc-js';
import {
  collectCall,
  createTestTable,
  RawClient,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from '../server/raw-client.js';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import { startFaultServer, type CallFailure, type FaultServer } from './fault-server.js';

let served: TestServer;
const closing: (() => Promise<void> | void)[] = [];
const rows = 300;
beforeAll(async () => {
  served = await serveMemory();
  await createTestTable(served.client);
  const entries = Array.from({ length: rows }, (_, at) => ({
    rowKey: utf8(`r${1000 + at}`),
    mutations: [setCell('a', 'q', Buffer.alloc(2000, at))],
  }));
  await served.client.call('data', 'MutateRows', { tableName, entries });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => served.close());

function clientOf(address: string): RawClient {
  const client = new RawClient(address);
  closing.unshift(() => client.close());
  return client;
}

async function network(): Promise<{ readonly proxy: FaultProxy; readonly client: RawClient }> {
  const proxy = await startFaultProxy(served.server.address);
  closing.push(() => proxy.close());
  return { proxy, client: clientOf(proxy.address) };
}

async function service(
  fails: (index: number, method: string) => CallFailure | undefined,
): Promise<{ readonly server: FaultServer; readonly client: RawClient }> {
  const server = await startFaultServer(served.server.address, ({ index, method }) =>
    fails(index, method),
  );
  closing.push(() => server.close());
  return { server, client: clientOf(server.address) };
}

describe('the network', () => {
  test('forwards everything, with a delay on request', async () => {
    const { proxy, client } = await network();
    expect(await client.rows({ tableName })).toHaveLength(rows);
    proxy.faults.delayMs = 30;
    const started = performance.now();
    expect(await client.rows({ tableName })).toHaveLength(rows);
    // Both directions; on a busy machine it may take longer.
    expect(performance.now() - started).toBeGreaterThanOrEqual(55);
    expect(proxy.disconnects()).toBe(0);
  });

  test('breaks a connection in the middle of a response, and rejects new ones', async () => {
    const { proxy, client } = await network();
    expect(await client.rows({ tableName, rowsLimit: 1 })).toHaveLength(1);
    let bytes = 0;
    proxy.faults.disconnectOn = (more) => (bytes += more) > 100_000;
    const { code, messages } = await collectCall(client.stream('data', 'ReadRows', { tableName }));
    expect([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED]).toContain(code);
    expect(messages.length).toBeLessThan(10);
    expect(proxy.disconnects()).toBe(1);
    proxy.faults.disconnectOn = undefined;
    proxy.faults.rejectConnections = true;
    expect(await client.call('data', 'ReadRows', { tableName })).toMatchObject({
      code: status.UNAVAILABLE,
    });
  });
});

describe('the service', () => {
  test('forwards calls with their headers', async () => {
    const { server, client } = await service(() => undefined);
    expect(await client.rows({ tableName })).toHaveLength(rows);
    await client.unary('data', 'MutateRow', {
      tableName,
      rowKey: utf8('r1000'),
      mutations: [setCell('a', 'q', Buffer.alloc(2000, 1))],
    });
    expect(await client.call('data', 'ReadRows', { tableName: 'nonsense' })).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    expect(server.calls.map(({ method }) => method.split('/')[2])).toEqual([
      'ReadRows',
      'MutateRow',
      'ReadRows',
    ]);
    expect(server.failures()).toBe(0);
  });

  test('fails after a number of messages, with a status and a retry delay', async () => {
    const { client } = await service((index) => ({
      afterMessages: index,
      code: status.ABORTED,
      retryAfterMs: 1500,
    }));
    for (const after of [0, 1, 2]) {
      const { code, messages } = await collectCall(
        client.stream('data', 'ReadRows', { tableName }),
      );
      expect([code, messages.length]).toEqual([status.ABORTED, after]);
    }
  });

  test('fails after the server has executed the call, or before', async () => {
    const { client } = await service((index) => ({
      code: status.UNAVAILABLE,
      reachesServer: index === 1,
    }));
    for (const key of ['x0', 'x1'])
      await client.call('data', 'MutateRow', {
        tableName,
        rowKey: utf8(key),
        mutations: [setCell('b', 'q', 'v')],
      });
    expect(
      (await served.client.rows({ tableName, rows: { rowKeys: [utf8('x0'), utf8('x1')] } })).map(
        ({ key }) => Buffer.from(key).toString(),
      ),
    ).toEqual(['x1']);
  });

  test('resets a stream without a status', async () => {
    const { client } = await service(() => ({ afterMessages: 1, code: 'reset' }));
    const { code, details, messages } = await collectCall(
      client.stream('data', 'ReadRows', { tableName }),
    );
    expect([code, messages.length]).toEqual([status.INTERNAL, 1]);
    expect(details).toMatch(/RST_STREAM/);
  });
});
