/** Backups when the engine fails, when they are stopped, and across restarts. */
import { status } from '@grpc/grpc-js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RowsmithError } from '../../../src/base/index.js';
import type { Engine, RowMutation } from '../../../src/data/store/index.js';
import { openEngine } from '../../../src/engines/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer } from '../../../src/server/index.js';
import { DelegatingEngine } from '../../support/delegating-engine.js';
import { RawClient, tableName } from '../raw-client.js';
import { backup, backupCalls, createRows, operations, restored } from './backup-calls.js';

/** Holds or fails the writes of copies. */
class HeldEngine extends DelegatingEngine {
  /** What writes of rows wait for, or fail with. */
  hold: (() => Promise<void>) | undefined;

  override async mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ) {
    await this.hold?.();
    options?.signal?.throwIfAborted();
    return super.mutateRows(table, rows, options);
  }
}

async function serve(engine: Engine) {
  const server = await startServer(engine);
  const client = new RawClient(server.address);
  const close = async () => {
    client.close();
    await server.close({ graceMs: 500 });
  };
  return { client, calls: backupCalls(client), close };
}

const tablesOf = async (engine: Engine): Promise<string[]> =>
  (await engine.listTables()).map(({ name }) => name).filter((name) => name !== '_rowsmith.server');

let engine: HeldEngine;
let served: Awaited<ReturnType<typeof serve>>;
let release: () => void;
beforeEach(async () => {
  engine = new HeldEngine(await openMemoryEngine());
  served = await serve(engine);
  await createRows(served.client);
});
afterEach(async () => {
  release?.();
  await served.close();
  await engine.close();
});
const hold = () => {
  const held = new Promise<void>((resolve) => (release = resolve));
  engine.hold = () => held;
};

test('an engine that fails in the middle: nothing is half done', async () => {
  const full = new RowsmithError('STORAGE_FAILED', { problem: 'the disk is full' });
  const { calls } = served;
  await calls.create('whole');
  const before = await tablesOf(engine);
  engine.hold = () => Promise.reject(full);
  expect(await calls.create()).toMatchObject({ done: true, error: { message: /full/ } });
  expect(await calls.names()).toEqual(['whole']);
  const whole = backup.replace(/b$/, 'whole');
  expect((await calls.restore('restored', whole)).error).toBeDefined();
  expect(await tablesOf(engine)).toEqual(before);
  engine.hold = undefined;
  expect((await calls.restore('restored', whole)).error).toBeUndefined();
});

test('a backup that is being created: its state, and calls that end it', async () => {
  const { calls, client } = served;
  for (const end of ['DeleteBackup', 'CancelOperation']) {
    hold();
    const { name, done } = await client.unary('tables', 'CreateBackup', calls.createRequest());
    expect(done).toBeUndefined();
    expect(await calls.get()).toMatchObject({ state: 'CREATING' });
    expect((await calls.call('RestoreTable', calls.restoreRequest())).code).toBe(
      status.FAILED_PRECONDITION,
    );
    const ended =
      end === 'DeleteBackup'
        ? calls.call(end, { name: backup })
        : operations(client, end, { name });
    setTimeout(release, 20);
    expect((await ended).code).toBe(0);
    const { response } = await operations(client, 'WaitOperation', { name });
    expect(response).toMatchObject({ done: true, error: { code: status.CANCELLED } });
    expect(await calls.names()).toEqual([]);
    expect((await tablesOf(engine)).filter((table) => table !== 't')).toEqual([]);
  }
});

test('a table that is being restored is not seen, and its backup stays', async () => {
  const { calls, client } = served;
  await calls.create();
  hold();
  const { name } = await client.unary('tables', 'RestoreTable', calls.restoreRequest());
  expect((await client.call('data', 'ReadRows', { tableName: restored })).code).toBe(
    status.NOT_FOUND,
  );
  expect((await calls.call('RestoreTable', calls.restoreRequest())).code).toBe(
    status.ALREADY_EXISTS,
  );
  expect((await calls.call('DeleteBackup', { name: backup })).code).toBe(
    status.FAILED_PRECONDITION,
  );
  release();
  await operations(client, 'WaitOperation', { name });
  expect(await client.rows({ tableName: restored })).toHaveLength(2);
  expect((await calls.call('DeleteBackup', { name: backup })).code).toBe(0);
});

test('a table that is deleted, or replaced, while it is backed up: the backup fails', async () => {
  const { calls, client } = served;
  hold();
  const { name } = await client.unary('tables', 'CreateBackup', calls.createRequest());
  await client.unary('tables', 'DeleteTable', { name: tableName });
  await createRowsAgain();
  release();
  const { response } = await operations(client, 'WaitOperation', { name });
  expect(response.error).toBeDefined();
  expect(await calls.names()).toEqual([]);

  async function createRowsAgain() {
    engine.hold = undefined;
    await createRows(client);
  }
});

test('on disk: backups survive a restart, and what was half copied is gone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-backups-'));
  const open = () => openEngine(`file:${directory}`);
  try {
    let disk = await open();
    const first = await serve(disk);
    await createRows(first.client);
    await first.calls.create();
    const before = await first.client.rows({ tableName });
    const kept = await first.calls.get();
    await first.close();
    // What a killed server leaves: a table of a backup without a record.
    await disk.createTable({ name: '_rowsmith.backup.left', families: new Map() });
    await disk.close();
    disk = await open();
    const second = await serve(disk);
    expect(await second.calls.get()).toEqual(kept);
    expect(await tablesOf(disk)).not.toContain('_rowsmith.backup.left');
    await second.calls.restore();
    expect(await second.client.rows({ tableName: restored })).toEqual(before);
    await second.close();
    await disk.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
