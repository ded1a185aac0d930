import type { RowsmithError } from '../../../../src/index.js';
import type { BulkProgress } from '../../../../src/entities/repository/index.js';
import { Reading, upTo } from '../support/entities.js';
import { openWatched, type Watched } from '../support/watched.js';

let watched: Watched;
const readings = () => watched.db.repository(Reading);
const reading = (n: number): Reading =>
  readings().create({ tenant: 't', device: 'd', n, value: n });
const keyOf = (n: number) => ({ tenant: 't', device: 'd', n });
const turn = () => new Promise(setImmediate);

beforeEach(async () => {
  watched = await openWatched([Reading]);
});
afterEach(() => watched.db.close());

function* generated(count: number): Generator<Reading> {
  for (let n = 0; n < count; n++) yield reading(n);
}

async function* awaited(count: number): AsyncGenerator<Reading> {
  for (let n = 0; n < count; n++) {
    if (n % 1000 === 0) await turn();
    yield reading(n);
  }
}

test.each([
  ['an array', () => upTo(10_000).map(reading)],
  ['a generator', () => generated(10_000)],
  ['an async generator', () => awaited(10_000)],
])('writes and deletes 10,000 rows from %s', async (_name, source) => {
  const reported: BulkProgress[] = [];
  expect(
    await readings().saveMany(source(), { onProgress: (progress) => reported.push(progress) }),
  ).toEqual({ written: 10_000, failed: 0, failures: [] });
  expect(reported.at(-1)).toEqual({ written: 10_000, failed: 0 });
  expect(reported).toHaveLength(watched.seen.batches.length);
  expect(reported.every(({ written }, i) => i === 0 || written > reported[i - 1].written)).toBe(
    true,
  );
  expect(Math.max(...watched.seen.batches)).toBeLessThanOrEqual(4096);
  expect(watched.seen.maxWriting).toBeLessThanOrEqual(4);
  expect(await readings().scanAll().count()).toBe(10_000);
  expect(await readings().deleteMany(readings().scanAll().keysOnly())).toEqual({
    written: 10_000,
    failed: 0,
    failures: [],
  });
  expect(await readings().scanAll().count()).toBe(0);
});

test('an iterator with steps that are not promises is accepted', async () => {
  const { signal } = new AbortController();
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => steps.next(),
      return: () => steps.return(undefined),
    }),
  };
  const steps = generated(10);
  expect(
    await readings().saveMany(source as unknown as AsyncIterable<Reading>, { signal }),
  ).toEqual({ written: 10, failed: 0, failures: [] });
});

test('an empty input writes nothing', async () => {
  expect(await readings().saveMany([])).toEqual({ written: 0, failed: 0, failures: [] });
  expect(await readings().deleteMany(awaited(0))).toEqual({ written: 0, failed: 0, failures: [] });
  expect(watched.seen.batches).toEqual([]);
});

test('each failure is reported with its index and error, the other rows are written', async () => {
  const items: unknown[] = upTo(20).map(reading);
  items[3] = { ...keyOf(3), value: 3 };
  items[7] = Object.assign(reading(7), { value: 'seven' });
  items[8] = Object.assign(reading(8), { n: -1 });
  items[11] = Object.assign(reading(11), { value: undefined });
  items[15] = Object.assign(reading(15), { raw: new Uint8Array(100 * 1024 * 1024 + 1) });
  items[19] = null;
  const { written, failures } = await readings().saveMany(items as Reading[], { batchRows: 3 });
  expect(written).toBe(14);
  expect(failures.map(({ index, error }) => [index, error.code])).toEqual([
    [3, 'INVALID_ARGUMENT'],
    [7, 'INVALID_VALUE'],
    [8, 'INVALID_KEY'],
    [11, 'EMPTY_ROW'],
    [15, 'LIMIT_EXCEEDED'],
    [19, 'INVALID_ARGUMENT'],
  ]);
  for (const { index, item } of failures) expect(item).toBe(items[index]);
  expect((await readings().scanAll().all()).map(({ n }) => n)).toEqual(
    upTo(20).filter((n) => ![3, 7, 8, 11, 15, 19].includes(n)),
  );
});

test('deletions fail one by one', async () => {
  await readings().saveMany(upTo(5).map(reading));
  const { written, failures } = await readings().deleteMany([
    keyOf(0),
    { tenant: 't' },
    null,
    'key',
    keyOf(1),
    keyOf(99),
  ] as never[]);
  expect({ written, failed: failures.map(({ index, error }) => [index, error.code]) }).toEqual({
    written: 3,
    failed: [
      [1, 'INVALID_KEY'],
      [2, 'INVALID_KEY'],
      [3, 'INVALID_KEY'],
    ],
  });
  expect(await readings().scanAll().count()).toBe(3);
});

test('of several rows with one key the last one wins', async () => {
  const { written } = await readings().saveMany(
    upTo(1000).map((i) => Object.assign(reading(1), { value: i })),
    { batchRows: 7, inFlight: 3 },
  );
  expect(written).toBe(1000);
  expect(await readings().get(keyOf(1))).toMatchObject({ value: 999 });
});

