/**
 * A filtered scan that finds nothing for long tells the last key that it has scanned. Clients with
 * attempts shorter than the scan continue there: Google's Node client, and our live engine.
 */
import type { Bigtable as BigtableClass } from '@google-cloud/bigtable';
import { status } from '@grpc/grpc-js';
import { everyKey } from '../../src/base/index.js';
import { openLiveEngine } from '../../src/engines/bigtable/index.js';
import { collectRows, type Engine, type RowStream } from '../../src/data/store/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import { recordAccess } from '../../src/tools/heat/index.js';
import { decodePublished } from '../engines/protocol/published.js';
import { startFaultServer, type FaultServer } from '../support/fault-server.js';
import { pause } from '../support/until.js';
import { instance, RawClient, tableName, utf8 } from './raw-client.js';
import { replacing } from './stream-calls.js';

const { Bigtable } = require('@google-cloud/bigtable') as { Bigtable: typeof BigtableClass };

/** Six pages. The last row alone passes the filter. */
const rowCount = 24_000;
const pageMs = 60;
const keyOf = (n: number): string => `row-${String(n).padStart(6, '0')}`;
const filter = { valueRegexFilter: utf8('found') };
const found = { kind: 'valueRegex', pattern: utf8('found') } as const;

let memory: Engine;
let server: BigtableServer;
let client: RawClient;
beforeAll(async () => {
  memory = await openMemoryEngine();
  await memory.createTable({ name: 't', families: new Map([['a', {}]]) });
  const cell = { kind: 'setCell', family: 'a', qualifier: utf8('q'), timestamp: 1000 } as const;
  const rows = Array.from({ length: rowCount }, (_, n) => ({
    key: utf8(keyOf(n)),
    mutations: [{ ...cell, value: utf8(n === rowCount - 1 ? 'found' : '') }],
  }));
  await memory.mutateRows('t', rows);
  server = await startServer(slow(memory), { instance });
  client = new RawClient(server.address);
});
afterAll(async () => {
  client.close();
  await server.close({ graceMs: 200 });
  await memory.close();
});

/** An engine with pages that each take a while. */
function slow(engine: Engine, ms = pageMs): Engine {
  const readRows: Engine['readRows'] = (plan, options) => {
    const stream = engine.readRows(plan, options);
    const next = async () => {
      await pause(ms);
      return stream.next();
    };
    return { next, close: () => stream.close() } satisfies RowStream;
  };
  return replacing(engine, { readRows });
}

const keysIn = (messages: readonly { lastScannedRowKey?: Buffer }[]): string[] =>
  messages.flatMap(({ lastScannedRowKey: key }) => (key?.length ? [key.toString()] : []));

test.each([false, true])('the keys follow the scan; reversed: %s', async (reversed) => {
  const { code, messages } = await client.call('data', 'ReadRows', { tableName, filter, reversed });
  expect(code).toBe(status.OK);
  const keys = keysIn(messages);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(keys.length).toBeLessThanOrEqual(6);
  expect(new Set(keys).size).toBe(keys.length);
  const sorted = keys.toSorted();
  expect(keys).toEqual(reversed ? sorted.reverse() : sorted);
  for (const key of keys) expect(key).toMatch(/^row-\d{6}$/);
  expect(messages.filter(({ chunks }) => chunks?.length > 0)).toHaveLength(1);
});

test('a scan that is recorded for heat maps tells them as well', async () => {
  await using recorder = recordAccess();
  const recorded = await startServer(slow(memory), { instance, record: recorder });
  const other = new RawClient(recorded.address);
  const { messages } = await other.call('data', 'ReadRows', { tableName, filter });
  expect(keysIn(messages).length).toBeGreaterThanOrEqual(2);
  other.close();
  await recorded.close({ graceMs: 200 });
});

test('a row that is sent needs no key besides', async () => {
  const { messages } = await client.call('data', 'ReadRows', { tableName, rowsLimit: 1 });
  expect(keysIn(messages)).toEqual([]);
});

/** Cuts the first two attempts of a scan after their first message, as a timeout would. */
function cutting(code: number): Promise<FaultServer> {
  let cuts = 0;
  return startFaultServer(server.address, ({ method }) => {
    if (!method.endsWith('/ReadRows') || cuts++ >= 2) return undefined;
    return { code, afterMessages: 1 };
  });
}

/** The keys at which the attempts began. */
const startsOf = ({ calls }: FaultServer): string[] =>
  calls
    .filter(({ method }) => method.endsWith('/ReadRows'))
    .map(({ request }) => {
      const { rows } = decodePublished('google.bigtable.v2.ReadRowsRequest', request);
      return String(rows?.rowRanges?.[0]?.startKeyOpen ?? '');
    });

function expectProgress(starts: readonly string[]): void {
  expect(starts).toHaveLength(3);
  expect(starts[0]).toBe('');
  expect(starts).toEqual(starts.toSorted());
  expect(new Set(starts).size).toBe(3);
}

test('the Node client continues after the last key', async () => {
  const proxy = await cutting(status.DEADLINE_EXCEEDED);
  process.env.BIGTABLE_EMULATOR_HOST = proxy.address;
  // The client's authentication would look for Google's metadata server.
  process.env.METADATA_SERVER_DETECTION = 'none';
  const node = new Bigtable({ projectId: 'p', metricsEnabled: false });
  try {
    const table = node.instance('instance-1').table('t');
    const [rows] = await table.getRows({ filter: { value: 'found' } as never });
    expect(rows.map(({ id }) => id)).toEqual([keyOf(rowCount - 1)]);
    expectProgress(startsOf(proxy));
  } finally {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    delete process.env.METADATA_SERVER_DETECTION;
    await node.close();
    await proxy.close();
  }
});

test('the live engine continues after the last key', async () => {
  const proxy = await cutting(status.UNAVAILABLE);
  const live = await openLiveEngine('bigtable://p/instance-1', { emulatorHost: proxy.address });
  const plan = { table: 't', ranges: [everyKey], reversed: false, filter: found };
  const rows = await collectRows(live.readRows(plan));
  expect(rows.map(({ key }) => String(Buffer.from(key)))).toEqual([keyOf(rowCount - 1)]);
  expectProgress(startsOf(proxy));
  await live.close();
  await proxy.close();
});

test('a scan that is longer than an attempt of the live engine comes to its end', async () => {
  // Without the keys each attempt would begin anew, until the last one fails.
  const slower = await startServer(slow(memory, 500), { instance });
  const live = await openLiveEngine('bigtable://p/instance-1', {
    emulatorHost: slower.address,
    attemptTimeoutMs: 2000,
  });
  const plan = { table: 't', ranges: [everyKey], reversed: false, filter: found };
  const started = performance.now();
  expect(await collectRows(live.readRows(plan))).toHaveLength(1);
  expect(performance.now() - started).toBeGreaterThan(2000);
  await live.close();
  await slower.close({ graceMs: 200 });
});
