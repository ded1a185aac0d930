/**
 * When calls end on a server that does not answer, fails, or answers slowly, and which deadlines
 * their attempts carry. How many attempts fit into the total says so on a busy machine as well.
 */
import { status } from '@grpc/grpc-js';
import { everyKey, pointRange, unionRanges } from '../../../src/base/index.js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { collectRows, type Engine, type ReadOptions } from '../../../src/data/store/index.js';
import { utf8 } from '../conformance.js';
import { get, retriedCalls, rowInParts, rowMessages, rowsOf, singleCalls } from './header-calls.js';
import {
  type CallEnd,
  type HeaderServer,
  type Respond,
  startHeaderServer,
  timeoutOf,
} from './header-server.js';
import { liveUrl } from './live-backends.js';

interface Served {
  readonly server: HeaderServer;
  readonly engine: Engine;
}

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()));
});
async function start(respond: Respond, settings: LiveSettings = {}): Promise<Served> {
  const server = await startHeaderServer(respond);
  const engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, ...settings });
  closing.push(engine, server);
  return { server, engine };
}

/** Checks all kinds of calls at the same time, each with its own server. */
async function checkCalls(
  names: readonly string[],
  check: (name: string) => Promise<void>,
): Promise<void> {
  const failed: string[] = [];
  await Promise.all(
    names.map((name) =>
      check(name).catch((error: unknown) => failed.push(`${name}: ${String(error)}`)),
    ),
  );
  expect(failed).toEqual([]);
}

let server: HeaderServer;
let engine: Engine;
async function serve(respond: Respond, settings: LiveSettings = {}): Promise<void> {
  ({ server, engine } = await start(respond, settings));
}

const hangs: Respond = (attempt) => attempt.cancelled;
const fails: Respond = () => ({ status: status.UNAVAILABLE });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const rowMs = 300;

/** Sends a row every 300 ms, until the client cancels. */
const drips =
  (rows: number, ms = rowMs): Respond =>
  async ({ send, request, cancelled }) => {
    let over = false;
    void cancelled.then(() => (over = true));
    const first = Number(/k(\d+)/.exec(request.toString('latin1'))?.[1] ?? -1) + 1;
    for (let n = first; n < rows && !over; n++) {
      await sleep(ms);
      rowMessages(`k${n}`).forEach(send);
    }
  };
const scan = (options?: ReadOptions) =>
  engine.readRows({ table: 't', ranges: [everyKey], reversed: false }, options);

/** The error that a call rejects with. */
const errorOf = async (call: Promise<unknown>): Promise<unknown> => (await timed(call)).error;

/** The milliseconds that a call takes, and the error that it rejects with. */
async function timed(call: Promise<unknown>): Promise<{ ms: number; error: unknown }> {
  const started = performance.now();
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { ms: performance.now() - started, error };
}
/** A machine that is busy with other tests may be late by this much. */
const lateMs = 10_000;

/** Repeats a run with more time if a busy machine had none for enough attempts. */
async function withTime(
  enough: number,
  run: (factor: number) => Promise<HeaderServer>,
): Promise<HeaderServer> {
  for (let factor = 1; ; factor *= 4) {
    const server = await run(factor);
    if (server.attempts.length >= enough || factor === 16) return server;
  }
}
const totalTimeoutMs = 1_500;
const attemptTimeoutMs = 600;
const expired = { code: 'UNAVAILABLE', details: { status: 'DEADLINE_EXCEEDED' } };

const retried = Object.keys(retriedCalls);
const withDeadline = retried.filter((name) => retriedCalls[name].hasDeadline);

