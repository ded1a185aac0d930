/** The same studio over other back ends: beside the owner of a directory, and over servers. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { request } from 'node:http';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer } from '../../../src/server/index.js';
import { startStudio } from '../../../src/tools/studio/index.js';
import { findEmulator } from '../../support/emulator.js';
import { startGoogleEmulator } from '../../support/google-emulator.js';
import { entities, Order } from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import type { RowName } from '../../../src/tools/studio/protocol/row.js';
import { base64, ofType, StudioClient } from './studio-client.js';

const query = {
  source: { kind: 'entity', entity: 'Order' },
  fixed: [{ segment: 'shop', values: ['oslo'] }],
} as const;

const rowCount = async (client: StudioClient) =>
  ofType(await client.lines('rows', { query }), 'end')[0].rows;

describe('a directory', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'rowsmith-studio-disk-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is read beside its owner, sees its writes, and is not changed', async () => {
    const url = `file:${folder}`;
    const owner = await open(url, { entities, lint: false });
    await seedStudio(owner);
    const files = readdirSync(folder);
    const client = await StudioClient.open(url, { write: false });
    expect(await rowCount(client)).toBe(4);
    const orders = owner.repository(Order);
    await orders.save(orders.create({ shop: 'oslo', at: at(20), n: 1, status: 'new' }));
    expect(await rowCount(client)).toBe(5);
    const session = await client.call('session', {});
    expect(session).toMatchObject({
      database: { kind: 'disk', name: folder },
      write: { allowed: false },
    });
    const [{ report }] = ofType(await client.lines('gc', { table: 'shop' }), 'report');
    expect(report.removal).toContain('rowsmith compact');
    await client.close();
    expect(readdirSync(folder)).toEqual(files);
    await owner.close();
  });

  test('is not written beside its owner', async () => {
    const owner = await open(`file:${folder}`, { entities, lint: false });
    const started = startStudio(`file:${folder}`, { entities, page: folder, write: true });
    await expect(started).rejects.toMatchObject({ code: 'DATABASE_IN_USE' });
    await owner.close();
  });

  test('is written when nobody else has it', async () => {
    const client = await StudioClient.open(`file:${folder}`);
    await seedStudio(client.studio.db);
    expect(await rowCount(client)).toBe(4);
    // While this process is the owner as well.
    const [{ report }] = ofType(await client.lines('gc', { table: 'shop' }), 'report');
    expect(report.rows).toBeGreaterThan(0);
    await client.close();
  });

  test('shows what is due, which reads hide', async () => {
    let now = Date.now() - 40 * 86_400_000;
    const old = await open(`file:${folder}`, { entities, lint: false, clock: () => now });
    await seedStudio(old);
    await old.close();
    now = Date.now();
    const client = await StudioClient.open(`file:${folder}`, { write: false });
    const [{ report }] = ofType(await client.lines('gc', { table: 'blobs' }), 'report');
    expect(report.families).toMatchObject([{ family: 'm', due: { now: { cells: { value: 1 } } } }]);
    await client.close();
  });
});

interface LiveServer {
  readonly address: string;
  readonly close: () => Promise<void>;
}

async function ourServer(): Promise<LiveServer> {
  const backend = await openMemoryEngine({});
  const server = await startServer(backend, { instance: 'projects/p/instances/i' });
  const close = async (): Promise<void> => {
    await server.close({ graceMs: 100 });
    await backend.close();
  };
  return { address: server.address, close };
}

const emulator = findEmulator();
const servers: readonly (readonly [string, () => Promise<LiveServer>])[] = [
  ["Rowsmith's server", ourServer],
  ...(emulator === undefined
    ? []
    : [["Google's emulator", () => startGoogleEmulator(emulator)] as const]),
];

/** Conditions that are nearly as large as a filter can be, and larger. */
async function expectLargeConditions(client: StudioClient, row: RowName): Promise<void> {
  const write = async (set: object, shown: object): Promise<void | string> => {
    const request = { ...row, entity: 'Order', set, shown } as never;
    const changed = await client.call('update', request);
    return changed.outcome === 'written' ? changed.guard : changed.outcome;
  };
  const names = Array.from({ length: 120 }, (_, i) => `entry.${i}`);
  const all = (value: string | null) => Object.fromEntries(names.map((name) => [name, value]));
  expect(await write({ tags: all('x') }, { tags: all(null) })).toBe('write');
  expect(await write({ tags: all('y') }, { tags: all('x') })).toBe('write');
  expect(await write({ tags: all('z') }, { tags: all('x') })).toBe('conflict');
  const price = Array.from({ length: 8 }, (_, i) => ({
    at: at(i).toISOString(),
    value: i,
  }));
  await write({ price }, {});
  expect(await write({ price: null }, { price: price.slice(1) })).toBe('conflict');
  expect(await write({ price: null }, { price })).toBe('write');
  for (const [length, guard] of [
    [8_500, 'write'],
    [30_000, 'read'],
  ] as const) {
    const extra = 'x'.repeat(length);
    await write({ extra }, {});
    expect(await write({ extra: null }, { extra })).toBe(guard);
  }
}

