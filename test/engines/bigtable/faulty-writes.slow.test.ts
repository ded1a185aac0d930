/**
 * Writes with a faulty service and a faulty network: exactly the expected rows are written, and
 * writes that are not idempotent are not retried.
 */
import { status } from '@grpc/grpc-js';
import { everyKey, prefixRange } from '../../../src/base/index.js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { MutateRowsRequest } from '../../../src/engines/protocol/index.js';
import { startServer, type BigtableServer } from '../../../src/server/index.js';
import {
  collectRows,
  type Engine,
  type Mutation,
  type RowMutation,
} from '../../../src/data/store/index.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { seed } from '../../support/seed.js';
import {
  startFaultServer,
  type CallFailure,
  type FaultServer,
  type ReceivedCall,
} from '../../support/fault-server.js';
import { read, set, utf8 } from '../conformance.js';
import { random } from '../history.js';
import { liveUrl } from './live-backends.js';

/** Random bulk writes; RUNS=n for more. */
const runs = Number(process.env.RUNS ?? 25);

let backend: Engine;
let server: BigtableServer;
let service: FaultServer;
let live: Engine;
let fails: (call: ReceivedCall) => CallFailure | undefined = () => undefined;
const settings: LiveSettings = { connections: 1 };

beforeAll(async () => {
  backend = await openMemoryEngine();
  await backend.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
      ['sum', { aggregate: 'sum' }],
    ]),
  });
  server = await startServer(backend, { instance: 'projects/p/instances/instance-1' });
  service = await startFaultServer(server.address, (call) => fails(call));
  live = await openLiveEngine(liveUrl, { ...settings, emulatorHost: service.address });
});
afterEach(async () => {
  fails = () => undefined;
  await backend.dropRowRange('t', { kind: 'all' });
});
afterAll(async () => {
  await live.close();
  await service.close();
  await server.close({ graceMs: 100 });
  await backend.close();
});

const callsOf = (method: string): number =>
  service.calls.filter((call) => call.method.endsWith(`/${method}`)).length;
/** How many calls of a method there are while something runs. */
async function counting(method: string, run: () => Promise<unknown>): Promise<number> {
  const before = callsOf(method);
  await run();
  return callsOf(method) - before;
}

const row = (key: string, ...mutations: readonly Mutation[]): RowMutation => ({
  key: utf8(key),
  mutations,
});
const failure = (code: number, more: Partial<CallFailure> = {}) => ({ code, ...more });
/** Fails the first `count` calls of a method. */
function failFirst(count: number, how: CallFailure, method = 'Mutate'): void {
  let left = count;
  fails = (call) => (call.method.includes(method) && left-- > 0 ? how : undefined);
}

describe('one row', () => {
  test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.ABORTED])(
    'is retried after status %d, whether it was applied or not',
    async (code) => {
      for (const reaches of [true, false]) {
        failFirst(3, failure(code, { reachesServer: reaches }));
        expect(
          await counting('MutateRow', () =>
            live.mutateRow(
              't',
              row('k', set('a', 'q', 'v'), { kind: 'deleteFromFamily', family: 'b' }),
            ),
          ),
        ).toBe(4);
        expect(await read(backend)).toEqual(['k{a:q@1000=v}']);
      }
    },
  );

  test('waits as long as the server requests, and sends the number of the attempt', async () => {
    failFirst(1, failure(status.RESOURCE_EXHAUSTED, { retryAfterMs: 300 }));
    const started = performance.now();
    await live.mutateRow('t', row('k', set('a', 'q', 'v')));
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);
    expect(
      service.calls.slice(-2).map(({ headers }) => headers.get('bigtable-attempt')[0]),
    ).toEqual(['0', '1']);
  });

  test.each([
    [status.INVALID_ARGUMENT, 'INVALID_ARGUMENT'],
    [status.PERMISSION_DENIED, 'PERMISSION_DENIED'],
    [status.RESOURCE_EXHAUSTED, 'QUOTA_EXCEEDED'],
    [status.UNAUTHENTICATED, 'PERMISSION_DENIED'],
    [status.FAILED_PRECONDITION, 'FAILED_PRECONDITION'],
    [status.UNIMPLEMENTED, 'UNSUPPORTED'],
    [status.DATA_LOSS, 'STORAGE_FAILED'],
    [status.NOT_FOUND, 'INVALID_ARGUMENT'],
  ])('is not retried after status %d: %s', async (code, expected) => {
    failFirst(1, failure(code, { reachesServer: false }));
    expect(
      await counting('MutateRow', () =>
        expect(live.mutateRow('t', row('k', set('a', 'q', 'v')))).rejects.toMatchObject({
          code: expected,
          details: { status: status[code] },
        }),
      ),
    ).toBe(1);
  });

  test('fails after the total timeout', async () => {
    const short = await openLiveEngine(liveUrl, {
      ...settings,
      emulatorHost: service.address,
      totalTimeoutMs: 2_000,
    });
    failFirst(1_000, failure(status.UNAVAILABLE, { reachesServer: false }));
    // The last attempt has the remaining time, and may reach its deadline before the server responds.
    const lastStatus: unknown = expect.stringMatching(/^(UNAVAILABLE|DEADLINE_EXCEEDED)$/);
    const attempts = await counting('MutateRow', () =>
      expect(short.mutateRow('t', row('k', set('a', 'q', 'v')))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        details: { status: lastStatus, table: 't' },
      }),
    );
    expect(attempts).toBeGreaterThan(1);
    await short.close();
  });
});

