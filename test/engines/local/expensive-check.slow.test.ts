/** Checks and reads of rows with so many cells that they take several turns of the event loop. */
import { pointRange } from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type Mutation,
  type RowCursor,
} from '../../../src/data/store/index.js';
import { processorMs } from '../../support/processor-time.js';
import { set, utf8 } from '../conformance.js';

/** Leaves all cells of a row; takes about `count` milliseconds for 20,000 of them. */
const steps = (count: number): Filter => ({
  kind: 'chain',
  filters: new Array<Filter>(count).fill({ kind: 'valueRange' }),
});
const key = utf8('k');
const cells = 20_000;
let engine: Engine;
beforeEach(async () => {
  engine = await openMemoryEngine();
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  await write(cells, 'v');
});
afterEach(() => engine.close());

/** Sets cells of the row, of the same size whatever the value. */
function write(count: number, value: string): Promise<void> {
  const mutations = Array.from({ length: count }, (_, i) => set('a', `q${i + 1_000_000}`, value));
  return engine.mutateRow('t', { key, mutations });
}

/** The value of a column, or undefined. */
async function valueOf(qualifier: string): Promise<string | undefined> {
  const ranges = [pointRange(key)];
  const rows = await collectRows(engine.readRows({ table: 't', ranges, reversed: false }));
  const cell = rows[0]?.cells.find((one) => Buffer.from(one.qualifier).equals(utf8(qualifier)));
  return cell === undefined ? undefined : Buffer.from(cell.value).toString();
}

/** Counts the turns of the event loop until the call settles. */
async function turnsOf(call: Promise<unknown>): Promise<number> {
  let turns = 0;
  let settled = false;
  void call.finally(() => (settled = true)).catch(() => undefined);
  for (; !settled; turns++) await new Promise((resolve) => void setImmediate(resolve));
  return turns;
}

const check = (predicate: Filter, onTrue: readonly Mutation[], signal?: AbortSignal) =>
  engine.checkAndMutateRow(
    't',
    { key, predicate, onTrue, onFalse: [set('a', 'no', 'v')] },
    { signal },
  );

test('an expensive predicate lets the event loop turn', async () => {
  const call = check(steps(400), [set('a', 'yes', 'v')]);
  // Measured: 30 turns of 11 ms. Within the commit: 2 turns, one of 0.3 s.
  expect(await turnsOf(call)).toBeGreaterThan(10);
  expect(await call).toBe(true);
  expect([await valueOf('yes'), await valueOf('no')]).toEqual(['v', undefined]);
});

test('a predicate may visit any number of cells, and is ended by its signal', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 50);
  const call = check(steps(100_000), [set('a', 'yes', 'v')], controller.signal);
  await expect(call).rejects.toBe(reason);
  expect([await valueOf('yes'), await valueOf('no')]).toEqual([undefined, undefined]);
});

test('options of a check that are no options are rejected', async () => {
  for (const options of [null, 7, { signal: 'no' }])
    await expect(
      engine.checkAndMutateRow('t', { key, onTrue: [set('a', 'yes', 'v')] }, options as never),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(await valueOf('yes')).toBeUndefined();
});

test('an expensive predicate is evaluated again when its row was written meanwhile', async () => {
  const equals: Filter = { kind: 'valueEquals', value: utf8('old') };
  const isOld: Filter = { kind: 'chain', filters: [steps(100), equals] };
  await engine.mutateRow('t', { key, mutations: [set('a', 'state', 'old')] });
  const calls = Array.from({ length: 3 }, (_, i) => check(isOld, [set('a', 'state', `new-${i}`)]));
  // Only one of them may see the old state.
  expect((await Promise.all(calls)).filter((matched) => matched)).toHaveLength(1);
});

test('a row that is written all the time is checked ten times', async () => {
  let writing = true;
  const writer = (async () => {
    for (let i = 0; writing; i++) {
      await engine.mutateRow('t', { key, mutations: [set('a', 'other', `${i}`)] });
      await new Promise((resolve) => void setImmediate(resolve));
    }
  })();
  const call = check(steps(100), [set('a', 'yes', 'v')]);
  await expect(call).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { property: 'predicate' },
  });
  writing = false;
  await writer;
  expect(await valueOf('yes')).toBeUndefined();
  // A predicate that takes some milliseconds is evaluated within the commit.
  expect(await check({ kind: 'valueRange' }, [set('a', 'yes', 'v')])).toBe(true);
});

test('cheap checks of one turn share commits that are bounded in time', async () => {
  // Each takes about 5 ms.
  const calls = Array.from({ length: 100 }, (_, i) => check(steps(5), [set('a', `c${i}`, 'v')]));
  // Measured: 10 turns of 55 ms. In one commit: 1 turn of 0.5 s.
  expect(await turnsOf(Promise.all(calls))).toBeGreaterThan(4);
  expect(await valueOf('c99')).toBe('v');
});

