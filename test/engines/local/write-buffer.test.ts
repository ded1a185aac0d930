/** The write buffer in front of blocks, compared with a sorted list, with checkpoints in between. */
import { BlockStore } from '../../../src/engines/local/kv/block/block-store.js';
import { LoggedStore } from '../../../src/engines/local/kv/log/logged-store.js';
import { type MemoryStore, openMemoryStore } from '../../../src/engines/local/kv/memory-store.js';
import type {
  OrderedStore,
  PairCursor,
  PairReader,
} from '../../../src/engines/local/kv/ordered-store.js';
import fc from '../../support/fast-check.js';

const runs = Number(process.env.RUNS ?? 20);

/** Steps are short, so that commits and checkpoints take turns. */
const limits = {
  checkpoint: 2000,
  idle: 1000,
  buffer: 1e9,
  minStep: 300,
  maxStep: 600,
  direct: 1e9,
};
const maxBlockBytes = 300;

/** Keys of rows, of metadata records and of overflow values. */
function keyOf(number: number): Uint8Array {
  let prefix = [0, 0, 0, 5];
  if (number % 7 === 0) prefix = [0, 0, 0, 0];
  else if (number % 11 === 0) prefix = [128, 0, 0, 5];
  return Uint8Array.from([...prefix, 97 + (number % 5), number >> 8, number & 0xff]);
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

interface Opened {
  readonly blocks: MemoryStore;
  readonly store: LoggedStore;
}

async function openStore(changed: Partial<typeof limits> = {}): Promise<Opened> {
  const blocks = await openMemoryStore();
  const base = new BlockStore(blocks, maxBlockBytes);
  return { blocks, store: new LoggedStore(base, undefined, undefined, { ...limits, ...changed }) };
}

function pairsOf(cursor: PairCursor): string[] {
  const pairs: string[] = [];
  while (cursor.next()) {
    const { keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd } = cursor;
    pairs.push(
      `${hex(keyBytes.slice(keyStart, keyEnd))} ${hex(valueBytes.slice(valueStart, valueEnd))}`,
    );
  }
  return pairs;
}

function expectContent(store: PairReader, model: ReadonlyMap<string, string>): void {
  const expected = [...model].sort(([a], [b]) => (a < b ? -1 : 1)).map((pair) => pair.join(' '));
  const sections = [
    [0, 0],
    [5, 0],
    [5, 128],
  ].map(([table, first]) => ({
    start: Uint8Array.of(first, 0, 0, table, 97),
    end: Uint8Array.of(first, 0, 0, table, 123),
  }));
  for (const { start, end } of sections) {
    const inside = expected.filter((pair) => pair >= hex(start) && pair < hex(end));
    expect(pairsOf(store.scan(start, end, false))).toEqual(inside);
    expect(pairsOf(store.scan(start, end, true))).toEqual(inside.reverse());
  }
}

/** Reads a scan that seeks after each pair, and compares what it returns with a sorted list. */
function expectSeeks(
  store: PairReader,
  keys: Iterable<string>,
  seeks: readonly number[],
  reversed: boolean,
  afterPair: () => void = () => {},
): void {
  const [start, end] = [Uint8Array.of(0, 0, 0, 5, 97), Uint8Array.of(0, 0, 0, 5, 123)];
  let left = [...keys].filter((key) => key >= hex(start) && key < hex(end)).sort();
  if (reversed) left.reverse();
  const cursor = store.scan(start, end, reversed);
  for (let i = 0; left.length > 0; i++) {
    expect(cursor.next()).toBe(true);
    expect(hex(cursor.keyBytes.slice(cursor.keyStart, cursor.keyEnd))).toBe(left.shift());
    afterPair();
    // To a later key, or right after it.
    const seek = seeks[i % seeks.length] % 12;
    const target = left.at(seek) === undefined ? undefined : left[seek] + '00'.repeat(i % 2);
    if (target === undefined) continue;
    cursor.seek!(Uint8Array.from(Buffer.from(target, 'hex')));
    left = left.filter((key) => (reversed ? key < target : key >= target));
  }
  expect(cursor.next()).toBe(false);
  cursor.release();
}

const write = fc.record({
  key: fc.nat(120),
  bytes: fc.nat(90),
  removed: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});
type Write = { readonly key: number; readonly bytes: number; readonly removed: boolean };

function apply(store: OrderedStore, model: Map<string, string>, writes: readonly Write[]): void {
  store.commit((writer) => {
    for (const { key, bytes, removed } of writes) {
      const value = new Uint8Array(bytes).fill(key);
      // As the row layer does: a row is read before it is written.
      expect(pairsOf(store.lookup(keyOf(key)))).toEqual(
        model.has(hex(keyOf(key))) ? [`${hex(keyOf(key))} ${model.get(hex(keyOf(key)))}`] : [],
      );
      if (removed) {
        writer.remove(keyOf(key));
        model.delete(hex(keyOf(key)));
      } else {
        writer.put(keyOf(key), value);
        model.set(hex(keyOf(key)), hex(value));
      }
    }
    expectContent(store, model);
  });
}

test.each([
  ['with checkpoints', {}],
  ['whose commits go to blocks', { direct: 1 }],
  ['that is full', { buffer: 1, checkpoint: 1e9, idle: 1e9 }],
])('a buffer %s reads as a sorted map', async (_name, changed) => {
  const steps = fc.array(
    fc.record({ writes: fc.array(write, { maxLength: 40 }), turns: fc.nat(3) }),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (commits) => {
      const { blocks, store } = await openStore(changed);
      const model = new Map<string, string>();
      for (const { writes, turns } of commits) {
        apply(store, model, writes);
        expectContent(store, model);
        for (let i = 0; i < turns; i++) await turn();
        expectContent(store, model);
      }
      await store.flush();
      expectContent(store, model);
      expectContent(new BlockStore(blocks, maxBlockBytes), model);
      await store.close();
    }),
    { numRuns: runs },
  );
});