describe('writes that are not idempotent', () => {
  const add = (input: bigint): Mutation => ({
    kind: 'addToCell',
    family: 'sum',
    qualifier: utf8('q'),
    timestamp: 1000,
    input,
  });
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    "a cell with the server's timestamp": () =>
      live.mutateRow('t', row('k', set('a', 'q', 'v', -1))),
    'an addition': () => live.mutateRow('t', row('k', add(1n))),
    'a merge': () =>
      live.mutateRow(
        't',
        row('k', {
          kind: 'mergeToCell',
          family: 'sum',
          qualifier: utf8('q'),
          timestamp: 1000,
          input: new Uint8Array(8),
        }),
      ),
    'an increment': () =>
      live.readModifyWriteRow('t', utf8('k'), [
        { kind: 'increment', family: 'a', qualifier: utf8('n'), amount: 1n },
      ]),
    'an append': () =>
      live.readModifyWriteRow('t', utf8('k'), [
        { kind: 'append', family: 'a', qualifier: utf8('n'), value: utf8('x') },
      ]),
    'a check': () => live.checkAndMutateRow('t', { key: utf8('k'), onFalse: [set('a', 'q', 'v')] }),
  };
  test.each(Object.keys(writes))('%s', async (name) => {
    fails = () => failure(status.UNAVAILABLE);
    const before = service.calls.length;
    await expect(writes[name]()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(service.calls.length - before).toBe(1);
    // It was applied once.
    expect(await read(backend)).toHaveLength(1);
  });

  test.each(Object.keys(writes))(
    '%s over a connection that breaks may be applied',
    async (name) => {
      fails = () => ({ code: 'reset' });
      await expect(writes[name]()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await read(backend)).toHaveLength(1);
    },
  );

  test('in a bulk write: only idempotent rows are retried', async () => {
    failFirst(1, failure(status.UNAVAILABLE));
    const results = await live.mutateRows('t', [
      row('a', set('a', 'q', 'v')),
      row('b', add(5n)),
      row('c', set('a', 'q', 'v', -1)),
      row('d', set('a', 'q', 'v')),
    ]);
    expect(results.map((error) => error?.code)).toEqual([
      undefined,
      'UNAVAILABLE',
      'UNAVAILABLE',
      undefined,
    ]);
    const retried = MutateRowsRequest.decode(service.calls.at(-1)!.request);
    expect(retried.entries?.map(({ rowKey }) => Buffer.from(rowKey!).toString())).toEqual([
      'a',
      'd',
    ]);
    const [, b] = await collectRows(
      backend.readRows({ table: 't', ranges: [everyKey], reversed: false }),
    );
    expect(Buffer.from(b.cells[0].value).readBigInt64BE()).toBe(5n);
  });
});