describe('a live back end', () => {
  test.each(servers)('%s: answers as an embedded one, once its tables exist', async (_, start) => {
    const server = await start();
    const client = await StudioClient.open('bigtable://p/i', {
      bigtable: { emulatorHost: server.address },
    });
    const missing = await client.lines('rows', { query });
    expect(missing.at(-1)).toMatchObject({ type: 'error', error: { code: 'TABLE_NOT_FOUND' } });
    expect(await client.failure('row', { table: 'shop', key: 'YQ==' })).toMatchObject({
      status: 404,
      code: 'TABLE_NOT_FOUND',
    });
    const tables = ofType(await client.lines('tables', {}), 'table').map(({ table }) => table);
    expect(tables.find(({ name }) => name === 'shop')).toMatchObject({ stored: false });
    expect((await client.call('drift', {})).steps[0]).toMatchObject({ kind: 'createTable' });
    await client.studio.db.admin.apply();
    await seedStudio(client.studio.db);
    expect(await rowCount(client)).toBe(4);
    expect((await client.call('session', {})).database).toEqual({
      kind: 'emulator',
      name: 'p/i',
      address: server.address,
    });
    const { model } = client.studio.db.repository(Order);
    const row = {
      table: 'shop',
      key: base64(model.key.encode({ shop: 'oslo', at: at(10), n: 1 })),
    };
    expect(await client.call('row', row)).toMatchObject({ exists: true });
    const changed = await client.call('update', {
      ...row,
      entity: 'Order',
      set: { status: 'paid' },
      shown: { status: 'open' },
    });
    expect(changed).toMatchObject({ outcome: 'written' });
    await expectLargeConditions(client, row);
    const plan = await client.call('explain', { query });
    expect(plan.ranges).toHaveLength(1);
    const { id, href } = await client.call('export', { query, format: 'jsonl' });
    expect((await client.send(href)).body.trim().split('\n')).toHaveLength(4);
    expect((await client.lines('progress', { id })).at(-1)).toMatchObject({ report: { rows: 4 } });
    const [{ report }] = ofType(await client.lines('gc', { table: 'shop' }), 'report');
    expect(report.removal).toBe('An emulator or server may keep cells that are due.');
    const stored = ofType(await client.lines('tables', {}), 'table').map(({ table }) => table);
    expect(stored.find(({ name }) => name === 'shop')).toMatchObject({ stored: true });
    await client.close();
    await server.close();
  });

  const openServer = async (totalTimeoutMs?: number) => {
    const backend = await openMemoryEngine({});
    const instance = 'projects/p/instances/i';
    const server = await startServer(backend, { instance });
    const client = await StudioClient.open('bigtable://p/i', {
      bigtable: { emulatorHost: server.address, totalTimeoutMs },
    });
    return { client, server, backend };
  };

  test.each(['rows', 'count', 'measure', 'tableRows', 'cells'])(
    'stops a read when the page that asked for %s has left',
    async (name) => {
      const { client, server, backend } = await openServer();
      await client.studio.db.admin.apply();
      await seedStudio(client.studio.db);
      let onRead!: () => void;
      let onStop!: () => void;
      const reading = new Promise<void>((resolve) => (onRead = resolve));
      const stopped = new Promise<void>((resolve) => (onStop = resolve));
      const readRows = backend.readRows.bind(backend);
      // A read without an end or a deadline: only the page can stop it.
      backend.readRows = (plan, options) => {
        const stream = readRows(plan, options);
        options?.signal?.addEventListener('abort', onStop);
        const next = async () => {
          onRead();
          await stopped;
          return stream.next();
        };
        return { next, close: () => Promise.resolve(onStop()).then(() => stream.close()) };
      };
      const { port } = client.studio;
      const body = JSON.stringify({ query, table: 'shop', key: base64('k') });
      const headers = { 'content-type': 'application/json', cookie: client.cookie };
      const to = { host: '127.0.0.1', port, path: `/api/${name}`, method: 'POST', headers };
      const call = request(to);
      call.on('error', () => undefined);
      call.end(body);
      await reading;
      call.destroy();
      await stopped;
      await client.close();
      await server.close({ graceMs: 0 });
      await backend.close();
    },
  );

  test('that has gone is an answer, and so is one that comes back', async () => {
    const { client, server, backend } = await openServer(2_000);
    await client.studio.db.admin.apply();
    await seedStudio(client.studio.db);
    const { address } = server;
    await server.close({ graceMs: 0 });
    const lines = await client.lines('rows', { query });
    expect(lines.at(-1)).toMatchObject({ type: 'error', error: { code: 'UNAVAILABLE' } });
    expect(await client.failure('drift', {})).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    const port = Number(address.split(':')[1]);
    const again = await startServer(backend, { instance: 'projects/p/instances/i', port });
    for (let i = 0; ; i++) {
      const end = (await client.lines('rows', { query })).at(-1)!;
      if (end.type === 'end') break;
      expect(i).toBeLessThan(20);
    }
    await client.close();
    await again.close({ graceMs: 0 });
    await backend.close();
  });
});
