import { openMemoryStore, type MemoryStore } from '../../../src/engines/local/kv/memory-store.js';

const key = (at: number): Uint8Array => Uint8Array.of(1, at >> 8, at & 0xff);

async function storeOf(count: number): Promise<MemoryStore> {
  const store = await openMemoryStore();
  store.commit((writer) => {
    for (let at = 0; at < count; at++) writer.put(key(at), Uint8Array.of(at & 0xff));
  });
  return store;
}

/** The numbers of the keys a walk gives; `each` runs behind every one of them. */
function walk(
  store: MemoryStore,
  from: number,
  to: number,
  reversed: boolean,
  each: (at: number) => void = () => {},
): number[] {
  const pairs = store.scan(key(from), key(to), reversed);
  const seen: number[] = [];
  while (pairs.next()) {
    const at = pairs.keyBytes[pairs.keyStart + 1] * 256 + pairs.keyBytes[pairs.keyStart + 2];
    expect(pairs.valueBytes[pairs.valueStart]).toBe(at & 0xff);
    seen.push(at);
    each(at);
  }
  expect(pairs.next()).toBe(false);
  return seen;
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

// A walk reads 1, 4, 16, 64, 64, ... entries ahead: ends before, at and behind each of these
// places.
test.each([0, 1, 2, 4, 5, 6, 20, 21, 22, 84, 85, 86, 148, 149, 150, 300])(
  'a walk of %d pairs ends where its range does, in both directions',
  async (count) => {
    const store = await storeOf(400);
    expect(walk(store, 50, 50 + count, false)).toEqual(numbers(50, 50 + count));
    expect(walk(store, 50, 50 + count, true)).toEqual(numbers(50, 50 + count).reverse());
  },
);

test.each([false, true])(
  'a walk sees what is committed in front of it (reversed: %p)',
  async (reversed) => {
    const store = await storeOf(400);
    const seen = walk(store, 0, 400, reversed, (at) => {
      const next = reversed ? at - 1 : at + 1;
      if (at % 10 === 5) store.commit((writer) => writer.remove(key(next)));
    });
    expect(seen).not.toContain(reversed ? 4 : 6);
    expect(seen).toHaveLength(360);
  },
);
