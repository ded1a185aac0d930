import { Reading, Spread, upTo } from '../support/entities.js';
import { openWatched, type Watched } from '../support/watched.js';

let watched: Watched;
const key = { tenant: 't', device: 'd', n: 1 };
const readings = () => watched.db.repository(Reading);
const spread = () => watched.db.repository(Spread);
const reason = new Error('aborted');

beforeEach(async () => {
  watched = await openWatched([Reading, Spread]);
  await readings().saveMany(
    upTo(600).map((n) => readings().create({ tenant: 't', device: 'd', n, value: n })),
  );
  await spread().saveMany(
    upTo(600).map((n) => spread().create({ tenant: 't', device: `d${n}`, n, value: n })),
  );
});
afterEach(() => watched.db.close());

const calls: [string, (signal: AbortSignal) => Promise<unknown>][] = [
  ['get', (signal) => readings().get(key, { signal })],
  ['getMany', (signal) => readings().getMany([key], { signal })],
  ['getMany of nothing', (signal) => readings().getMany([], { signal })],
  ['exists', (signal) => readings().exists(key, { signal })],
  ['history', (signal) => readings().history(key, 'value', { signal })],
  ['first', (signal) => readings().scanAll().first({ signal })],
  ['all', (signal) => readings().scanAll().all({ signal })],
  ['all of shards', (signal) => spread().scanAll().all({ signal })],
  ['count', (signal) => spread().scanAll().count({ signal })],
  ['page', (signal) => readings().scanAll().page({ size: 500, signal })],
  ['page of shards', (signal) => spread().scanAll().page({ size: 500, signal })],
  [
    'pages',
    async (signal) => {
      for await (const page of readings().scanAll().pages({ signal })) void page;
    },
  ],
  [
    'for await',
    async (signal) => {
      for await (const row of readings().scanAll().signal(signal)) void row;
    },
  ],
  ['all under a signal', (signal) => readings().scanAll().signal(signal).all()],
  ['save', (signal) => readings().save(readings().create({ ...key, value: -1 }), { signal })],
  [
    'save if',
    (signal) =>
      readings().save(readings().create({ ...key, value: -1 }), { signal, if: { exists: true } }),
  ],
  [
    'insert',
    (signal) => readings().insert(readings().create({ ...key, n: 700, value: -1 }), { signal }),
  ],
  ['patch', (signal) => readings().patch(key, { value: -1 }, { signal })],
  ['delete', (signal) => readings().delete(key, { signal })],
  ['increment', (signal) => readings().increment(key, 'hits', 1n, { signal })],
  ['increment of an aggregate', (signal) => readings().increment(key, 'total', 1n, { signal })],
  ['append', (signal) => readings().append(key, { note: 'x' }, { signal })],
  [
    'saveMany',
    (signal) => readings().saveMany([readings().create({ ...key, value: -1 })], { signal }),
  ],
  ['deleteMany', (signal) => readings().deleteMany([key], { signal })],
  ['prefix().delete()', (signal) => readings().prefix({ tenant: 't' }).delete({ signal })],
];

describe.each(calls)('%s', (_name, call) => {
  test('aborted before the call: rejects with the reason and changes nothing', async () => {
    await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await readings().get(key)).toEqual({ ...key, value: 1 });
    expect(await readings().scanAll().count()).toBe(600);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('aborted right after the call: rejects with the reason', async () => {
    if (_name === 'getMany of nothing') return;
    const abort = new AbortController();
    const outcome = call(abort.signal);
    abort.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('hands its signal to every read', async () => {
    const { signal } = new AbortController();
    watched.seen.signals.length = 0;
    await call(signal);
    expect(watched.seen.signals).toEqual(watched.seen.signals.map(() => signal));
    if (_name === 'prefix().delete()') expect(watched.seen.signals).toHaveLength(1);
  });

  test('aborted after the call settled: has no effect', async () => {
    const abort = new AbortController();
    await call(abort.signal);
    abort.abort(reason);
    await new Promise(setImmediate);
    expect(watched.seen.openStreams).toBe(0);
  });
});

test('query.delete() aborted while storage does not answer: settles, and its scan is closed', async () => {
  const abort = new AbortController();
  const paused = new Promise<void>((resolve) => {
    watched.seen.pause = () => {
      resolve();
      return new Promise(() => undefined);
    };
  });
  const outcome = readings().prefix({ tenant: 't' }).delete({ signal: abort.signal });
  await paused;
  abort.abort(reason);
  await expect(outcome).rejects.toBe(reason);
  await new Promise(setImmediate);
  expect(watched.seen.openStreams).toBe(0);
});

describe.each([
  ['one range', () => readings().scanAll()],
  ['four shards', () => spread().scanAll()],
] as const)('a loop over %s', (_name, query) => {
  test('ends before the next row, even if it was already read', async () => {
    const abort = new AbortController();
    let rows = 0;
    await expect(
      (async () => {
        for await (const row of query().signal(abort.signal) as AsyncIterable<{ n: number }>)
          if (++rows === 5 && row.n >= 0) abort.abort(reason);
      })(),
    ).rejects.toBe(reason);
    expect(rows).toBe(5);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('of pages ends before the next page', async () => {
    const abort = new AbortController();
    let pages = 0;
    await expect(
      (async () => {
        for await (const page of query().pages({ signal: abort.signal }))
          if (++pages === 1 && page.length > 0) abort.abort(reason);
      })(),
    ).rejects.toBe(reason);
    expect(pages).toBe(1);
    expect(watched.seen.openStreams).toBe(0);
  });

  test('does not reject when it is left before the abort is noticed', async () => {
    const abort = new AbortController();
    for await (const row of query().signal(abort.signal) as AsyncIterable<{ n: number }>) {
      abort.abort(reason);
      if (row.n >= 0) break;
    }
    expect(watched.seen.openStreams).toBe(0);
  });
});
