/** Where the server keeps instances, policies, and the tables that it was restoring. */
import { RowsmithError } from '../../src/base/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { ResourceStore } from '../../src/server/resources/resource-store.js';
import { startServer } from '../../src/server/index.js';
import { DelegatingEngine } from '../support/delegating-engine.js';
import { createTestTable, instance, RawClient, serveMemory, tableName } from './raw-client.js';

const value = Uint8Array.of(1);

/** Creates tables when it is allowed to. */
class WithoutTables extends DelegatingEngine {
  isAllowed = false;

  override async createTable(...args: Parameters<DelegatingEngine['createTable']>) {
    if (!this.isAllowed) throw new RowsmithError('STORAGE_FAILED', { problem: 'no space' });
    return super.createTable(...args);
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

test('a table that took the name of one that was being restored is not deleted', async () => {
  const { engine, client, close } = await serveMemory({ instance });
  await createTestTable(client);
  const schemas = await engine.listTables();
  const schema = schemas.find(({ families }) => families.has('sum'))!;
  const store = await ResourceStore.open(engine);
  /** The tables of a server that finds a record of a restoration with this token. */
  const tablesWith = async (token: string): Promise<unknown[]> => {
    await store.put('restore', tableName, Buffer.from(`${schema.name} ${token}`));
    const server = await startServer(engine, { instance });
    const second = new RawClient(server.address);
    const { tables } = await second.unary('tables', 'ListTables', { parent: instance });
    second.close();
    await server.close({ graceMs: 0 });
    return (tables ?? []) as unknown[];
  };
  try {
    const stale = await engine.generateConsistencyToken(schema.name);
    await engine.deleteTable(schema.name);
    await engine.createTable(schema);
    expect(await tablesWith(stale)).toHaveLength(1);
    const own = await engine.generateConsistencyToken(schema.name);
    expect(await tablesWith(own)).toHaveLength(0);
  } finally {
    await close();
  }
});
