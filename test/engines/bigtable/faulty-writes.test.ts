/**
 * Writes over a faulty service and a faulty network: exactly the right rows, and what may not be
 * repeated is not.
 */
import { status } from '@grpc/grpc-js';
import { everyKey, prefixRange } from '../../../src/bytes/index.js';
import { openLiveEngine, type LiveSettings } from '../../../src/engines/bigtable/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { MutateRowsRequest } from '../../../src/protocol/index.js';
import { startServer, type BigtableServer } from '../../../src/server/index.js';
import {
  collectRows,
  type Engine,
  type Mutation,
  type RowMutation,
} from '../../../src/store/index.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { seed } from '../../support/seed.js';
import {
  startFaultServer,
  type CallFailure,
  type FaultServer,
  type SeenCall,
} from '../../support/fault-server.js';
import { read, set, utf8 } from '../conformance.js';
import { random } from '../history.js';
import { liveUrl } from './live-backends.js';

/** Random bulk writes; RUNS=n for more. */
const runs = Number(process.env.RUNS ?? 500);

let behind: Engine;
let server: BigtableServer;
let service: FaultServer;
let live: Engine;
let fails: (call: SeenCall) => CallFailure | undefined = () => undefined;
const settings: LiveSettings = { connections: 1 };

beforeAll(async () => {
  behind = await openMemoryEngine();
  await behind.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
      ['sum', { aggregate: 'sum' }],
    ]),
  });
  server = await startServer(behind, { instance: 'projects/p/instances/instance-1' });
  service = await startFaultServer(server.address, (call) => fails(call));
  live = await openLiveEngine(liveUrl, { ...settings, emulatorHost: service.address });
});
afterEach(async () => {
  fails = () => undefined;
  await behind.dropRowRange('t', { kind: 'all' });
});
afterAll(async () => {
  await live.close();
  await service.close();
  await server.close({ graceMs: 100 });
  await behind.close();
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
const refused = (code: number, more: Partial<CallFailure> = {}) => ({ code, ...more });
/** Fails the first calls of a method, so many. */
function failFirst(count: number, failure: CallFailure, method = 'Mutate'): void {
  let left = count;
  fails = (call) => (call.method.includes(method) && left-- > 0 ? failure : undefined);
}

describe('one row', () => {
  test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.ABORTED])(
    'is written again after status %d, done or not',
    async (code) => {
      for (const reaches of [true, false]) {
        failFirst(3, refused(code, { reaches }));
        expect(
          await counting('MutateRow', () =>
            live.mutateRow(
              't',
              row('k', set('a', 'q', 'v'), { kind: 'deleteFromFamily', family: 'b' }),
            ),
          ),
        ).toBe(4);
        expect(await read(behind)).toEqual(['k{a:q@1000=v}']);
      }
    },
  );

  test('waits as long as the server asks, and says which try it is', async () => {
    failFirst(1, refused(status.RESOURCE_EXHAUSTED, { retryAfterMs: 300 }));
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
  ])('is not written again after status %d: %s', async (code, expected) => {
    failFirst(1, refused(code, { reaches: false }));
    expect(
      await counting('MutateRow', () =>
        expect(live.mutateRow('t', row('k', set('a', 'q', 'v')))).rejects.toMatchObject({
          code: expected,
          details: { status: status[code] },
        }),
      ),
    ).toBe(1);
  });

  test('gives up when its time is over', async () => {
    const short = await openLiveEngine(liveUrl, {
      ...settings,
      emulatorHost: service.address,
      totalTimeoutMs: 2_000,
    });
    failFirst(1_000, refused(status.UNAVAILABLE, { reaches: false }));
    // The last try has what is left of the time, which may be over before the server has refused
    // it.
    const lastOf: unknown = expect.stringMatching(/^(UNAVAILABLE|DEADLINE_EXCEEDED)$/);
    const tries = await counting('MutateRow', () =>
      expect(short.mutateRow('t', row('k', set('a', 'q', 'v')))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        details: { status: lastOf, table: 't' },
      }),
    );
    expect(tries).toBeGreaterThan(1);
    await short.close();
  });
});

