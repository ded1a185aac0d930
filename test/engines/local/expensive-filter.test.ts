/** Filters that copy cells or take long on one row: limits, aborts, and writes meanwhile. */
import { everyKey } from '../../../src/bytes/index.js';
import type { RowsmithError } from '../../../src/errors.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Engine, type Filter } from '../../../src/store/index.js';
import { set, utf8 } from '../conformance.js';

const pass: Filter = { kind: 'passAll' };
const sink: Filter = { kind: 'sink' };
const doubled: Filter = { kind: 'interleave', filters: [pass, pass] };
const chain = (...filters: readonly Filter[]): Filter => ({ kind: 'chain', filters });
const repeated = (count: number, filter: Filter): Filter =>
  chain(...new Array<Filter>(count).fill(filter));
/** Leaves all cells, and takes about 20 ms for 20,000 of them. */
const slow = repeated(20, { kind: 'valueRange' });

let engine: Engine;
beforeAll(async () => {
  engine = await openMemoryEngine();
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await engine.createTable({ name: 'wide', families: new Map([['a', {}]]) });
  await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'v')] });
  const mutations = Array.from({ length: 20_000 }, (_, i) => set('a', `q${i + 10_000}`, 'v'));
  await engine.mutateRow('wide', { key: utf8('k'), mutations });
  await engine.mutateRow('wide', { key: utf8('l'), mutations: [set('a', 'q', 'v')] });
});
afterAll(() => engine.close());

const read = (table: string, filter: Filter, signal?: AbortSignal) =>
  engine.readRows({ table, ranges: [everyKey], reversed: false, filter }, { signal });
const rejected = async (call: Promise<unknown>): Promise<RowsmithError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason as RowsmithError,
  );
  expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  return error!;
};
const limit = { property: 'filter', fix: expect.stringContaining('interleave') as string };

test('a filter makes at most 1,000,000 cells of a row', async () => {
  const rows = await collectRows(read('t', repeated(10, doubled)));
  expect(rows[0].cells).toHaveLength(1024);
  for (const filter of [
    repeated(26, doubled),
    repeated(21, { kind: 'interleave', filters: [pass, sink, pass] }),
    repeated(26, { kind: 'interleave', filters: [sink, doubled] }),
  ]) {
    const error = await rejected(collectRows(read('t', filter)));
    expect(error.details).toMatchObject(limit);
  }
}, 20_000);

test('copies of large values are limited by their bytes', async () => {
  const local = await openMemoryEngine();
  await local.createTable({ name: 't', families: new Map([['a', {}]]) });
  const value = 'v'.repeat(1_000_000);
  await local.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', value)] });
  const plan = { table: 't', ranges: [everyKey], reversed: false, filter: repeated(10, doubled) };
  const error = await rejected(collectRows(local.readRows(plan)));
  expect(error.details.problem).toContain('bytes of values');
  await local.close();
});

/** The longest time in which the event loop did not turn. */
function watchLoop(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  return () => {
    clearInterval(timer);
    return Math.max(longest, performance.now() - last);
  };
}

test('an expensive filter on a wide row lets the event loop turn, and can be aborted', async () => {
  const filter = repeated(400, slow);
  const controller = new AbortController();
  const reason = new Error('enough');
  const blocked = watchLoop();
  const started = performance.now();
  setTimeout(() => controller.abort(reason), 50);
  await expect(collectRows(read('wide', filter, controller.signal))).rejects.toBe(reason);
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(blocked()).toBeLessThan(3000);
});

test('a row that was interrupted is returned with the rows after it', async () => {
  const filter = repeated(10, slow);
  const blocked = watchLoop();
  const rows = await collectRows(read('wide', filter));
  expect(blocked()).toBeLessThan(3000);
  expect(rows.map(({ cells }) => cells.length)).toEqual([20_000, 1]);
  const plan = { table: 'wide', ranges: [everyKey], reversed: true, limit: 2, filter };
  const reversed = await collectRows(engine.readRows(plan, { pageRows: 1 }));
  expect(reversed.map(({ cells }) => cells.length)).toEqual([1, 20_000]);
});

test('large values that are removed while a row is filtered do not damage it', async () => {
  const local = await openMemoryEngine();
  await local.createTable({ name: 't', families: new Map([['a', {}]]) });
  const large = 'v'.repeat(100_000);
  const mutations = Array.from({ length: 2_000 }, (_, i) => set('a', `q${i + 10_000}`, 'v'));
  for (let i = 0; i < 20; i++) mutations.push(set('a', `z${i + 10}`, large));
  await local.mutateRow('t', { key: utf8('k'), mutations });
  const filter = repeated(2000, { kind: 'valueRange', end: { value: utf8('w'), inclusive: true } });
  const plan = { table: 't', ranges: [everyKey], reversed: false, filter };
  const reading = collectRows(local.readRows(plan));
  await new Promise((resolve) => setTimeout(resolve, 40));
  const family = { kind: 'deleteFromFamily', family: 'a' } as const;
  await local.mutateRow('t', { key: utf8('k'), mutations: [family, set('a', 'q', 'new')] });
  const rows = await reading;
  expect(rows[0].cells).toHaveLength(1);
  await local.close();
}, 20_000);

test('a predicate may not visit too many cells within a commit', async () => {
  const check = (predicate: Filter) =>
    engine.checkAndMutateRow('wide', { key: utf8('k'), predicate, onTrue: [set('a', 'q', 'v')] });
  const step: Filter = { kind: 'valueRange' };
  await expect(check(repeated(10, step))).resolves.toBe(true);
  const error = await rejected(check(repeated(4000, step)));
  expect(error.details).toMatchObject({ property: 'predicate' });
}, 20_000);
