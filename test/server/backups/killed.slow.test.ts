/** Backups of a server that is killed while it copies: after a restart nothing is half there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../src/engines/index.js';
import { createTestTable, instance, RawClient, setCell, tableName, utf8 } from '../raw-client.js';
import { serve, useCommand } from '../serve-process.js';
import { backupCalls, cluster, restored } from './backup-calls.js';

useCommand();

const rowsPerRequest = 500;
const requests = 8;
const rows = rowsPerRequest * requests;

/** 16 MiB: several batches of a copy. */
async function fill(client: RawClient): Promise<void> {
  await createTestTable(client);
  const value = 'v'.repeat(4_096);
  for (let request = 0; request < requests; request++)
    await client.call('data', 'MutateRows', {
      tableName,
      entries: Array.from({ length: rowsPerRequest }, (_, i) => ({
        rowKey: utf8(`r${request * rowsPerRequest + i}`),
        mutations: [setCell('a', 'q', value)],
      })),
    });
}

const countRows = async (client: RawClient, name: string): Promise<number> =>
  (await client.rows({ tableName: name })).length;

// The copies of a backup and of a restored table take some 100 ms.
test.each([0, 5, 20, 50, 100, 200])('killed %i ms after both have begun', async (delay) => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-killed-backup-'));
  try {
    const first = await serve('--dir', directory);
    const client = new RawClient(first.address);
    const calls = backupCalls(client);
    await fill(client);
    await calls.create('whole');
    await calls.call('CreateBackup', calls.createRequest('half'));
    await calls.call('RestoreTable', calls.restoreRequest('restored', `${cluster}/backups/whole`));
    await new Promise((resolve) => setTimeout(resolve, delay));
    first.child.kill('SIGKILL');
    await first.ended;
    client.close();

    const second = await serve('--dir', directory);
    const again = new RawClient(second.address);
    const after = backupCalls(again);
    const names = await after.names();
    expect(names).toContain('whole');
    for (const name of names) {
      expect((await after.get(`${cluster}/backups/${name}`)).state).toBe('READY');
      await after.restore(`of-${name}`, `${cluster}/backups/${name}`);
      expect(await countRows(again, `${instance}/tables/of-${name}`)).toBe(rows);
    }
    const { tables } = await again.unary('tables', 'ListTables', { parent: instance });
    const listed = tables.map(({ name }: { name: string }) => name);
    if (listed.includes(restored)) expect(await countRows(again, restored)).toBe(rows);
    // The name of a table that was not restored is free.
    else await after.restore('restored', `${cluster}/backups/whole`);
    again.close();
    second.child.kill('SIGTERM');
    await second.ended;

    const engine = await openEngine(`file:${directory}`);
    const stored = (await engine.listTables()).map(({ name }) => name);
    expect(stored.filter((name) => name.startsWith('_rowsmith.backup.'))).toHaveLength(
      names.length,
    );
    await engine.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
