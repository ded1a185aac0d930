/** The store of buffers and tables, compared with a sorted list, with flushes and merges between. */
import { compareBytes, noBytes } from '../../../src/base/index.js';
import type { PairCursor } from '../../../src/engines/local/kv/ordered-store.js';
import {
  defaultLimits,
  type StoreLimits,
} from '../../../src/engines/local/kv/store/store-limits.js';
import { memoryStore, type TableStore } from '../../../src/engines/local/kv/store/table-store.js';
import fc from '../../support/fast-check.js';

const runs = Number(process.env.RUNS ?? 12);

/** Buffers, tables and levels are small: a commit fills a buffer, and some merge. */
const small: StoreLimits = {
  ...defaultLimits,
  buffer: 1,
  newest: 2,
  level: 3000,
  ratio: 2,
  table: 1500,
};
const medium: StoreLimits = { ...small, buffer: 70_000, newest: 3, table: 6000, level: 10_000 };

/** Keys of rows, of metadata records and of overflow values. */
function keyOf(number: number): Uint8Array {
  let prefix = [0, 0, 0, 5];
  if (number % 7 === 0) prefix = [0, 0, 0, 0];
  else if (number % 11 === 0) prefix = [128, 0, 0, 5];
  return Uint8Array.from([...prefix, 97 + (number % 5), number >> 8, number & 0xff]);
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A slow store that is obviously correct. */
class SortedList {
  #pairs: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];

  put(key: Uint8Array, value: Uint8Array): void {
    this.remove(key);
    this.#pairs.push({ key, value });
    this.#pairs.sort((a, b) => compareBytes(a.key, b.key));
  }

  remove(key: Uint8Array): void {
    this.#pairs = this.#pairs.filter((pair) => compareBytes(pair.key, key) !== 0);
  }

  removeRange(start: Uint8Array, end: Uint8Array): void {
    const isInside = (key: Uint8Array): boolean =>
      compareBytes(start, key) <= 0 && compareBytes(key, end) < 0;
    this.#pairs = this.#pairs.filter(({ key }) => !isInside(key));
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): string[] {
    const found = this.#pairs.filter(
      ({ key }) => compareBytes(start, key) <= 0 && compareBytes(key, end) < 0,
    );
    const texts = found.map(({ key, value }) => `${hex(key)}=${hex(value)}`);
    return reversed ? texts.reverse() : texts;
  }

  get(key: Uint8Array): string | undefined {
    const found = this.#pairs.find((pair) => compareBytes(pair.key, key) === 0);
    return found && hex(found.value);
  }

  copy(): SortedList {
    const copy = new SortedList();
    copy.#pairs = [...this.#pairs];
    return copy;
  }
}