test.each([
  ['a generator', generated],
  ['an async generator', awaited],
])('%s is not read ahead of what is under way', async (_name, source) => {
  let taken = 0;
  function* counting(): Generator<Reading> {
    for (const item of source(100) as Iterable<Reading>) yield (taken++, item);
  }
  async function* countingAsync(): AsyncGenerator<Reading> {
    for await (const item of source(100)) yield (taken++, item);
  }
  const releases: (() => void)[] = [];
  watched.seen.pause = () => new Promise((resolve) => void releases.push(resolve));
  const done = readings().saveMany(source === generated ? counting() : countingAsync(), {
    batchRows: 10,
    inFlight: 3,
  });
  for (let i = 0; i < 20; i++) await turn();
  expect({ taken, writing: watched.seen.writing }).toEqual({ taken: 30, writing: 3 });
  releases.shift()?.();
  for (let i = 0; i < 20; i++) await turn();
  expect({ taken, writing: watched.seen.writing }).toEqual({ taken: 40, writing: 3 });
  watched.seen.pause = () => Promise.resolve();
  for (const release of releases) release();
  expect(await done).toEqual({ written: 100, failed: 0, failures: [] });
  expect(watched.seen.maxWriting).toBe(3);
});

describe('a source that throws', () => {
  const stop = new Error('source');
  function* failing(): Generator<Reading> {
    yield* generated(25);
    throw stop;
  }
  async function* failingAsync(): AsyncGenerator<Reading> {
    yield* awaited(25);
    throw stop;
  }

  test.each([
    ['a generator', failing],
    ['an async generator', failingAsync],
  ])('%s: the call rejects with its error once nothing is under way', async (_name, source) => {
    watched.seen.pause = turn;
    await expect(readings().saveMany(source(), { batchRows: 10 })).rejects.toBe(stop);
    expect(watched.seen.writing).toBe(0);
    expect(await readings().scanAll().count()).toBe(20);
  });
});

describe('aborting', () => {
  test('before: nothing is read or written, and the source is closed', async () => {
    let returned = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ value: reading(1), done: false }),
        return: () =>
          Promise.resolve({ value: undefined, done: true as const }).finally(() => {
            returned = true;
          }),
      }),
    };
    const reason = new Error('no');
    await expect(
      readings().saveMany(source as AsyncIterable<Reading>, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    await turn();
    expect(returned).toBe(true);
    await expect(
      readings().saveMany([reading(1)], { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    await expect(readings().saveMany([], { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(watched.seen.batches).toEqual([]);
  });

  test('during: waits for what was sent and sends no more', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const source = function* (): Generator<Reading> {
      for (const item of generated(1000)) {
        if (item.n === 55) abort.abort(reason);
        yield item;
      }
    };
    await expect(
      readings().saveMany(source(), { batchRows: 10, signal: abort.signal }),
    ).rejects.toBe(reason);
    expect(watched.seen.writing).toBe(0);
    expect(await readings().scanAll().count()).toBe(50);
  });

  test('while the source is pending', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const source = async function* (): AsyncGenerator<Reading> {
      yield reading(1);
      await new Promise(() => undefined);
    };
    const saved = readings().saveMany(source(), { signal: abort.signal });
    await turn();
    abort.abort(reason);
    await expect(saved).rejects.toBe(reason);
  });

  test('after: has no effect', async () => {
    const abort = new AbortController();
    await readings().saveMany(generated(10), { signal: abort.signal });
    abort.abort();
    expect(await readings().scanAll().count()).toBe(10);
  });
});

test('a progress function that throws ends the call, and no write is left in flight', async () => {
  const stop = new Error('progress');
  await expect(
    readings().saveMany(generated(1000), {
      batchRows: 10,
      onProgress: () => {
        throw stop;
      },
    }),
  ).rejects.toBe(stop);
  expect(watched.seen.writing).toBe(0);
});

test('closing the database ends the call', async () => {
  const saved = readings()
    .saveMany(awaited(5000), { batchRows: 10 })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  await turn();
  await watched.db.close();
  expect(await saved).toMatchObject({ code: 'DATABASE_CLOSED' });
});

test.each([
  [{ batchRows: 0 }],
  [{ batchRows: 1.5 }],
  [{ batchRows: 100_001 }],
  [{ batchRows: '10' }],
  [{ inFlight: 0 }],
  [{ inFlight: 1025 }],
  [{ inFlight: NaN }],
])('%j is rejected', async (options) => {
  await expect(readings().saveMany([reading(1)], options as object)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: Object.keys(options)[0] },
  });
});

test.each([[null], [undefined], ['text'], [5], [{}]])('%j is not a valid input', async (source) => {
  await expect(readings().saveMany(source as never)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'items' },
  });
  await expect(readings().deleteMany(source as never)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

test('rows with large values are sent in small batches', async () => {
  const raw = new Uint8Array(1 << 20);
  const { written } = await readings().saveMany(
    upTo(20).map((n) => Object.assign(reading(n), { raw })),
  );
  expect(written).toBe(20);
  expect(Math.max(...watched.seen.batches)).toBeLessThanOrEqual(4);
});

test('errors of failed items are RowsmithErrors', async () => {
  const { failures } = await readings().saveMany([Object.assign(reading(1), { tenant: '\ud800' })]);
  expect((failures[0].error satisfies RowsmithError).details).toMatchObject({
    entity: 'Reading',
    property: 'tenant',
  });
});