test('a scan that seeks skips pairs, before and after commits and checkpoints', async () => {
  const commits = fc.array(fc.array(write, { maxLength: 40 }), { minLength: 1, maxLength: 8 });
  const seeks = fc.array(fc.nat(11), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(commits, seeks, fc.boolean(), async (list, after, reversed) => {
      const { store } = await openStore();
      const model = new Map<string, string>();
      for (const writes of list) {
        apply(store, model, [...writes, { key: 7, bytes: 1, removed: false }]);
        expectSeeks(store, model.keys(), after, reversed);
        // Each of these commits makes the cursor seek again.
        expectSeeks(store, model.keys(), after, reversed, () =>
          store.commit((writer) => writer.put(keyOf(7), Uint8Array.of(7))),
        );
        store.commit((writer) => {
          writer.put(keyOf(1), Uint8Array.of(2));
          model.set(hex(keyOf(1)), '02');
          expectSeeks(store, model.keys(), after, reversed);
        });
        await turn();
        expectSeeks(store, model.keys(), after, reversed);
      }
      await store.close();
    }),
    { numRuns: runs },
  );
});

test('in memory a checkpoint begins when so much was written and is buffered', async () => {
  const checkpoint = 100_000;
  const { blocks, store } = await openStore({ checkpoint, idle: 1e9, minStep: 1e6, maxStep: 1e6 });
  const writeRow = async (key: number): Promise<void> => {
    store.commit((writer) => writer.put(keyOf(key), new Uint8Array(1000)));
    await turn();
  };
  const isInBlocks = (): boolean => [...blocks.tree.entries()].length > 0;
  // The same row: its old values are not buffered any more.
  for (let i = 0; i < 300; i++) await writeRow(1);
  expect(isInBlocks()).toBe(false);
  for (let i = 0; i < 150; i++) await writeRow(i * 77 + 1);
  await turn();
  expect(isInBlocks()).toBe(true);
  await store.flush();

  // A chunk of the buffer is larger than the bound, but little was written.
  const small = await openStore({ checkpoint: 50_000, idle: 1e9 });
  for (let i = 0; i < 40; i++) {
    small.store.commit((writer) => writer.put(keyOf(i * 77 + 1), new Uint8Array(1000)));
    await turn();
  }
  expect(small.store.arena.capacity).toBeGreaterThan(50_000);
  expect([...small.blocks.tree.entries()]).toEqual([]);
  for (const one of [store, small.store]) await one.close();
});

test('a commit that throws changes nothing', async () => {
  const { store } = await openStore();
  const model = new Map<string, string>();
  apply(store, model, [{ key: 1, bytes: 3, removed: false }]);
  expect(() =>
    store.commit((writer) => {
      writer.put(keyOf(1), Uint8Array.of(9));
      writer.put(keyOf(2), Uint8Array.of(9));
      throw new Error('no');
    }),
  ).toThrow('no');
  expectContent(store, model);
  apply(store, model, [{ key: 2, bytes: 3, removed: false }]);
});

test.each([false, true])(
  'an open scan sees commits and checkpoints to the rest of its range (reversed: %p)',
  async (reversed) => {
    const { store } = await openStore();
    const model = new Map<string, string>();
    const keys = Array.from({ length: 200 }, (_, at) => Uint8Array.of(0, 0, 0, 5, 97, at));
    store.commit((writer) => {
      for (const key of keys) writer.put(key, Uint8Array.of(1));
    });
    await store.flush();
    store.commit((writer) => {
      for (const key of keys) if (key[5] % 3 === 0) writer.put(key, Uint8Array.of(2));
    });
    const cursor = store.scan(keys[0], Uint8Array.of(0, 0, 0, 6), reversed);
    const seen: number[] = [];
    while (cursor.next()) {
      const at = cursor.keyBytes[cursor.keyEnd - 1];
      expect(cursor.valueBytes[cursor.valueStart]).toBe(at % 3 === 0 ? 2 : 1);
      seen.push(at);
      const next = reversed ? at - 1 : at + 1;
      if (at % 10 === 5) store.commit((writer) => writer.remove(keys[next]));
      if (at % 50 === 20) await store.flush();
    }
    expect(seen).toHaveLength(180);
    expect(model.size).toBe(0);
  },
);

test('a clone and its original change independently', async () => {
  const { blocks, store } = await openStore();
  const model = new Map<string, string>();
  const writes = Array.from({ length: 60 }, (_, key) => ({ key, bytes: 20, removed: false }));
  apply(store, model, writes.slice(0, 30));
  await turn();
  apply(store, model, writes.slice(20, 40));
  const copy = store.clone(new BlockStore(blocks.clone(), maxBlockBytes));
  const copied = new Map(model);
  for (let key = 0; key < 50; key += 2) {
    apply(store, model, [{ key, bytes: 7, removed: key % 3 === 0 }]);
    apply(copy, copied, [{ key: key + 1, bytes: 9, removed: false }]);
    await turn();
  }
  await store.flush();
  expectContent(copy, copied);
  expectContent(store, model);
});
