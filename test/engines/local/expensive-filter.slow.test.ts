/** Filters that copy cells or take long on one row: limits, aborts, and writes meanwhile. */
import { everyKey, pointRange, type RowsmithError } from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Engine, type Filter, type Row } from '../../../src/data/store/index.js';
import { processorMs } from '../../support/processor-time.js';
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
});

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

/** Counts the turns of the event loop until the result is called. */
function countTurns(): () => number {
  let turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return turns;
  };
}

test('an expensive filter on a wide row lets the event loop turn, and can be aborted', async () => {
  const filter = repeated(400, slow);
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 50);
  // At once, the read would end with its rows before the abort.
  await expect(collectRows(read('wide', filter, controller.signal))).rejects.toBe(reason);
});

test('a row that was interrupted is returned with the rows after it', async () => {
  const filter = repeated(10, slow);
  const turns = countTurns();
  const rows = await collectRows(read('wide', filter));
  expect(turns()).toBeGreaterThan(1);
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
});

describe('regular expressions', () => {
  const value = Buffer.alloc(100 << 20, 'v');

  beforeAll(async () => {
    await engine.createTable({ name: 'values', families: new Map([['a', {}]]) });
    const cell = { kind: 'setCell', family: 'a', timestamp: 1000 } as const;
    const put = (key: string, qualifier: Uint8Array, content: Uint8Array) =>
      engine.mutateRow('values', {
        key: utf8(key),
        mutations: [{ ...cell, qualifier, value: content }],
      });
    await put('large', utf8('q'), value);
    await put('long'.repeat(1000), Buffer.alloc(16_000, 'v'), utf8('v'));
  });

  /** Reads until the signal aborts, which a read at once would not notice. */
  async function abortedRead(key: string, filter: Filter): Promise<void> {
    const controller = new AbortController();
    const reason = new Error('enough');
    const ranges = [pointRange(utf8(key))];
    // Compiled before, which takes up to 0.2 s.
    await collectRows(engine.readRows({ table: 'values', ranges: [], reversed: false, filter }));
    setTimeout(() => controller.abort(reason), 50);
    const { signal } = controller;
    const plan = { table: 'values', ranges, reversed: false, filter };
    await expect(collectRows(engine.readRows(plan, { signal }))).rejects.toBe(reason);
  }

  test('a value of 100 MiB is matched in steps', async () => {
    const plan = { table: 'values', ranges: [pointRange(utf8('large'))], reversed: false };
    const filter: Filter = { kind: 'valueRegex', pattern: utf8('.*[^v].*') };
    const turns = countTurns();
    expect(await collectRows(engine.readRows({ ...plan, filter }))).toEqual([]);
    // Measured: 80 turns of at most 100 ms, most of it to load the value. At once: 1 turn of 0.9 s.
    expect(turns()).toBeGreaterThan(10);
  });

  test.each(['valueRegex', 'qualifierRegex', 'rowKeyRegex'] as const)(
    'a pattern of 60,000 instructions is matched in steps: %s',
    async (kind) => {
      let text = '((v|w)?){1000}'.repeat(12) + 'x';
      if (kind === 'rowKeyRegex') text = text.replace(/v/g, '.');
      const key = kind === 'valueRegex' ? 'large' : 'long'.repeat(1000);
      // At once: a minute and more.
      await abortedRead(key, { kind, pattern: utf8(text) });
    },
  );

  test('classes of too many ranges are rejected', async () => {
    const pattern = utf8('(?i:[\\pL\\pN]?){1000}'.repeat(4));
    const error = await read('t', { kind: 'valueRegex', pattern })
      .next()
      .catch((reason: unknown) => reason as RowsmithError);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

test('thousands of qualifiers are looked up in a wide row, not compared one by one', async () => {
  const qualifiers = Array.from({ length: 6000 }, (_, i) => utf8(`q${i + 10_000}x`));
  qualifiers.push(utf8('q10777'), utf8('q29999'));
  for (const filters of [[], [{ kind: 'valueRange' }]] as const)
    for (const order of [qualifiers, [...qualifiers].reverse()]) {
      const columns: Filter = { kind: 'columns', columns: [{ family: 'a', qualifiers: order }] };
      let rows: readonly Row[] = [];
      const ms = await processorMs(async () => {
        rows = await collectRows(read('wide', chain(...filters, columns)));
      });
      // One by one: 60 s for a row of 1,000,000 cells, where this takes 0.1 s.
      expect(ms).toBeLessThan(750);
      expect(rows[0].cells.map(({ qualifier }) => Buffer.from(qualifier).toString())).toEqual([
        'q10777',
        'q29999',
      ]);
    }
});
