/**
 * Gets of one turn are batched into requests of about 16 keys; each reader gets its own row or
 * error, and can be cancelled separately.
 */
import { status } from '@grpc/grpc-js';
import { isPoint, pointRange, unionRanges } from '../../../src/base/index.js';
import type { LiveSettings } from '../../../src/engines/bigtable/index.js';
import {
  collectRows,
  type Filter,
  type Row,
  type RowStream,
} from '../../../src/data/store/index.js';
import { messagesOf } from '../protocol/chunk-messages.js';
import {
  readsOf,
  StatusError,
  startReadServer,
  type ReadCall,
  type ReadServer,
  type ReadsUnderTest,
} from './read-server.js';
import { until } from '../../support/until.js';

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const key = (i: number): string => `k${String(i).padStart(4, '0')}`;
const rowOf = (name: Uint8Array): Row => ({
  key: name,
  cells: [
    {
      family: 'f',
      qualifier: utf8('q'),
      timestamp: 1000n,
      value: utf8(`of ${Buffer.from(name).toString()}`),
    },
  ],
});
const keysOf = ({ plan }: ReadCall): string[] =>
  plan.ranges.map(({ start }) => Buffer.from(start).toString());

let server: ReadServer;
let under: ReadsUnderTest;
async function serve(
  respond: (call: ReadCall) => Promise<void> = sendRows,
  settings: LiveSettings = {},
): Promise<void> {
  server = await startReadServer(respond);
  under = await readsOf(server.address, settings);
}
afterEach(async () => {
  await under.close();
  await server.close();
});

/** Sends a row for every key that does not begin with x. */
async function sendRows(call: ReadCall): Promise<void> {
  const { ranges, reversed } = call.plan;
  const found = ranges.filter(({ start }) => start[0] !== 0x78).map(({ start }) => rowOf(start));
  for (const message of messagesOf(reversed ? found.reverse() : found)) await call.send(message);
}
const hang = (call: ReadCall): Promise<void> =>
  new Promise((_resolve, reject) =>
    call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
  );

const open = (name: string, options: { filter?: Filter; signal?: AbortSignal } = {}): RowStream =>
  under.reads.open(
    {
      table: 't',
      ranges: [pointRange(utf8(name))],
      reversed: false,
      filter: options.filter,
    },
    { signal: options.signal },
  );
const get = async (
  name: string,
  options?: { filter?: Filter; signal?: AbortSignal },
): Promise<string | undefined> => {
  const [row] = await collectRows(open(name, options));
  return row === undefined ? undefined : Buffer.from(row.cells[0].value).toString();
};

test('gets of one turn are batched into requests of at most 16 sorted keys, of similar size', async () => {
  await serve();
  const names = Array.from({ length: 70 }, (_, i) => key((i * 37) % 70));
  expect(await Promise.all(names.map((name) => get(name)))).toEqual(
    names.map((name) => `of ${name}`),
  );
  expect(server.calls.map((call) => keysOf(call).length)).toEqual([14, 14, 14, 14, 14]);
  expect(server.calls.flatMap(keysOf).sort()).toEqual([...names].sort());
  for (const call of server.calls) {
    expect(call.plan.ranges.every(isPoint)).toBe(true);
    expect(keysOf(call)).toEqual([...keysOf(call)].sort());
  }
});

test('without gathering each get is its own request', async () => {
  await serve(sendRows, { gatherGets: false });
  const names = Array.from({ length: 20 }, (_, i) => key(i));
  expect(await Promise.all([...names, 'x'].map((name) => get(name)))).toEqual([
    ...names.map((name) => `of ${name}`),
    undefined,
  ]);
  expect(server.calls.flatMap(keysOf).sort()).toEqual([...names, 'x']);
  expect(server.calls).toHaveLength(21);
});

test('later gets are batched again', async () => {
  await serve();
  await Promise.all(
    Array.from({ length: 64 }, async (_, i) => {
      for (let round = 0; round < 5; round++)
        expect(await get(key(i + 100 * round))).toBe(`of ${key(i + 100 * round)}`);
    }),
  );
  // 320 gets; how many start in the same turn depends on the machine.
  expect(server.calls.length).toBeGreaterThanOrEqual(20);
  expect(server.calls.length).toBeLessThan(160);
});

test('rows that do not exist, and rows with several readers', async () => {
  await serve();
  expect(await Promise.all(['b', 'x1', 'a', 'b', 'x2', 'b', 'a'].map((name) => get(name)))).toEqual(
    ['of b', undefined, 'of a', 'of b', undefined, 'of b', 'of a'],
  );
  expect(server.calls.map(keysOf)).toEqual([['a', 'b', 'x1', 'x2']]);
});

test('only reads with the same filter are batched', async () => {
  await serve();
  const one: Filter = { kind: 'families', families: ['f'] };
  const other: Filter = { kind: 'cellsPerRow', count: 1 };
  await Promise.all([
    get('a'),
    get('b', { filter: one }),
    get('c', { filter: other }),
    get('d', { filter: one }),
  ]);
  expect(new Map(server.calls.map((call) => [keysOf(call).join(), call.plan.filter]))).toEqual(
    new Map<string, unknown>([
      ['a', undefined],
      ['b,d', one],
      ['c', other],
    ]),
  );
});

