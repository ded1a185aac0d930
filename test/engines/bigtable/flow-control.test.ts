/** Bulk writes that wait because the server asks for a rate: what ends the wait, and what does not. */
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import type { Engine, RowMutation } from '../../../src/data/store/index.js';
import { decodePublished } from '../protocol/published.js';
import { set, utf8 } from '../conformance.js';
import { liveUrl } from './live-backends.js';
import { startSlowingServer, type SlowingServer } from './slowing-server.js';

const rows: readonly RowMutation[] = [{ key: utf8('k'), mutations: [set('f', 'q', 'v')] }];

let server: SlowingServer;
let engine: Engine;
/** Opens an engine that has been asked for ten requests a second. */
async function openLimited(settings: LiveSettings = {}): Promise<void> {
  server = await startSlowingServer(1);
  const flow = { batchWriteFlowControl: true, emulatorHost: server.address };
  engine = await openLiveEngine(liveUrl, { ...flow, ...settings });
  await engine.mutateRows('t', rows);
}
afterEach(async () => {
  await engine.close();
  server.close();
});

/** This many bulk writes at the same time, 0.1 s apart. */
const write = (count: number, signal?: AbortSignal): Promise<unknown>[] =>
  Array.from({ length: count }, () => engine.mutateRows('t', rows, { signal }));

describe.each(['auto', 'generated'] as const)('transport %s', (transport) => {
  test('requests are sent at the rate', async () => {
    await openLimited({ transport });
    const begin = performance.now();
    await Promise.all(write(6));
    expect(performance.now() - begin).toBeGreaterThan(350);
  });

  test.each([false, true])('the flags say so: %s', async (batchWriteFlowControl) => {
    await openLimited({ transport, batchWriteFlowControl });
    const header = Buffer.from([...server.features][0], 'base64url');
    const flags = decodePublished('google.bigtable.v2.FeatureFlags', header) as object;
    const asked = { mutateRowsRateLimit: true, mutateRowsRateLimit2: true };
    if (batchWriteFlowControl) expect(flags).toMatchObject(asked);
    else for (const flag of Object.keys(asked)) expect(flags).not.toHaveProperty(flag);
  });
});

test('the total timeout does not count the wait', async () => {
  await openLimited({ totalTimeoutMs: 400 });
  const begin = performance.now();
  expect(await Promise.all(write(12))).toEqual(Array.from({ length: 12 }, () => [undefined]));
  expect(performance.now() - begin).toBeGreaterThan(600);
});

test('an aborted signal ends the wait', async () => {
  await openLimited();
  const stop = new AbortController();
  const results = Promise.allSettled(write(100, stop.signal));
  stop.abort(new Error('enough'));
  const reasons = (await results).map((result) => result.status === 'rejected' && result.reason);
  expect(reasons.at(-1)).toEqual(new Error('enough'));
});

test('close() does not wait for all turns, and says that rows may not be written', async () => {
  await openLimited({ totalTimeoutMs: 300 });
  const results = Promise.allSettled(write(100));
  await engine.close();
  const last = (await results).at(-1);
  expect(last).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
  expect(server.load.served).toBeLessThan(20);
});
