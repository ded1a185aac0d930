/**
 * Commits of many rows over a buffer of many leaves, in every order: rows that follow each other
 * are searched from the last one on, and each is inserted where it was searched.
 */
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import { memoryStore, type TableStore } from '../../../src/engines/local/kv/store/table-store.js';
import type { PairCursor, PairWriter } from '../../../src/engines/local/kv/ordered-store.js';
import fc from '../../support/fast-check.js';

/** Every buffer is written to a table at once, and tables are merged. */
const small = { ...defaultLimits, buffer: 1, newest: 2, level: 3000, ratio: 2, table: 1500 };

/** Keys `first`, `first + step` ... in either order, as one request has them. */
interface Run {
  readonly first: number;
  readonly step: number;
  readonly count: number;
  readonly descending: boolean;
  /** `blind` writes do not read the row before. */
  readonly kind: 'put' | 'remove' | 'read' | 'blind';
}
const run: fc.Arbitrary<Run> = fc.record({
  first: fc.nat(1000),
  step: fc.constantFrom(1, 1, 2, 3, 7, 40),
  count: fc.integer({ min: 1, max: 200 }),
  descending: fc.constantFrom(false, false, false, true),
  kind: fc.constantFrom('put', 'put', 'put', 'remove', 'read', 'blind'),
});

const prefix = [0, 0, 0, 5];
const keyOf = (number: number): number[] => [...prefix, number >> 8, number & 0xff];
const hex = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('hex');

function pairsOf(cursor: PairCursor): string[] {
  const pairs: string[] = [];
  while (cursor.next())
    pairs.push(
      `${hex(cursor.keyBytes, cursor.keyStart, cursor.keyEnd)} ` +
        hex(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    );
  cursor.release();
  return pairs;
}

/** Writes the run as the row layer does: rows share a buffer, and are read before. */
function write(store: TableStore, writer: PairWriter, one: Run, model: Map<string, string>): void {
  const numbers = Array.from({ length: one.count }, (_, i) => one.first + i * one.step);
  if (one.descending) numbers.reverse();
  const pairBytes = 8;
  const bytes = new Uint8Array(numbers.length * pairBytes);
  numbers.forEach((number, i) => {
    const start = i * pairBytes;
    const keyEnd = start + 6;
    bytes.set([...keyOf(number), one.first, one.count], start);
    const key = hex(bytes, start, keyEnd);
    if (one.kind !== 'blind') {
      const value = model.get(key);
      const found = pairsOf(store.lookupSlice(bytes, start, keyEnd));
      expect(found).toEqual(value === undefined ? [] : [`${key} ${value}`]);
    }
    if (one.kind === 'read') return;
    if (one.kind === 'remove') {
      writer.remove(bytes.subarray(start, keyEnd));
      model.delete(key);
    } else {
      writer.putSlice!(bytes, start, keyEnd, start + pairBytes);
      model.set(key, hex(bytes, keyEnd, start + pairBytes));
    }
  });
}

test.each([
  ['a buffer', defaultLimits],
  ['a buffer that is written to tables', small],
])('%s holds what commits of many rows wrote, in any order', async (_what, limits) => {
  const commits = fc.array(
    fc.record({ runs: fc.array(run, { minLength: 1, maxLength: 4 }), wait: fc.boolean() }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(commits, async (list) => {
      const store = memoryStore(limits);
      const model = new Map<string, string>();
      const all = (reversed: boolean): string[] =>
        pairsOf(store.scan(Uint8Array.from(prefix), Uint8Array.of(0, 0, 0, 6), reversed));
      for (const { runs, wait } of list) {
        store.commit((writer) => {
          for (const one of runs) write(store, writer, one, model);
        });
        const expected = [...model].map((pair) => pair.join(' ')).sort();
        expect(all(false)).toEqual(expected);
        expect(all(true)).toEqual(expected.reverse());
        if (wait) await new Promise((resolve) => void setImmediate(resolve));
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['ascending', false],
  ['descending', true],
])('rows that are committed one by one, %s, are all found', async (_what, descending) => {
  const store = memoryStore();
  const model = new Map<string, string>();
  for (let i = 0; i < 300; i++) {
    const first = descending ? 300 - i : i;
    store.commit((writer) =>
      write(store, writer, { first, step: 1, count: 1, descending, kind: 'put' }, model),
    );
  }
  const expected = [...model].map((pair) => pair.join(' ')).sort();
  expect(expected).toHaveLength(300);
  expect(pairsOf(store.scan(Uint8Array.from(prefix), Uint8Array.of(0, 0, 0, 6), false))).toEqual(
    expected,
  );
  // A cursor over one pair is not moved by later searches.
  const [a, b] = [keyOf(10), keyOf(20)].map((key) => Uint8Array.from(key));
  const open = store.lookup(a);
  pairsOf(store.lookup(b));
  pairsOf(store.lookupSlice(b, 0, b.length));
  expect(pairsOf(open)).toEqual([expect.stringMatching(`^${hex(a, 0, a.length)} `)]);
  await store.close();
});