describe('a row of 400,000 cells', () => {
  beforeEach(async () => {
    for (let start = 0; start < 400_000; start += 100_000) {
      const mutations = Array.from({ length: 100_000 }, (_, i) =>
        set('a', `q${i + start + 1_000_000}`, 'a'),
      );
      await engine.mutateRow('t', { key, mutations });
    }
  });

  const read = (pageRows = 10) =>
    engine.readRows(
      { table: 't', ranges: [pointRange(key)], reversed: false, filter: { kind: 'valueRange' } },
      { pageRows },
    );
  /** The values of the first and the last cell; undefined if the page has no row. */
  function endsOf(page: RowCursor): string | undefined {
    if (!page.nextRow()) return undefined;
    let ends = '';
    for (let i = 0; page.nextCell(); i++) {
      const value = String.fromCharCode(page.valueBytes[page.valueStart]);
      ends = i === 0 ? value : ends[0] + value;
    }
    return ends;
  }

  test('its cells are read in several turns', async () => {
    const turns = await turnsOf(collectRows(read()));
    expect(turns).toBeGreaterThan(4);
  });

  test('it is never seen partially written', async () => {
    const rows = read();
    let result: string | undefined;
    let interruptions = 0;
    for (let page = await rows.next(); page !== undefined; page = await rows.next()) {
      result = endsOf(page);
      if (result !== undefined) break;
      // Interrupted while its cells are read. The write replaces chunks in place.
      if (++interruptions > 1) continue;
      const last = `q${1_000_000 + 399_999}`;
      await engine.mutateRow('t', {
        key,
        mutations: [set('a', 'q1000000', 'b'), set('a', last, 'b')],
      });
    }
    await rows.close();
    expect(interruptions).toBeGreaterThan(0);
    expect(result).toBe('bb');
  });
});

/** How many times as much processor time a call takes for 10 times the size; the least of three. */
async function growth(size: number, call: (size: number, repeat: number) => Promise<unknown>) {
  const shortest = async (count: number): Promise<number> => {
    let least = Infinity;
    for (let repeat = 0; repeat < 3; repeat++) {
      least = Math.min(least, await processorMs(() => call(count, repeat)));
    }
    return least;
  };
  await shortest(size / 2);
  return (await shortest(10 * size)) / (await shortest(size));
}

test('new columns in a large row with a garbage collection rule take linear time', async () => {
  const gc = { kind: 'maxVersions', versions: 1 } as const;
  await engine.createTable({ name: 'gc', families: new Map([['a', { gc }]]) });
  const factor = await growth(1000, async (count, repeat) => {
    const row = utf8(`${count} ${repeat}`);
    for (const prefix of ['a', 'b']) {
      const mutations = Array.from({ length: count }, (_, i) =>
        set('a', `${prefix}${i + 1_000_000}`, 'v'),
      );
      await engine.mutateRow('gc', { key: row, mutations });
    }
  });
  // Measured: 12. When all cells of a chunk were visited for each column: 70, 13 s for 20,000.
  expect(factor).toBeLessThan(30);
});

test('many changes of one column with a garbage collection rule take linear time', async () => {
  const gc = { kind: 'maxVersions', versions: 100_000 } as const;
  await engine.createTable({ name: 'gc', families: new Map([['a', { gc }]]) });
  const factor = await growth(1000, async (count, repeat) => {
    const row = utf8(`${count} ${repeat}`);
    for (const second of [1, 2]) {
      const mutations = Array.from({ length: count }, (_, i) => ({
        ...(set('a', 'q', 'v') as Mutation & { kind: 'setCell' }),
        timestamp: second * 1e9 + i * 1000,
      }));
      await engine.mutateRow('gc', { key: row, mutations });
    }
  });
  // Measured: 12. When the column was pruned for each change: 90.
  expect(factor).toBeLessThan(30);
});

test('a column keeps the newest of many versions, in all their chunks', async () => {
  await engine.createTable({
    name: 'versions',
    families: new Map([['a', { gc: { kind: 'maxVersions', versions: 3000 } }]]),
  });
  const at = (i: number, qualifier: string): Mutation => ({
    ...(set('a', qualifier, 'v') as Mutation & { kind: 'setCell' }),
    timestamp: 1000 * i,
  });
  const all = ['p', 'q', 'r'].flatMap((name) =>
    Array.from({ length: 5000 }, (_, i) => at(i, name)),
  );
  await engine.mutateRow('versions', { key, mutations: all });
  await engine.mutateRow('versions', { key, mutations: [at(5000, 'q')] });
  const remove = { kind: 'deleteFromColumn', family: 'a', qualifier: utf8('q') } as const;
  await engine.mutateRow('versions', {
    key,
    mutations: [{ ...remove, start: 2500e3, end: 2600e3 }],
  });
  const plan = { table: 'versions', ranges: [pointRange(key)], reversed: false };
  const [{ cells: left }] = await collectRows(engine.readRows(plan));
  const times = (name: string): number[] =>
    left
      .filter(({ qualifier }) => Buffer.from(qualifier).equals(utf8(name)))
      .map(({ timestamp }) => Number(timestamp) / 1000);
  const down = (newest: number, oldest: number): number[] =>
    Array.from({ length: newest - oldest + 1 }, (_, i) => newest - i);
  expect(times('p')).toEqual(down(4999, 2000));
  expect(times('q')).toEqual([...down(5000, 2600), ...down(2499, 2001)]);
  expect(times('r')).toEqual(down(4999, 2000));
});