const number = fc.nat(399);
const valueBytes = fc.oneof(
  { weight: 8, arbitrary: fc.nat(60) },
  { weight: 1, arbitrary: fc.constantFrom(0, 4080, 4096, 5000, 70_000) },
);
const write = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), number, valueBytes }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), number }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('range' as const), number, other: number }),
  },
);
const range = { number, other: number, reversed: fc.boolean() };
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      writes: fc.array(write, { minLength: 1, maxLength: 30 }),
      fails: fc.nat(9).map((n) => n === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get' as const), number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('scan' as const), ...range }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('seek' as const), ...range, to: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), ...range }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), count: fc.nat(20) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'compact' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'clone' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

function bounds(a: number, b: number): readonly [Uint8Array, Uint8Array] {
  const keys = [keyOf(a), keyOf(b)].sort(compareBytes);
  return [keys[0], keys[1]];
}

function pairOf(cursor: PairCursor): string {
  const key = cursor.keyBytes.subarray(cursor.keyStart, cursor.keyEnd);
  const value = cursor.valueBytes.subarray(cursor.valueStart, cursor.valueEnd);
  return `${hex(key)}=${hex(value)}`;
}

function allOf(cursor: PairCursor): string[] {
  const pairs: string[] = [];
  while (cursor.next()) pairs.push(pairOf(cursor));
  return pairs;
}

/** Applies steps to both. */
class Comparison {
  #expected = new SortedList();
  #values = 0;
  /** A cursor that is read while the pairs change, and where it is. */
  #cursor: PairCursor | undefined;
  #rest: { start: Uint8Array; end: Uint8Array; reversed: boolean } | undefined;
  #copy: { readonly store: TableStore; readonly expected: SortedList } | undefined;

  readonly #store: TableStore;

  constructor(store: TableStore) {
    this.#store = store;
  }

  async apply(current: Step): Promise<void> {
    switch (current.kind) {
      case 'commit':
        return this.#commit(current.writes, current.fails);
      case 'get': {
        const key = keyOf(current.number);
        const found = this.#store.get(key);
        expect(found && hex(found)).toBe(this.#expected.get(key));
        expect(allOf(this.#store.lookup(key))).toHaveLength(found === undefined ? 0 : 1);
        return;
      }
      case 'scan': {
        const [start, end] = bounds(current.number, current.other);
        const pairs = allOf(this.#store.scan(start, end, current.reversed));
        expect(pairs).toEqual(this.#expected.scan(start, end, current.reversed));
        return;
      }
      case 'seek':
        return this.#seek(current);
      case 'open': {
        const [start, end] = bounds(current.number, current.other);
        this.#cursor = this.#store.scan(start, end, current.reversed);
        this.#rest = { start, end, reversed: current.reversed };
        return;
      }
      case 'read':
        return this.#read(current.count);
      case 'turns':
        for (let i = 0; i < current.count; i++) await turn();
        return;
      case 'settle':
        return this.#store.settle();
      case 'compact':
        return this.#store.compact();
      case 'clone':
        this.checkCopy();
        this.#copy = { store: this.#store.clone(), expected: this.#expected.copy() };
    }
  }

  /** The copy has what the store had when it was made. */
  checkCopy(): void {
    const copy = this.#copy;
    if (copy === undefined) return;
    const end = Uint8Array.of(255, 255);
    expect(allOf(copy.store.scan(noBytes, end, false))).toEqual(
      copy.expected.scan(noBytes, end, false),
    );
  }

  #commit(writes: readonly Write[], fails: boolean): void {
    const after = this.#expected.copy();
    const work = (): void =>
      this.#store.commit((writer) => {
        for (const one of writes) {
          if (one.kind === 'range') {
            const [start, end] = bounds(one.number, one.other);
            writer.removeRange(start, end);
            after.removeRange(start, end);
            continue;
          }
          const key = keyOf(one.number);
          // Rows are read before they are written.
          const found = this.#store.get(key);
          expect(found && hex(found)).toBe(after.get(key));
          if (one.kind === 'remove') {
            writer.remove(key);
            after.remove(key);
            continue;
          }
          const value = new Uint8Array(one.valueBytes).fill(++this.#values);
          writer.put(key, value);
          after.put(key, value);
        }
        if (fails) throw new RangeError('the commit fails');
      });
    if (fails) expect(work).toThrow(RangeError);
    else {
      work();
      this.#expected = after;
    }
  }

  #seek({ number: a, other: b, to, reversed }: Extract<Step, { kind: 'seek' }>): void {
    const [start, end] = bounds(a, b);
    const key = keyOf(to);
    const cursor = this.#store.scan(start, end, reversed);
    const before: string[] = [];
    if (cursor.next()) before.push(pairOf(cursor));
    const current = before[0]?.split('=')[0];
    const order = current === undefined ? 0 : compareBytes(key, Buffer.from(current, 'hex'));
    // A cursor seeks only to keys after its pair, within its range.
    if (current === undefined || (reversed ? order >= 0 : order <= 0)) return;
    if (compareBytes(key, start) < 0 || compareBytes(key, end) >= 0) return;
    cursor.seek!(key);
    const expected = reversed
      ? this.#expected.scan(start, key, true)
      : this.#expected.scan(key, end, false);
    expect(allOf(cursor)).toEqual(expected);
  }

  #read(count: number): void {
    const rest = this.#rest;
    for (let i = 0; i < count && rest !== undefined && this.#cursor !== undefined; i++) {
      const [expected] = this.#expected.scan(rest.start, rest.end, rest.reversed);
      const hasNext = this.#cursor.next();
      expect(hasNext ? pairOf(this.#cursor) : undefined).toBe(expected);
      if (!hasNext) this.#cursor = undefined;
      const key = Buffer.from(expected?.split('=')[0] ?? '', 'hex');
      if (rest.reversed) rest.end = key;
      else rest.start = Uint8Array.from([...key, 0]);
    }
  }
}

test.each([
  ['small', small],
  ['medium', medium],
])('random steps, %s tables', async (_name, limits) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const store = memoryStore(limits);
      const comparison = new Comparison(store);
      for (const current of steps) await comparison.apply(current);
      await comparison.apply({ kind: 'scan', number: 0, other: 399, reversed: false });
      comparison.checkCopy();
      await store.close();
    }),
    { numRuns: runs },
  );
});

// The compaction of rows, in a commit with a dropped range, found rows without their large values.
test.each([false, true])(
  'a commit does not scan the range that it has removed, %s',
  async (reversed) => {
    const store = memoryStore(small);
    const keyAt = (number: number): Uint8Array => Uint8Array.of(0, 0, 0, 5, number);
    const value = Uint8Array.of(1);
    const scanned = (from = 0, to = 100): number[] => {
      const cursor = store.scan(keyAt(from), keyAt(to), reversed);
      const found: number[] = [];
      while (cursor.next()) found.push(cursor.keyBytes[cursor.keyStart + 4]);
      return reversed ? found.reverse() : found;
    };
    store.commit((writer) => {
      for (let number = 0; number < 50; number += 2) writer.put(keyAt(number), value);
    });
    await store.settle();
    store.commit((writer) => {
      for (let number = 1; number < 50; number += 2) writer.put(keyAt(number), value);
    });
    store.commit((writer) => {
      writer.removeRange(keyAt(10), keyAt(20));
      expect(scanned()).toEqual([...rangeOf(0, 10), ...rangeOf(20, 50)]);
      expect(scanned(5, 15)).toEqual(rangeOf(5, 10));
      expect(scanned(12, 15)).toEqual([]);
      expect(scanned(15, 25)).toEqual(rangeOf(20, 25));
      writer.put(keyAt(15), value);
      writer.removeRange(keyAt(18), keyAt(45));
      expect(scanned()).toEqual([...rangeOf(0, 10), 15, ...rangeOf(45, 50)]);
    });
    expect(scanned()).toEqual([...rangeOf(0, 10), 15, ...rangeOf(45, 50)]);
  },
);

function rangeOf(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