describe.each(['auto', 'generated'] as const)('transport %s', (transport) => {
  test('calls end within their total if nothing answers', () =>
    checkCalls(retried, async (name) => {
      const { run, hasDeadline } = retriedCalls[name];
      const { attempts } = await withTime(2, async (factor) => {
        const attemptMs = factor * attemptTimeoutMs;
        const settings = { transport, totalTimeoutMs: 5 * attemptMs, attemptTimeoutMs: attemptMs };
        const { server, engine } = await start(hangs, settings);
        expect(await errorOf(run(engine))).toMatchObject(expired);
        if (!hasDeadline) return server;
        const timeouts = server.attempts.map((attempt) => timeoutOf(attempt)!);
        for (const timeout of timeouts) expect(timeout).toBeLessThanOrEqual(attemptMs);
        // Each attempt lasts as long as its timeout.
        const sum = timeouts.reduce((total, timeout) => total + timeout, 0);
        expect(sum).toBeLessThanOrEqual(5 * attemptMs + 2 * timeouts.length);
        return server;
      });
      // Five fit, fewer on a busy machine; a timer may be early by a millisecond.
      expect(attempts.length).toBeGreaterThanOrEqual(2);
      expect(attempts.length).toBeLessThanOrEqual(6);
    }));

  test('calls end within their total if all attempts fail', () =>
    checkCalls(retried, async (name) => {
      const { attempts } = await withTime(3, async (factor) => {
        const total = factor * totalTimeoutMs;
        const { server, engine } = await start(fails, { transport, totalTimeoutMs: total });
        const { ms, error } = await timed(retriedCalls[name].run(engine));
        expect(error).toMatchObject({ code: 'UNAVAILABLE' });
        expect(ms).toBeLessThan(total + lateMs);
        return server;
      });
      expect(attempts.length).toBeGreaterThan(2);
    }));

  test('an attempt carries the total if that is less', () =>
    checkCalls(withDeadline, async (name) => {
      let total = 0;
      const { attempts } = await withTime(1, async (factor) => {
        total = 900 * factor;
        // Far below the default of an attempt.
        const { server, engine } = await start(hangs, { transport, totalTimeoutMs: total });
        expect(await errorOf(retriedCalls[name].run(engine))).toMatchObject(expired);
        return server;
      });
      expect(attempts).toHaveLength(1);
      expect(timeoutOf(attempts[0])).toBeLessThanOrEqual(total);
    }));

  test('calls that are not retried end with their attempt', () =>
    checkCalls(Object.keys(singleCalls), async (name) => {
      let attemptMs = 0;
      const { attempts } = await withTime(1, async (factor) => {
        attemptMs = attemptTimeoutMs * factor;
        const settings = { transport, totalTimeoutMs: 8 * attemptMs, attemptTimeoutMs: attemptMs };
        const { server, engine } = await start(hangs, settings);
        expect(await errorOf(singleCalls[name](engine))).toMatchObject(expired);
        return server;
      });
      expect(attempts).toHaveLength(1);
      expect(timeoutOf(attempts[0])).toBeLessThanOrEqual(attemptMs);
    }));

  test('the documented defaults', () =>
    checkCalls(retried, async (name) => {
      const { run, answer, hasDeadline } = retriedCalls[name];
      const { server, engine } = await start(answer, { transport });
      await run(engine);
      const timeout = timeoutOf(server.attempts[0]);
      if (hasDeadline) {
        expect(timeout).toBeGreaterThan(15_000);
        expect(timeout).toBeLessThanOrEqual(20_000);
      } else if (transport === 'auto') expect(timeout).toBeUndefined();
      // The generated client sends its own default, which is no limit of ours.
      else expect(timeout).toBeGreaterThan(3_600_000);
    }));
});

/** Trailers with google.rpc.Status, which has a RetryInfo of less than 128 s. */
const retryAfter = (seconds: number): CallEnd['trailers'] => {
  const info = `0a28${Buffer.from('type.googleapis.com/google.rpc.RetryInfo').toString('hex')}`;
  const bytes = Buffer.from(
    `080e1a30${info}12040a0208${Buffer.of(seconds).toString('hex')}`,
    'hex',
  );
  return { 'grpc-status-details-bin': bytes.toString('base64') };
};

test('the total includes the delay that a server asks for', async () => {
  await serve(() => ({ status: status.UNAVAILABLE, trailers: retryAfter(20) }), { totalTimeoutMs });
  const error = await errorOf(get(engine, 'k'));
  expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { status: 'UNAVAILABLE' } });
  expect(server.attempts).toHaveLength(1);
});

test('a call that is delayed until its time is over has exceeded a quota', async () => {
  await serve(() => ({ status: status.RESOURCE_EXHAUSTED, trailers: retryAfter(1) }), {
    totalTimeoutMs: 2_500,
  });
  expect(await errorOf(get(engine, 'k'))).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    details: { status: 'RESOURCE_EXHAUSTED' },
  });
  expect(server.attempts.length).toBeGreaterThanOrEqual(2);
  expect(server.attempts.length).toBeLessThanOrEqual(3);
});

test('all requests of a bulk write share its total', async () => {
  await serve(hangs, { totalTimeoutMs, attemptTimeoutMs });
  // Ten requests of 4 MiB. Four are sent at a time.
  const value = Buffer.alloc(2_200_000);
  const rows = rowsOf(...Array.from({ length: 20 }, (_, n) => `k${n}`)).map(({ key }) => ({
    key,
    mutations: [{ kind: 'setCell' as const, family: 'f', qualifier: key, timestamp: 1000, value }],
  }));
  const results = await engine.mutateRows('t', rows);
  expect(results).toHaveLength(20);
  for (const error of results) expect(error).toMatchObject(expired);
  // What was never sent is known not to be written.
  expect(results.at(-1)!.details).toMatchObject({ written: false });
  expect(results[0]!.details.written).toBeUndefined();
});

