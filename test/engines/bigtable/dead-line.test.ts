/**
 * Dead connections, on which nothing arrives and no error occurs: a ping detects them, and a retry
 * uses another connection.
 */
import { everyKey } from '../../../src/base/index.js';
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { liveUrl, openOverOurServer, type LiveUnderTest } from './live-backends.js';

let plain: LiveUnderTest;
let proxy: FaultProxy;
let engine: Engine | undefined;
beforeAll(async () => {
  plain = await openOverOurServer();
  await plain.engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await plain.engine.mutateRow('t', {
    key: Buffer.from('k'),
    mutations: [
      {
        kind: 'setCell',
        family: 'a',
        qualifier: Buffer.from('q'),
        timestamp: 1000,
        value: Buffer.from('v'),
      },
    ],
  });
  proxy = await startFaultProxy(plain.address);
});
afterEach(() => engine?.close());
afterAll(async () => {
  await proxy.close();
  await plain.close();
});

const read = async (): Promise<number> =>
  (await collectRows(engine!.readRows({ table: 't', ranges: [everyKey], reversed: false }))).length;

test('a ping detects a dead connection', async () => {
  // The attempt timeout is too long to matter: only the ping can detect the dead connection.
  const clientOptions = { 'grpc.keepalive_time_ms': 200, 'grpc.keepalive_timeout_ms': 200 };
  engine = await openLiveEngine(liveUrl, {
    emulatorHost: proxy.address,
    connections: 1,
    attemptTimeoutMs: 3_600_000,
    clientOptions,
  });
  expect(await read()).toBe(1);
  const before = proxy.connections();
  proxy.stallConnections();
  expect(await read()).toBe(1);
  expect(proxy.connections()).toBeGreaterThan(before);
});

test('without a ping the retry uses another connection, and so does the next call', async () => {
  engine = await openLiveEngine(liveUrl, {
    emulatorHost: proxy.address,
    connections: 2,
    attemptTimeoutMs: 1000,
  });
  expect(await read()).toBe(1);
  // Only the first of the two connections is open by now.
  proxy.stallConnections();
  expect(await read()).toBe(1);
  expect(await read()).toBe(1);
});