describe('what may not be repeated', () => {
  const add = (input: bigint): Mutation => ({
    kind: 'addToCell',
    family: 'sum',
    qualifier: utf8('q'),
    timestamp: 1000,
    input,
  });
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    "a cell under the server's clock": () => live.mutateRow('t', row('k', set('a', 'q', 'v', -1))),
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
    fails = () => refused(status.UNAVAILABLE);
    const before = service.calls.length;
    await expect(writes[name]()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(service.calls.length - before).toBe(1);
    // It was done, and done once.
    expect(await read(behind)).toHaveLength(1);
  });

  test('in a bulk write: only the rows that may be are sent again', async () => {
    failFirst(1, refused(status.UNAVAILABLE));
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
    const again = MutateRowsRequest.decode(service.calls.at(-1)!.request);
    expect(again.entries?.map(({ rowKey }) => Buffer.from(rowKey!).toString())).toEqual(['a', 'd']);
    const [, b] = await collectRows(
      behind.readRows({ table: 't', ranges: [everyKey], reversed: false }),
    );
    expect(Buffer.from(b.cells[0].value).readBigInt64BE()).toBe(5n);
  });
});

describe('bulk writes', () => {
  test('a refused row is told and the others are written', async () => {
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
    expect(await read(behind)).toEqual(['a{a:q@1000=v}', 'f{a:q@1000=v}']);
  });

  test('are cut by mutations and by bytes', async () => {
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
    expect(await read(behind, { filter: { kind: 'stripValue' } })).toHaveLength(16);
  });

  test('end when they are aborted', async () => {
    fails = () => refused(status.UNAVAILABLE, { reaches: false });
    const abort = new AbortController();
    const reason = new Error('enough');
    const writing = live.mutateRows('t', [row('a', set('a', 'q', 'v'))], { signal: abort.signal });
    setTimeout(() => abort.abort(reason), 60);
    await expect(writing).rejects.toBe(reason);
  });

  test('give exactly the right rows, whatever fails', async () => {
    const chance = random(seed);
    const codes = [status.UNAVAILABLE, status.ABORTED, status.DEADLINE_EXCEEDED, 'reset'] as const;
    fails = () =>
      chance(10) < 3 ? { code: codes[chance(4)], reaches: chance(10) < 6 } : undefined;
    // Side by side, each with keys of its own: most of the time goes into waiting.
    await Promise.all(
      Array.from({ length: 10 }, (_, worker) =>
        writeRandomly(`${worker}`, Math.ceil(runs / 10), seed + worker),
      ),
    );
    expect(service.failures()).toBeGreaterThan(runs / 10);
  });

  /** Writes and deletes rows under a prefix, and compares with what must be there. */
  async function writeRandomly(prefix: string, count: number, own: number): Promise<void> {
    const chance = random(own);
    const there = new Map<string, string>();
    for (let run = 0; run < count; run++) {
      // Each key once: rows of one call have no order among them (bigtable.proto,
      // MutateRowsRequest.entries).
      const keys = new Set(
        Array.from({ length: 1 + chance(30) }, () => `${prefix}-${100 + chance(100)}`),
      );
      const rows = [...keys].map((key) => {
        const gone = chance(5) === 0;
        if (gone) there.delete(key);
        else there.set(key, `${key}{a:q@1000=${run}}`);
        return row(key, { kind: 'deleteFromRow' }, ...(gone ? [] : [set('a', 'q', `${run}`)]));
      });
      const results = await live.mutateRows('t', rows);
      expect({ seed: own, run, failed: results.filter((error) => error !== undefined) }).toEqual({
        seed: own,
        run,
        failed: [],
      });
    }
    const rows = await read(behind, { ranges: [prefixRange(utf8(`${prefix}-`))] });
    expect({ seed: own, rows }).toEqual({ seed: own, rows: [...there.values()].sort() });
  }

  test('go on over a network that breaks', async () => {
    const proxy = await startFaultProxy(server.address);
    const engine = await openLiveEngine(liveUrl, { ...settings, emulatorHost: proxy.address });
    const rows = Array.from({ length: 2_000 }, (_, at) =>
      row(`n${at + 10_000}`, set('a', 'q', 'x'.repeat(1_000))),
    );
    const cutting = setInterval(() => proxy.cutAll(), 40);
    setTimeout(() => clearInterval(cutting), 300);
    for (let at = 0; at < rows.length; at += 100)
      expect(await engine.mutateRows('t', rows.slice(at, at + 100))).toEqual(
        Array<undefined>(100).fill(undefined),
      );
    clearInterval(cutting);
    expect(await read(behind, { filter: { kind: 'stripValue' } })).toHaveLength(2_000);
    await engine.close();
    await proxy.close();
  });
});