describe('bulk writes', () => {
  // The rows of a request are counted from its start, also those of later requests.
  test('of several requests retry only idempotent rows', async () => {
    const large = 'v'.repeat(3_000_000);
    const rows = Array.from({ length: 9 }, (_, i) =>
      i % 3 === 2 ? row(`${i}`, set('a', 'q', 'v', -1)) : row(`${i}`, set('a', 'q', large)),
    );
    const before = service.calls.length;
    const failed = new Set<string>();
    fails = ({ request }) => {
      const [first] = MutateRowsRequest.decode(request).entries ?? [];
      const name = Buffer.from(first.rowKey!).toString();
      if (failed.has(name)) return undefined;
      failed.add(name);
      return failure(status.UNAVAILABLE);
    };
    const results = await live.mutateRows('t', rows);
    expect(failed.size).toBeGreaterThan(1);
    // A request with nothing but such a row is not repeated.
    expect(service.calls.length - before).toBeGreaterThan(failed.size);
    expect(results.map((error) => error?.code)).toEqual(
      rows.map((_, i) => (i % 3 === 2 ? 'UNAVAILABLE' : undefined)),
    );
  });

  test('the error of a rejected row is returned, and the other rows are written', async () => {
    const results = await live.mutateRows('t', [
      row('a', set('a', 'q', 'v')),
      row('b', set('zz', 'q', 'v')),
      row('', set('a', 'q', 'v')),
      row('c'),
      row('d', set('a', 'q', 'v', 1.5)),
      row('e', set('a', 'q', 'v', 1500)),
      row('f', set('a', 'q', 'v')),
      { key: new Uint8Array(4097), mutations: [set('a', 'q', 'v')] },
    ]);
    expect(results.map((error) => error?.code)).toEqual([
      undefined,
      'FAMILY_NOT_FOUND',
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      undefined,
      'LIMIT_EXCEEDED',
    ]);
    expect(await read(backend)).toEqual(['a{a:q@1000=v}', 'f{a:q@1000=v}']);
  });

  test('are split by mutations and by bytes', async () => {
    const many = Array.from({ length: 52 }, (_, at) =>
      row(
        `m${at + 10}`,
        ...Array.from({ length: 2_000 }, (): Mutation => ({
          kind: 'deleteFromFamily',
          family: 'b',
        })),
      ),
    );
    expect(await counting('MutateRows', () => live.mutateRows('t', many))).toBe(3);
    for (const { request } of service.calls.slice(-3))
      expect(
        MutateRowsRequest.decode(request).entries!.reduce(
          (sum, { mutations }) => sum + mutations!.length,
          0,
        ),
      ).toBeLessThanOrEqual(50_000);
    const large = Array.from({ length: 16 }, (_, at) =>
      row(`l${at + 10}`, set('a', 'q', 'x'.repeat(700_000))),
    );
    expect(await counting('MutateRows', () => live.mutateRows('t', large))).toBe(3);
    for (const { request } of service.calls.slice(-3)) expect(request.length).toBeLessThan(5 << 20);
    expect(await read(backend, { filter: { kind: 'stripValue' } })).toHaveLength(16);
  });

  test('reject when they are aborted', async () => {
    fails = () => failure(status.UNAVAILABLE, { reachesServer: false });
    const abort = new AbortController();
    const reason = new Error('enough');
    const writing = live.mutateRows('t', [row('a', set('a', 'q', 'v'))], { signal: abort.signal });
    setTimeout(() => abort.abort(reason), 60);
    await expect(writing).rejects.toBe(reason);
  });

  test('write exactly the expected rows, whatever fails', async () => {
    const chance = random(seed);
    const codes = [status.UNAVAILABLE, status.ABORTED, status.DEADLINE_EXCEEDED, 'reset'] as const;
    fails = () =>
      chance(10) < 3 ? { code: codes[chance(4)], reachesServer: chance(10) < 6 } : undefined;
    // Concurrently, each with its own keys: most of the time is spent waiting.
    await Promise.all(
      Array.from({ length: 10 }, (_, worker) =>
        writeRandomly(`${worker}`, Math.ceil(runs / 10), seed + worker),
      ),
    );
    expect(service.failures()).toBeGreaterThan(runs / 10);
  });

  /** Writes and deletes rows with a prefix, and compares the result with a model. */
  async function writeRandomly(prefix: string, count: number, ownSeed: number): Promise<void> {
    const chance = random(ownSeed);
    const expected = new Map<string, string>();
    for (let run = 0; run < count; run++) {
      // Each key once: the rows of one call have no order (bigtable.proto,
      // MutateRowsRequest.entries).
      const keys = new Set(
        Array.from({ length: 1 + chance(30) }, () => `${prefix}-${100 + chance(100)}`),
      );
      const rows = [...keys].map((key) => {
        if (chance(5) === 0) {
          expected.delete(key);
          return row(key, { kind: 'deleteFromRow' });
        }
        expected.set(key, `${key}{a:q@1000=${run}}`);
        return row(key, { kind: 'deleteFromRow' }, set('a', 'q', `${run}`));
      });
      const results = await live.mutateRows('t', rows);
      const failed = results.filter((error) => error !== undefined);
      expect({ seed: ownSeed, run, failed }).toEqual({ seed: ownSeed, run, failed: [] });
    }
    const rows = await read(backend, { ranges: [prefixRange(utf8(`${prefix}-`))] });
    const expectedRows = [...expected.values()].sort();
    expect({ seed: ownSeed, rows }).toEqual({ seed: ownSeed, rows: expectedRows });
  }

  test('are resumed when connections break', async () => {
    const proxy = await startFaultProxy(server.address);
    const engine = await openLiveEngine(liveUrl, { ...settings, emulatorHost: proxy.address });
    const rows = Array.from({ length: 2_000 }, (_, at) =>
      row(`n${at + 10_000}`, set('a', 'q', 'x'.repeat(1_000))),
    );
    const cutting = setInterval(() => proxy.disconnectAll(), 40);
    setTimeout(() => clearInterval(cutting), 300);
    for (let at = 0; at < rows.length; at += 100)
      expect(await engine.mutateRows('t', rows.slice(at, at + 100))).toEqual(
        Array<undefined>(100).fill(undefined),
      );
    clearInterval(cutting);
    expect(await read(backend, { filter: { kind: 'stripValue' } })).toHaveLength(2_000);
    await engine.close();
    await proxy.close();
  });
});
