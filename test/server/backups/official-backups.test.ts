/** Backups with Google's own Node client. */
import type { Bigtable as BigtableClass } from '@google-cloud/bigtable';
import { hourMs } from '../../../src/base/index.js';
import { serveMemory } from '../raw-client.js';

// Loaded by require: the client is CommonJS, and declares exports that it does not have.
const { Bigtable } = require('@google-cloud/bigtable') as { Bigtable: typeof BigtableClass };

test('creates, lists, updates, copies, restores and deletes', async () => {
  const served = await serveMemory();
  process.env.BIGTABLE_EMULATOR_HOST = served.server.address;
  process.env.METADATA_SERVER_DETECTION = 'none';
  const client = new Bigtable({ projectId: 'p', metricsEnabled: false });
  const instance = client.instance('instance-1');
  const [table] = await instance.createTable('t', { families: ['f'] });
  await table.insert([{ key: 'r', data: { f: { q: { value: 'v', timestamp: '1000' } } } }]);
  const cluster = instance.cluster('local');
  const expireTime = new Date(Date.now() + 8 * hourMs);
  const [backup, creation] = await cluster.createBackup('b', { table, expireTime });
  await creation.promise();
  const [metadata] = await backup.getMetadata();
  expect(metadata).toMatchObject({ name: backup.name, sourceTable: table.name, state: 'READY' });
  expect(backup.expireDate.getTime()).toBe(expireTime.getTime());
  expect(backup.endDate.getTime()).toBeGreaterThanOrEqual(backup.startDate.getTime());
  expect(await backup.exists()).toEqual([true]);
  for (const [found] of [await cluster.getBackups(), await instance.cluster('-').getBackups()])
    expect(found.map(({ id }) => id)).toEqual(['b']);
  const later = new Date(Date.now() + 24 * hourMs);
  await backup.setMetadata({ expireTime: later });
  expect(backup.expireDate.getTime()).toBe(later.getTime());
  const [copied, copying] = await backup.copy({ cluster, id: 'c', expireTime: later });
  await copying.promise();
  expect((await copied.getMetadata())[0]).toMatchObject({ sourceBackup: backup.name });
  const [restored, restoring] = await backup.restore('restored');
  await restoring.promise();
  const [rows] = await restored.getRows();
  expect(rows.map(({ id }: { id: string }) => id)).toEqual(['r']);
  expect((await backup.getIamPolicy())[0]).toMatchObject({ bindings: [] });
  expect((await backup.testIamPermissions('bigtable.backups.get'))[0]).toEqual([
    'bigtable.backups.get',
  ]);
  for (const each of [backup, copied]) await each.delete();
  expect(await backup.exists()).toEqual([false]);
  delete process.env.BIGTABLE_EMULATOR_HOST;
  delete process.env.METADATA_SERVER_DETECTION;
  await client.close();
  await served.close();
});