describe('scans', () => {
  test('the total bounds the silence between rows, not the scan', async () => {
    // A busy machine may be silent for the total: then with more time.
    let error: unknown = 'not tried';
    for (let factor = 1; error !== undefined && factor <= 16; factor *= 4) {
      await serve(drips(8, factor * rowMs), { totalTimeoutMs: factor * 4 * rowMs });
      error = await errorOf(collectRows(scan()).then((rows) => expect(rows).toHaveLength(8)));
    }
    expect(error).toBeUndefined();
  });

  test('silence after some rows ends within the total, all attempts together', async () => {
    await serve(
      async (attempt) => {
        if (attempt.index === 0) rowMessages('k0').forEach(attempt.send);
        await attempt.cancelled;
      },
      { totalTimeoutMs, attemptTimeoutMs },
    );
    expect(await errorOf(collectRows(scan()))).toMatchObject(expired);
    expect(server.attempts.length).toBeLessThanOrEqual(4);
  });

  // After the first row the client waited for the default of attemptTimeoutMs, 20 s.
  test('silence after some rows ends within a total that is less than an attempt', async () => {
    await serve(
      async (attempt) => {
        rowMessages('k0').forEach(attempt.send);
        await attempt.cancelled;
      },
      { totalTimeoutMs },
    );
    const { ms, error } = await timed(collectRows(scan()));
    expect(error).toMatchObject(expired);
    expect(ms).toBeLessThan(totalTimeoutMs + lateMs);
  });

  test.each([0, 1])('messages without content are silence, after %i rows', async (rows) => {
    await serve(
      async ({ send, cancelled }) => {
        let over = false;
        void cancelled.then(() => (over = true));
        if (rows > 0) rowMessages('k0').forEach(send);
        for (let n = 0; n < 40 && !over; n++) {
          await sleep(200);
          send(Buffer.alloc(0));
        }
      },
      { totalTimeoutMs },
    );
    expect(await errorOf(collectRows(scan()))).toMatchObject(expired);
  });

  test('parts of one row are no silence', async () => {
    const parts = rowInParts('k0', 8);
    await serve(
      async ({ send }) => {
        for (const part of parts) {
          await sleep(rowMs);
          send(part);
        }
      },
      { totalTimeoutMs: 1_200 },
    );
    expect(await collectRows(scan())).toHaveLength(1);
  });

  test('parts of a row that fails each time are', async () => {
    await serve(
      async ({ send }) => {
        send(rowInParts('k0', 8)[0]);
        await sleep(rowMs);
        return { status: status.UNAVAILABLE };
      },
      { totalTimeoutMs },
    );
    expect(await errorOf(collectRows(scan()))).toMatchObject({ code: 'UNAVAILABLE' });
    // Each lasts 300 ms.
    expect(server.attempts.length).toBeLessThanOrEqual(6);
  });

  test('time in which the consumer does not read is not counted', async () => {
    await serve(
      async (attempt) => {
        rowMessages(`k${attempt.index}`).forEach(attempt.send);
        if (attempt.index === 3) return;
        // The attempt fails while nobody reads, and the next one takes a while.
        await sleep(100);
        return { status: status.UNAVAILABLE };
      },
      { totalTimeoutMs: 1_000 },
    );
    const stream = scan();
    const keys: string[] = [];
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow())
        keys.push(Buffer.from(page.keyBytes.subarray(page.keyStart, page.keyEnd)).toString());
      await sleep(1_300);
    }
    expect(keys).toEqual(['k0', 'k1', 'k2', 'k3']);
  });

  test('a total given for the scan is honoured, though rows arrive', async () => {
    await serve(drips(1_000));
    const { ms, error } = await timed(collectRows(scan({ timeoutMs: 2_000 })));
    expect(error).toMatchObject(expired);
    expect(ms).toBeGreaterThan(1_900);
    expect(ms).toBeLessThan(2_000 + lateMs);
  });

  test('a total given for the scan does not count the time between pages', async () => {
    await serve(drips(4));
    const stream = scan({ timeoutMs: 3_000 });
    let rows = 0;
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) rows++;
      await sleep(1_000);
    }
    expect(rows).toBe(4);
  });

  test.each([1, 10, 100])('a total given for a read of %i keys is honoured', async (count) => {
    await serve(hangs);
    const ranges = unionRanges(Array.from({ length: count }, (_, n) => pointRange(utf8(`k${n}`))));
    const reading = collectRows(
      engine.readRows({ table: 't', ranges, reversed: false }, { timeoutMs: 800 }),
    );
    expect(await errorOf(reading)).toMatchObject(expired);
    for (const attempt of server.attempts) expect(timeoutOf(attempt)).toBeLessThanOrEqual(800);
  });

  test.each([0, -1, 1.5, NaN, 2 ** 31, '5'])('a total of %p is rejected', async (timeoutMs) => {
    await serve(hangs);
    await expect(collectRows(scan({ timeoutMs: timeoutMs as number }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'timeoutMs' },
    });
    expect(server.attempts).toHaveLength(0);
  });
});
