/** Writes of one commit: which of them fail together, and which pairs are noticed as changed. */
import type { PairWriter } from '../../../src/engines/local/kv/ordered-store.js';
import { memoryStore, type TableStore } from '../../../src/engines/local/kv/store/table-store.js';
import { WriteQueue } from '../../../src/engines/local/kv/write-queue.js';

const key = Uint8Array.of(0, 0, 0, 5, 1);
const other = Uint8Array.of(0, 0, 0, 5, 2);
const value = Uint8Array.of(7);
const ways: readonly [string, (writer: PairWriter) => void][] = [
  ['put', (writer) => writer.put(key, value)],
  ['putSlice', (writer) => writer.putSlice!(Uint8Array.of(9, ...key, 7), 1, 6, 7)],
  ['remove', (writer) => writer.remove(key)],
];

// A commit takes no further write after 5 ms, which a busy machine may need for the first one.
let now = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => void jest.restoreAllMocks());

function opened(): { store: TableStore; queue: WriteQueue; rollbacks: number[] } {
  const store = memoryStore();
  const rollbacks: number[] = [];
  const queue = new WriteQueue(store, {
    beforeCommit() {},
    onRollback: () => void rollbacks.push(1),
  });
  return { store, queue, rollbacks };
}

test.each(ways)(
  'an error after %s fails the commit, and one before it only its write',
  async (_, run) => {
    const { store, queue, rollbacks } = opened();
    const settled = await Promise.allSettled([
      queue.enqueue(1, 1, (writer) => writer.put(other, value)),
      queue.enqueue(1, 1, (writer) => {
        run(writer);
        throw new Error('half done');
      }),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([store.get(key), store.get(other)]).toEqual([undefined, undefined]);
    expect(rollbacks).toHaveLength(1);
    const next = await Promise.allSettled([
      queue.enqueue(1, 1, (writer) => writer.put(other, value)),
      queue.enqueue(1, 1, () => {
        throw new Error('rejected');
      }),
    ]);
    expect(next.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(store.get(other)).toEqual(value);
    await store.close();
  },
);

test('a commit that has run for more than 5 ms takes no further write', async () => {
  const { store, queue } = opened();
  const commits = jest.spyOn(store, 'commit');
  const enqueue = async (durations: readonly number[]): Promise<number> => {
    commits.mockClear();
    await Promise.all(durations.map((ms) => queue.enqueue(1, 1, () => void (now += ms))));
    return commits.mock.calls.length;
  };
  expect(await enqueue([1, 2, 2, 0])).toBe(1);
  expect(await enqueue([2, 4, 0, 0])).toBe(2);
  await store.close();
});

test('a write of many steps goes on in the next commit, before later writes', async () => {
  const { store, queue } = opened();
  const commits = jest.spyOn(store, 'commit');
  const order: string[] = [];
  let step = 0;
  await Promise.all([
    queue.enqueue(1, 1, () => void order.push('before')),
    queue.enqueueSteps(1, 1, (writer) => {
      order.push(`step ${++step}`);
      writer.put(Uint8Array.of(0, 0, 0, 5, step), value);
      return step === 3;
    }),
    queue.enqueue(1, 1, () => void order.push('after')),
  ]);
  expect(order).toEqual(['before', 'step 1', 'step 2', 'step 3', 'after']);
  expect(commits).toHaveBeenCalledTimes(3);
  expect(store.get(Uint8Array.of(0, 0, 0, 5, 3))).toEqual(value);
  await store.close();
});

test.each(ways)('%s is noticed by watches of its pair only', async (_, run) => {
  const { store, queue } = opened();
  const [watch, unrelated] = [queue.watch(key), queue.watch(other)];
  await queue.enqueue(1, 1, run);
  expect([watch.changed, unrelated.changed]).toEqual([true, false]);
  await store.close();
});
