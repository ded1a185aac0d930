/** Drift, lint, garbage collection, derived rows and heat. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { recordAccess } from '../../../src/tools/index.js';
import { open } from '../../../src/index.js';
import { Device, entities, Order } from './entities.js';
import { at, seedStudio } from './seed-studio.js';
import { ofType, StudioClient, writePage } from './studio-client.js';

let client: StudioClient;
beforeAll(async () => {
  client = await StudioClient.open('memory:');
  await seedStudio(client.studio.db);
});
afterAll(() => client.close());

test('drift: nothing, until a stored table differs', async () => {
  expect(await client.call('drift', {})).toEqual({ steps: [] });
  const { engine } = client.studio.db;
  await engine.modifyFamilies('shop', [
    { kind: 'update', family: 't', gc: { kind: 'maxVersions', versions: 9 } },
    { kind: 'create', family: 'old', schema: {} },
  ]);
  const { steps } = await client.call('drift', {});
  expect(steps).toEqual([
    expect.objectContaining({
      kind: 'changeGc',
      table: 'shop',
      family: 't',
      from: 'maxversions=9',
      to: 'maxversions=1',
      safety: 'data-losing',
    }),
    expect.objectContaining({ kind: 'dropFamily', family: 'old', applies: false }),
  ]);
});

test('lint has the findings of the command, with their places', async () => {
  const { findings } = await client.call('lint', {});
  expect(findings.length).toBeGreaterThan(0);
  for (const finding of findings)
    expect(finding).toMatchObject({
      rule: expect.stringMatching(/^[KFL]\d\d$/),
      entity: expect.any(String),
      problem: expect.any(String),
      fix: expect.any(String),
      source: expect.stringMatching(/^https:/),
    });
});

test('garbage collection: what is stored, and due', async () => {
  const lines = await client.lines('gc', { table: 'shop' });
  const [{ report }] = ofType(lines, 'report');
  expect(report).toMatchObject({ table: 'shop', share: 1 });
  const family = report.families.find((each) => each.family === 'h')!;
  expect(family).toMatchObject({ rule: 'maxversions=10', stored: { cells: { value: 2 } } });
  expect(await client.failure('gc', { table: 'none' })).toMatchObject({ status: 404 });
});

describe('derived rows', () => {
  test('their states', async () => {
    const state = await client.call('derived', {});
    expect(state.indexes).toContainEqual(
      expect.objectContaining({ entity: 'Order', index: 'byStatus', state: 'ready' }),
    );
    expect(state.rollups).toEqual([{ entity: 'Order', rollup: 'daily' }]);
    expect(state.copies).toEqual([{ entity: 'Device', due: 0 }]);
  });

  test('verified, repaired and rebuilt', async () => {
    const report = async (name: 'verify' | 'repair' | 'rebuild', body: object) => {
      const lines = await client.lines(name, { entity: 'Order', ...body });
      return ofType(lines, 'report')[0];
    };
    expect(await report('verify', {})).toMatchObject({ clean: true, findings: [] });
    // As another program would write: the index does not follow.
    const { db } = client.studio;
    const { model } = db.repository(Order);
    await db.engine.mutateRow('shop', {
      key: model.key.encode({ shop: 'oslo', at: at(11), n: 1 }),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('status'),
          timestamp: Date.now() * 1_000 + 1_000_000,
          value: Buffer.from('lost'),
        },
      ],
    });
    const found = await report('verify', { index: 'byStatus' });
    expect(found.clean).toBe(false);
    expect(found.findings[0]).toMatchObject({ index: 'byStatus', repaired: false });
    expect(await report('repair', { index: 'byStatus' })).toMatchObject({ clean: true });
    expect(await report('verify', {})).toMatchObject({ clean: true });
    expect(await report('rebuild', { index: 'byStatus' })).toMatchObject({ clean: true });
    expect(await client.failure('rebuild', { entity: 'Order' })).toMatchObject({
      status: 400,
      property: 'index',
    });
    const lines = await client.lines('propagate', { entity: 'Device' });
    expect(ofType(lines, 'report')[0]).toMatchObject({ counts: { sources: 0 }, clean: true });
  });
});

test('heat: the maps of a recording, and none without one', async () => {
  expect(await client.failure('heat', {})).toMatchObject({
    status: 404,
    fix: expect.stringContaining('--recording'),
  });
  const folder = writePage();
  const recording = join(folder, 'access.heat');
  const record = recordAccess({ file: recording });
  const db = await open('memory:', { entities, observe: { record }, lint: false });
  await seedStudio(db);
  await db.close();
  await record.close();
  const other = await StudioClient.open('memory:', { recording });
  expect((await other.call('session', {})).heat).toBe(true);
  const [line] = ofType(await other.lines('heat', {}), 'maps');
  expect(line.source).toBe('access.heat');
  expect(line.maps.map((map) => (map as { name: string }).name)).toEqual(
    expect.arrayContaining(['shop', 'fleet']),
  );
  await other.close();
  rmSync(folder, { recursive: true, force: true });
});

test('heat follows a recording while an application writes it', async () => {
  const folder = writePage();
  const recording = join(folder, 'live.heat');
  const record = recordAccess({ file: recording });
  const db = await open('memory:', { entities, observe: { record }, lint: false });
  await db.repository(Order).get({ shop: 'oslo', at: at(1), n: 1 });
  record.flush();
  const other = await StudioClient.open('memory:', { recording });
  const headers = { 'content-type': 'application/json', cookie: other.cookie };
  const { port } = other.studio;
  const to = { host: '127.0.0.1', port, path: '/api/heat', method: 'POST', headers };
  const call = request(to);
  call.end(JSON.stringify({ everyMs: 1_000 }));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const lines = createInterface(response)[Symbol.asyncIterator]();
  const tables = async (): Promise<readonly unknown[]> => {
    const { value } = (await lines.next()) as { value: string };
    return (JSON.parse(value) as { maps: { name: string }[] }).maps.map(({ name }) => name);
  };
  expect(await tables()).toEqual(['shop']);
  await db.repository(Device).get({ tenant: 'acme', device: 'd1' });
  record.flush();
  while (!(await tables()).includes('fleet'));
  call.destroy();
  await db.close();
  await record.close();
  await other.close();
  rmSync(folder, { recursive: true, force: true });
});
