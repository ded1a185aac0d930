/** Bulk writes to a server that slows down, with batch write flow control and without it. */
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { decodePublished } from '../protocol/published.js';
import { set, utf8 } from '../conformance.js';
import { liveUrl } from './live-backends.js';
import { startSlowingServer, type Load, type SlowingServer } from './slowing-server.js';

const row = { key: utf8('k'), mutations: [set('f', 'q', 'v')] };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Outcome {
  readonly load: Load;
  readonly features: readonly string[];
  readonly failures: number;
}

/** 16 writers at a server that takes 20 ms for a request, and 250 ms after a second. */
async function write(settings: LiveSettings): Promise<Outcome> {
  const server: SlowingServer = await startSlowingServer(20);
  const engine = await openLiveEngine(liveUrl, { ...settings, emulatorHost: server.address });
  const stop = new AbortController();
  let failures = 0;
  const writers = Array.from({ length: 16 }, async () => {
    for (;;) {
      const [error] = await engine.mutateRows('t', [row], { signal: stop.signal });
      if (error !== undefined) failures++;
    }
  });
  await pause(1000);
  server.slowDown(250);
  // The rate has time to follow.
  await pause(2000);
  server.slowDown(250);
  await pause(6000);
  const load = { ...server.load };
  stop.abort();
  await Promise.allSettled(writers);
  await engine.close();
  server.close();
  return { load, features: [...server.features], failures };
}

const flagsOf = ([header]: readonly string[]): Record<string, boolean> =>
  decodePublished('google.bigtable.v2.FeatureFlags', Buffer.from(header, 'base64url'));

test('requests wait in the client instead of being refused, and the server is kept busy', async () => {
  const [free, controlled] = await Promise.all([
    write({ batchWriteFlowControl: false }),
    write({ batchWriteFlowControl: true }),
  ]);
  const requests = ({ load }: Outcome): number => load.served + load.refused;
  const meanWaiting = (outcome: Outcome): number => outcome.load.waiting / requests(outcome);
  expect(free.failures + controlled.failures).toBe(0);

  expect(free.load.refused).toBeGreaterThan(10);
  expect(controlled.load.refused).toBeLessThan(free.load.refused / 2);
  expect(meanWaiting(controlled)).toBeLessThan(meanWaiting(free) / 1.5);
  // Of 24 that it can serve.
  expect(controlled.load.served).toBeGreaterThan(12);

  expect(flagsOf(free.features)).not.toHaveProperty('mutateRowsRateLimit');
  expect(flagsOf(controlled.features)).toMatchObject({
    mutateRowsRateLimit: true,
    mutateRowsRateLimit2: true,
  });
});
