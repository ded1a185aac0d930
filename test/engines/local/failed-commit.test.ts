/** What the engine does after a commit has failed, and while the store cannot be read either. */
import { RowsmithError } from '../../../src/base/index.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import type { OrderedStore, PairCursor } from '../../../src/engines/local/kv/ordered-store.js';
import { memoryStore } from '../../../src/engines/local/kv/store/table-store.js';
import { read, rejects, set, utf8 } from '../conformance.js';

/** A store. Its commits and reads fail while `isBroken`. */
class BreakableStore implements OrderedStore {
  isBroken = false;
  /** Commits until it breaks. */
  commitsLeft = Infinity;
  readonly #inner: OrderedStore;

  constructor(inner: OrderedStore) {
    this.#inner = inner;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#check();
    return this.#inner.get(key);
  }
  lookup(key: Uint8Array): PairCursor {
    this.#check();
    return this.#inner.lookup(key);
  }
  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    this.#check();
    return this.#inner.scan(start, end, reversed);
  }
  commit(work: Parameters<OrderedStore['commit']>[0]): void {
    this.#inner.commit((writer) => {
      work(writer);
      this.isBroken ||= this.commitsLeft-- <= 0;
      this.#check();
    });
  }
  close(): Promise<void> {
    return this.#inner.close();
  }

  #check(): void {
    if (this.isBroken) throw new RowsmithError('STORAGE_FAILED', { problem: 'broken' });
  }
}

// The tables were read again in the callback of a timer, where the error ended the process, and the
// tables were forgotten.
test('a store that fails altogether rejects writes, and works once it can be read again', async () => {
  const store = new BreakableStore(memoryStore());
  const engine = new LocalEngine('broken', store, {});
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const write = (value: string): Promise<void> =>
    engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', value)] });
  await write('before');
  store.isBroken = true;
  await rejects(write('first'), 'STORAGE_FAILED');
  await rejects(write('second'), 'STORAGE_FAILED');
  await rejects(engine.createTable({ name: 'u', families: new Map() }), 'STORAGE_FAILED');
  store.isBroken = false;
  expect(await read(engine)).toEqual(['k{a:q@1000=before}']);
  await write('after');
  expect(await read(engine)).toEqual(['k{a:q@1000=after}']);
  expect((await engine.listTables()).map(({ name }) => name)).toEqual(['t']);
  await engine.close();
});

test('a request whose rows take long is written by several commits, and fails from one on', async () => {
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 2));
  const store = new BreakableStore(memoryStore());
  const engine = new LocalEngine('slow', store, {});
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const names = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(2, '0')}`);
  // Not in key order, so that the rows of a commit have no consecutive indexes.
  const request = [...names].reverse();
  const write = (value: string): Promise<readonly (Error | undefined)[]> =>
    engine.mutateRows(
      't',
      request.map((key) => ({ key: utf8(key), mutations: [set('a', 'q', value)] })),
    );
  expect((await write('first')).filter(Boolean)).toEqual([]);
  store.commitsLeft = 2;
  const outcomes = await write('second');
  store.isBroken = false;
  store.commitsLeft = Infinity;
  const written = names.filter((name) => outcomes[request.indexOf(name)] === undefined);
  expect(written.length).toBeGreaterThan(2);
  expect(written).toEqual(names.slice(0, written.length));
  expect(written.length).toBeLessThan(names.length - 2);
  const value = (name: string): string => (written.includes(name) ? 'second' : 'first');
  expect(await read(engine)).toEqual(names.map((name) => `${name}{a:q@1000=${value(name)}}`));
  clock.mockRestore();
  await engine.close();
});
