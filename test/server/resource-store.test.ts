/** Where the server keeps instances, profiles and policies. */
import { RowsmithError } from '../../src/base/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { ResourceStore } from '../../src/server/resources/resource-store.js';
import { DelegatingEngine } from '../support/delegating-engine.js';

const value = Uint8Array.of(1);

/** Creates tables when it is allowed to. */
class WithoutTables extends DelegatingEngine {
  isAllowed = false;

  override async createTable(...args: Parameters<DelegatingEngine['createTable']>) {
    if (!this.isAllowed) throw new RowsmithError('STORAGE_FAILED', { problem: 'no space' });
    return await super.createTable(...args);
  }
}

test('an object is stored once its table was created', async () => {
  const engine = new WithoutTables(await openMemoryEngine());
  const store = await ResourceStore.open(engine);
  await expect(store.put('policy', 'a', value)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(store.get('policy', 'a')).toBeUndefined();
  engine.isAllowed = true;
  await store.put('policy', 'a', value);
  expect(store.get('policy', 'a')).toEqual(value);
  await engine.close();
});

test('two stores of one engine, which both create the table, keep the objects of both', async () => {
  const engine = await openMemoryEngine();
  const stores = await Promise.all([ResourceStore.open(engine), ResourceStore.open(engine)]);
  for (const [n, store] of stores.entries()) await store.put('policy', `${n}`, value);
  const { length } = (await ResourceStore.open(engine)).list('policy', '');
  expect(length).toBe(2);
  await engine.close();
});