test('each page has one row, and stays valid when other pages are read', async () => {
  await serve();
  const streams = ['a', 'b'].map((name) => open(name));
  const pages = await Promise.all(streams.map((stream) => stream.next()));
  await get('c');
  expect(
    pages.map((page) => [
      page?.nextRow(),
      page?.nextCell(),
      Buffer.from(page!.valueBytes.subarray(page!.valueStart, page!.valueEnd)).toString(),
      page?.nextCell(),
      page?.nextRow(),
    ]),
  ).toEqual([
    [true, true, 'of a', false, false],
    [true, true, 'of b', false, false],
  ]);
  expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual([undefined, undefined]);
});

test('an error rejects only the readers of its request', async () => {
  await serve(async (call) => {
    if (keysOf(call).includes(key(0))) throw new StatusError(status.PERMISSION_DENIED, 'not yours');
    await sendRows(call);
  });
  const results = await Promise.allSettled(Array.from({ length: 32 }, (_, i) => get(key(i))));
  expect(results.map(({ status: result }) => result)).toEqual(
    Array.from({ length: 32 }, (_, i) => (i < 16 ? 'rejected' : 'fulfilled')),
  );
  expect((results[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'PERMISSION_DENIED' });
});

test('a retry requests only the missing rows', async () => {
  await serve(async (call) => {
    if (call.index > 0) return sendRows(call);
    for (const message of messagesOf([rowOf(utf8('a')), rowOf(utf8('b'))]))
      await call.send(message);
    throw new StatusError(status.UNAVAILABLE);
  });
  expect(await Promise.all(['a', 'b', 'c', 'x'].map((name) => get(name)))).toEqual([
    'of a',
    'of b',
    'of c',
    undefined,
  ]);
  expect(server.calls.map(keysOf)).toEqual([
    ['a', 'b', 'c', 'x'],
    ['c', 'x'],
  ]);
});

describe('cancellation', () => {
  test('an aborted reader rejects at once, the other readers continue', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    await serve(async (call) => {
      await gate;
      await sendRows(call);
    });
    const abort = new AbortController();
    const [stays, leaves] = [get('a'), get('b', { signal: abort.signal })];
    await until(() => server.calls.length === 1);
    abort.abort(new Error('enough'));
    await expect(leaves).rejects.toThrow('enough');
    expect(server.calls[0].signal.aborted).toBe(false);
    go();
    expect(await stays).toBe('of a');
  });
  test('when all readers are cancelled, so is the request', async () => {
    await serve(hang);
    const abort = new AbortController();
    const stream = open('b');
    const leaves = get('a', { signal: abort.signal });
    const closes = stream.next();
    await until(() => server.calls.length === 1);
    await stream.close();
    expect(await closes).toBeUndefined();
    expect(server.calls[0].signal.aborted).toBe(false);
    abort.abort(new Error('enough'));
    await expect(leaves).rejects.toThrow('enough');
    await until(() => server.calls[0].signal.aborted);
  });
  test('a reader that was cancelled before the request was sent is not in it', async () => {
    await serve();
    const abort = new AbortController();
    const leaves = get('a', { signal: abort.signal });
    const stays = get('b');
    abort.abort(new Error('enough'));
    await expect(leaves).rejects.toThrow('enough');
    expect(await stays).toBe('of b');
    expect(server.calls.map(keysOf)).toEqual([['b']]);
    await expect(get('a', { signal: abort.signal })).rejects.toThrow('enough');
  });
});

describe('reads of many keys', () => {
  const ranges = unionRanges(
    Array.from({ length: 300 }, (_, i) => pointRange(utf8(i % 10 === 9 ? `x${i}` : key(i)))),
  );
  test.each([false, true])(
    'are split into requests of about 16 keys, with rows in order (reversed: %s)',
    async (reversed) => {
      await serve();
      const rows = await collectRows(under.reads.open({ table: 't', ranges, reversed }));
      const expected = Array.from({ length: 300 }, (_, i) => key(i)).filter((_, i) => i % 10 !== 9);
      expect(rows.map((row) => Buffer.from(row.key).toString())).toEqual(
        reversed ? expected.reverse() : expected,
      );
      expect(server.calls).toHaveLength(19);
      expect(Math.max(...server.calls.map((call) => keysOf(call).length))).toBe(16);
    },
  );
  test('several requests are in flight, and all are cancelled by close', async () => {
    await serve(hang);
    const stream = under.reads.open({ table: 't', ranges, reversed: false });
    const next = stream.next();
    await until(() => server.calls.length === 8);
    await stream.close();
    await until(() => server.calls.every(({ signal }) => signal.aborted));
    expect(await next).toBeUndefined();
    expect(server.calls).toHaveLength(8);
  });
  test('an error of one request rejects the read', async () => {
    await serve(async (call) => {
      if (call.index === 5) throw new StatusError(status.INVALID_ARGUMENT);
      await sendRows(call);
    });
    await expect(
      collectRows(under.reads.open({ table: 't', ranges, reversed: false })),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
  test('with a limit there is one request: the server counts', async () => {
    await serve(async (call) => {
      for (const message of messagesOf(
        call.plan.ranges.slice(0, call.plan.limit).map(({ start }) => rowOf(start)),
      ))
        await call.send(message);
    });
    expect(
      await collectRows(under.reads.open({ table: 't', ranges, reversed: false, limit: 20 })),
    ).toHaveLength(20);
    expect(server.calls).toHaveLength(1);
  });
});
