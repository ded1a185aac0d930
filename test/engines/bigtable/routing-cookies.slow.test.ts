/** What calls announce, and the routing cookies that retries return, over both transports. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { decodePublished, encodePublished } from '../protocol/published.js';
import { get, retriedCalls, rowMessages, rowsOf, singleCalls } from './header-calls.js';
import {
  cookiesOf,
  startHeaderServer,
  type Attempt,
  type HeaderServer,
  type Respond,
} from './header-server.js';
import { liveUrl } from './live-backends.js';

let server: HeaderServer;
let engine: Engine;
async function serve(respond: Respond, settings: LiveSettings = {}): Promise<void> {
  server = await startHeaderServer(respond);
  engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, ...settings });
  closing.push(engine, server);
}
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

/** The flags by the installed protos. */
function flagsOf(header: unknown): unknown {
  const text = String(header);
  // Go decodes with padding, and rejects text without it.
  expect(text.length % 4).toBe(0);
  return decodePublished('google.bigtable.v2.FeatureFlags', Buffer.from(text, 'base64url'));
}
const names = Object.keys(retriedCalls);
const cookie = (name: string, value: string) => ({ [`x-goog-cbt-cookie-${name}`]: value });

describe.each(['auto', 'generated'] as const)('transport %s', (transport) => {
  test.each(names)('%s announces what is done, and no more', async (name) => {
    await serve(retriedCalls[name].answer, { transport });
    await retriedCalls[name].run(engine);
    expect(flagsOf(server.attempts[0].headers['bigtable-features'])).toEqual({
      reverseScans: true,
      lastScannedRowResponses: true,
      routingCookie: true,
      retryInfo: true,
    });
  });

  test.each(names)('%s returns the cookies of failed attempts', async (name) => {
    const { run, answer } = retriedCalls[name];
    await serve(
      (attempt) => {
        if (attempt.index === 0)
          return {
            status: status.UNAVAILABLE,
            trailers: { ...cookie('a', 'a1'), ...cookie('b', 'b1'), 'x-goog-other': 'no' },
          };
        // Later cookies replace cookies of the same name, and no other cookies.
        if (attempt.index === 1) return { status: status.UNAVAILABLE, trailers: cookie('a', 'a2') };
        if (attempt.index === 2) return { status: status.UNAVAILABLE };
        return answer(attempt);
      },
      { transport },
    );
    await run(engine);
    expect(server.attempts.map(cookiesOf)).toEqual([
      {},
      { a: 'a1', b: 'b1' },
      { a: 'a2', b: 'b1' },
      { a: 'a2', b: 'b1' },
    ]);
    for (const { headers } of server.attempts) expect(headers['x-goog-other']).toBeUndefined();
    // The next call starts without them.
    await run(engine);
    expect(cookiesOf(server.attempts.at(-1)!)).toEqual({});
  });

  test('cookies of one call never reach another one that runs meanwhile', async () => {
    const failed = new Set<string>();
    const keyOf = ({ request }: Attempt): string =>
      (
        decodePublished('google.bigtable.v2.ReadRowsRequest', request) as {
          rows: { rowKeys: Buffer[] };
        }
      ).rows.rowKeys[0].toString();
    await serve(
      (attempt) => {
        const key = keyOf(attempt);
        if (failed.has(key)) return rowMessages(key).forEach(attempt.send);
        failed.add(key);
        return { status: status.UNAVAILABLE, trailers: cookie('of', key) };
      },
      { transport, gatherGets: false },
    );
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    await Promise.all(keys.map((key) => get(engine, key)));
    expect(server.attempts).toHaveLength(40);
    const seen = new Set<string>();
    for (const attempt of server.attempts) {
      const key = keyOf(attempt);
      expect([key, cookiesOf(attempt)]).toEqual([key, seen.has(key) ? { of: key } : {}]);
      seen.add(key);
    }
  });

  test('cookies in the headers of a response are returned as well', async () => {
    const { run, answer } = retriedCalls['a scan'];
    await serve(
      (attempt) => {
        if (attempt.index > 0) return answer(attempt);
        attempt.begin({ ...cookie('a', 'header'), ...cookie('b', 'header') });
        return { status: status.UNAVAILABLE, trailers: cookie('b', 'trailer') };
      },
      { transport },
    );
    await run(engine);
    expect(cookiesOf(server.attempts[1])).toEqual({ a: 'header', b: 'trailer' });
  });

  test('cookies of bytes are returned as they came', async () => {
    const { run, answer } = retriedCalls['a write'];
    const bytes = Buffer.of(0, 255, 128, 10).toString('base64').replace(/=+$/, '');
    await serve(
      (attempt) => {
        if (attempt.index > 0) return answer(attempt);
        return { status: status.UNAVAILABLE, trailers: cookie('c-bin', bytes) };
      },
      { transport },
    );
    await run(engine);
    const returned = String(cookiesOf(server.attempts[1])['c-bin']);
    expect(Buffer.from(returned, 'base64')).toEqual(Buffer.of(0, 255, 128, 10));
  });

  test('a bulk write with rows that failed returns the cookies of the attempt', async () => {
    await serve(
      (attempt) => {
        const code = attempt.index === 0 ? status.UNAVAILABLE : status.OK;
        const entries = [
          { index: 0, status: {} },
          { index: 1, status: { code } },
        ].slice(attempt.index);
        const own = entries.map((entry, index) => ({ ...entry, index }));
        attempt.send(encodePublished('google.bigtable.v2.MutateRowsResponse', { entries: own }));
        return { trailers: cookie('a', 'a1') };
      },
      { transport },
    );
    expect(await engine.mutateRows('t', rowsOf('a', 'b'))).toEqual([undefined, undefined]);
    expect(server.attempts.map(cookiesOf)).toEqual([{}, { a: 'a1' }]);
  });

  test.each(Object.keys(singleCalls))('%s is sent once', async (name) => {
    await serve(() => ({ status: status.UNAVAILABLE, trailers: cookie('a', 'a1') }), {
      transport,
    });
    await expect(singleCalls[name](engine)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(server.attempts.map(cookiesOf)).toEqual([{}]);
  });
});

test('a retry of a write returns the cookies in the headers of the failed attempt', async () => {
  const { run, answer } = retriedCalls['a write'];
  await serve((attempt) => {
    if (attempt.index > 0) return answer(attempt);
    attempt.begin(cookie('a', 'header'));
    return { status: status.UNAVAILABLE };
  });
  await run(engine);
  expect(cookiesOf(server.attempts[1])).toEqual({ a: 'header' });
});

// Over HTTP a call has no trailers, and so neither cookies nor delays.
test('a transport without trailers announces less', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const http = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const auth = {
    getRequestHeaders: async () => ({}),
    getUniverseDomain: async () => undefined,
    fetch: (url: string, request: RequestInit) => fetch(url, request),
  };
  const live = await openLiveEngine(liveUrl, {
    emulatorHost: `127.0.0.1:${port}`,
    clientOptions: { fallback: true, protocol: 'http', auth },
  });
  await live.mutateRow('t', rowsOf('k')[0]).catch(() => undefined);
  await live.close();
  http.closeAllConnections();
  http.close();
  expect(flagsOf(seen[0]['bigtable-features'])).toEqual({
    reverseScans: true,
    lastScannedRowResponses: true,
  });
});
