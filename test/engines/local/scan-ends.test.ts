import { memoryStore, type TableStore } from '../../../src/engines/local/kv/store/table-store.js';

const key = (at: number): Uint8Array => Uint8Array.of(1, at >> 8, at & 0xff);

function storeOf(count: number): TableStore {
  const store = memoryStore();
  store.commit((writer) => {
    for (let at = 0; at < count; at++) writer.put(key(at), Uint8Array.of(at & 0xff));
  });
  return store;
}

/** Returns the numbers of the keys that a scan returns, and calls `each` after each of them. */
function scan(
  store: TableStore,
  from: number,
  to: number,
  reversed: boolean,
  each: (at: number) => void = () => {},
): number[] {
  const cursor = store.scan(key(from), key(to), reversed);
  const seen: number[] = [];
  while (cursor.next()) {
    const at = cursor.keyBytes[cursor.keyStart + 1] * 256 + cursor.keyBytes[cursor.keyStart + 2];
    expect(cursor.valueBytes[cursor.valueStart]).toBe(at & 0xff);
    seen.push(at);
    each(at);
  }
  expect(cursor.next()).toBe(false);
  return seen;
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

// Ends before, at and after the boundaries of leaves of the buffer.
test.each([0, 1, 2, 4, 5, 6, 20, 21, 22, 84, 85, 86, 148, 149, 150, 300])(
  'a scan of %d pairs ends where its range does, in both directions',
  (count) => {
    const store = storeOf(400);
    expect(scan(store, 50, 50 + count, false)).toEqual(numbers(50, 50 + count));
    expect(scan(store, 50, 50 + count, true)).toEqual(numbers(50, 50 + count).reverse());
  },
);

test.each([false, true])(
  'a scan sees later commits to the rest of its range (reversed: %p)',
  (reversed) => {
    const store = storeOf(400);
    const seen = scan(store, 0, 400, reversed, (at) => {
      const next = reversed ? at - 1 : at + 1;
      if (at % 10 === 5) store.commit((writer) => writer.remove(key(next)));
    });
    expect(seen).not.toContain(reversed ? 4 : 6);
    expect(seen).toHaveLength(360);
  },
);
