/** Google's own client of a live database: over the connections of the database, closed with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bigtable } from '@google-cloud/bigtable';
import * as protos from '@google-cloud/bigtable/build/protos/protos.js';
import { Column, type Database, Entity, open, rowKey, Segment } from '../../../../src/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { faultyDatabase, testDatabase } from '../../../../src/tools/testing/index.js';
import { startServer } from '../../../../src/server/index.js';
import { type Attempt, startHeaderServer } from '../../../engines/bigtable/header-server.js';
import { findEmulator } from '../../../support/emulator.js';
import { startGoogleEmulator } from '../../../support/google-emulator.js';

@Entity({ table: 'notes', families: { m: {} } })
class Note {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') text?: string;
}

const url = 'bigtable://p/instance-1?appProfile=batch';
const unimplemented = 12;

async function openLive(
  address: string,
  options: { readonly readOnly?: boolean } = {},
): Promise<Database> {
  return open(url, {
    entities: [Note],
    bigtable: { emulatorHost: address, connections: 1 },
    ...options,
  });
}

describe('over our server', () => {
  let engine: Awaited<ReturnType<typeof openMemoryEngine>>;
  let server: Awaited<ReturnType<typeof startServer>>;
  let db: Database;
  beforeEach(async () => {
    engine = await openMemoryEngine({});
    server = await startServer(engine, { instance: 'projects/p/instances/instance-1' });
    db = await openLive(server.address);
    await db.admin.apply();
  });
  afterEach(async () => {
    await db.close();
    await server.close();
    await engine.close();
  });

  test('reads what a repository has written, and writes what it reads', async () => {
    const notes = db.repository(Note);
    await notes.save(notes.create({ id: 'a', text: 'hello' }));
    const client = await db.client<Bigtable>();
    const table = client.instance('instance-1').table('notes');
    const [rows] = await table.getRows();
    expect(rows.map(({ id, data }) => [id, data.m.text[0].value])).toEqual([['a', 'hello']]);
    await table.insert({ key: 'b', data: { m: { text: 'from the client' } } });
    expect(await notes.get({ id: 'b' })).toMatchObject({ text: 'from the client' });
    const [tables] = await client.instance('instance-1').getTables();
    expect(tables.map((each) => each.id)).toEqual(['notes']);
  });

  test('is one client over the connections of the database, with its app profile', async () => {
    const client = await db.client<Bigtable>();
    expect(await db.client()).toBe(client);
    expect([client.appProfileId, client.projectId]).toEqual(['batch', 'p']);
    const created = client.api.BigtableClient;
    await client.instance('instance-1').table('notes').getRows();
    expect(client.api.BigtableClient).toBe(created);
  });

  test('is closed with the database', async () => {
    const client = await db.client<Bigtable>();
    const table = client.instance('instance-1').table('notes');
    await table.getRows();
    // Its client for instances is one that only it knows.
    await client.getInstances();
    await db.close();
    await expect(client.getInstances()).rejects.toThrow('closed');
    await expect(table.insert({ key: 'c', data: { m: { text: 'late' } } })).rejects.toThrow(
      'closed',
    );
    await expect(db.client()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });

  test('our server has no SQL: the status is UNIMPLEMENTED', async () => {
    const instance = (await db.client<Bigtable>()).instance('instance-1');
    await expect(instance.prepareStatement('SELECT _key FROM notes')).rejects.toMatchObject({
      code: unimplemented,
    });
  });

  test('it would bypass readOnly and faults', async () => {
    await using reader = await openLive(server.address, { readOnly: true });
    await expect(reader.client()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      details: { problem: expect.stringContaining('bypass') },
    });
    await using faulty = await faultyDatabase(url, {
      entities: [Note],
      bigtable: { emulatorHost: server.address },
    });
    await expect(faulty.client()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});

test('an embedded database has none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  {
    await using onDisk = await open(`file:${folder}`, { entities: [Note] });
    await using inMemory = await testDatabase([Note]);
    for (const db of [onDisk, inMemory])
      await expect(db.client()).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        details: { fix: expect.stringContaining('bigtable://project/instance') },
      });
  }
  rmSync(folder, { recursive: true });
});

const program = findEmulator();
(program === undefined ? test.skip : test)("Google's emulator has no SQL", async () => {
  const emulator = await startGoogleEmulator(program!);
  await using db = await openLive(emulator.address);
  const instance = (await db.client<Bigtable>()).instance('instance-1');
  const outcome = await instance.prepareStatement('SELECT _key FROM notes').then(
    () => 'a result',
    (error: { readonly code?: number }) => error.code,
  );
  expect(outcome).toBe(unimplemented);
  expect(emulator.ended()).toBe(false);
  await emulator.close();
});

/** CRC-32C, which the client compares. */
function crc32c(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

const { v2 } = protos.google.bigtable;

/** Answers any query with one row. */
function answerQuery({ method, request, send }: Attempt): void {
  if (method === 'PrepareQuery') {
    const columns = [
      { name: '_key', type: { bytesType: {} } },
      { name: 'text', type: { stringType: {} } },
    ];
    send(
      v2.PrepareQueryResponse.encode({
        preparedQuery: Buffer.from(v2.PrepareQueryRequest.decode(request).query),
        metadata: { protoSchema: { columns } },
        validUntil: { seconds: Math.floor(Date.now() / 1000) + 3600 },
      }).finish(),
    );
    return;
  }
  const values = [{ bytesValue: Buffer.from('a') }, { stringValue: 'hello' }];
  const batchData = v2.ProtoRows.encode({ values }).finish();
  const results = {
    protoRowsBatch: { batchData },
    batchChecksum: crc32c(batchData),
    resumeToken: Buffer.from('end'),
  };
  send(v2.ExecuteQueryResponse.encode({ results }).finish());
}

// No emulator runs SQL. This server shows what the client sends for a query, and that it returns rows.
test('SQL runs over the connection and the app profile of the database', async () => {
  const server = await startHeaderServer(answerQuery);
  const db = await openLive(server.address, { readOnly: false });
  const instance = (await db.client<Bigtable>()).instance('instance-1');
  const [statement] = await instance.prepareStatement('SELECT _key, text FROM notes');
  const [rows] = await instance.executeQuery(statement);
  const decodeKey = db.repository(Note).model.key.decoder();
  const found = rows.map((row) => {
    const key = row.get('_key') as Uint8Array;
    const note: Record<string, unknown> = { text: row.get('text') };
    expect(decodeKey(key, 0, key.length, note)).toBe(true);
    return note;
  });
  expect(found).toEqual([{ id: 'a', text: 'hello' }]);
  const sql = server.attempts.filter(({ method }) => method.endsWith('Query'));
  expect(sql.map(({ method }) => method)).toEqual(['PrepareQuery', 'ExecuteQuery']);
  for (const { headers } of sql)
    expect(headers['x-goog-request-params']).toContain('app_profile_id=batch');
  await db.close();
  await server.close();
});
