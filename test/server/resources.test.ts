/**
 * Instances, clusters, app profiles, value types and access policies: what is kept, and bad input,
 * which leaves everything as it was.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { collectCall, RawClient, utf8 } from './raw-client.js';
import { resourceState } from './resource-state.js';
import {
  project,
  instance,
  table,
  invalid,
  missing,
  unoffered,
  autoscaling,
  create,
  resourceServer,
} from './resource-calls.js';

const { served, instances, tables, get, rejected } = resourceServer();

describe('access policies', () => {
  const bindings = [{ role: 'roles/bigtable.user', members: ['user:a@example.com'] }];
  const condition = { expression: 'true', title: 'always' };

  test.each(['instances', 'tables'] as const)('of %s are kept with their etag', async (service) => {
    const resource = service === 'instances' ? instance : table;
    const ask = (method: string, request: object) =>
      served.client.unary(service, method, { resource, ...request });
    const empty = await ask('GetIamPolicy', {});
    expect(empty).toEqual({ etag: Buffer.of(0, 1) });
    const set = await ask('SetIamPolicy', { policy: { bindings, etag: empty.etag } });
    expect(set).toMatchObject({ bindings });
    expect(await ask('GetIamPolicy', {})).toEqual(set);
    await rejected(
      (method, request) => served.client.call(service, method, request),
      [
        [
          'SetIamPolicy',
          { resource, policy: { bindings: [], etag: empty.etag } },
          { code: status.ABORTED },
        ],
      ],
    );
    const audited = { version: 3, auditConfigs: [{ service: 'allServices' }], bindings: [] };
    await ask('SetIamPolicy', { policy: audited, updateMask: { paths: ['audit_configs'] } });
    expect(await ask('GetIamPolicy', {})).toMatchObject({
      bindings,
      auditConfigs: [{ service: 'allServices' }],
    });
    expect(await ask('TestIamPermissions', { permissions: ['bigtable.tables.get'] })).toEqual({
      permissions: ['bigtable.tables.get'],
    });
    // Gone with its resource.
    if (service === 'tables') await tables('DeleteTable', { name: table });
    else await instances('DeleteInstance', { name: instance });
    expect(await served.client.call(service, 'GetIamPolicy', { resource })).toMatchObject(missing);
    expect(await ask('TestIamPermissions', { permissions: ['bigtable.tables.get'] })).toEqual({});
    if (service === 'instances') await create(served.client);
    else await tables('CreateTable', { parent: instance, tableId: 't' });
    expect(await ask('GetIamPolicy', {})).toEqual(empty);
  });

  test('a new table does not get the policy of a table that was deleted through the engine', async () => {
    const parent = 'projects/rowsmith/instances/local';
    const resource = `${parent}/tables/mine`;
    await served.client.unary('tables', 'CreateTable', { parent, tableId: 'mine' });
    await served.client.unary('tables', 'SetIamPolicy', { resource, policy: { bindings } });
    await served.engine.deleteTable('mine');
    await served.client.unary('tables', 'CreateTable', { parent, tableId: 'mine' });
    expect(await served.client.unary('tables', 'GetIamPolicy', { resource })).toEqual({
      etag: Buffer.of(0, 1),
    });
  });

  test('bad input', async () => {
    const policy = (changes: object) => ({ resource: instance, policy: changes });
    const conditional = [{ ...bindings[0], condition }];
    await rejected(instances, [
      ['GetIamPolicy', {}, invalid],
      ['GetIamPolicy', { resource: table }, invalid],
      ['GetIamPolicy', { resource: `${project}/instances/nowhere` }, missing],
      ['GetIamPolicy', { resource: instance, options: { requestedPolicyVersion: 2 } }, invalid],
      ['SetIamPolicy', { resource: instance }, invalid],
      ['SetIamPolicy', { resource: `${project}/instances/nowhere`, policy: {} }, missing],
      ['SetIamPolicy', policy({ version: 2 }), invalid],
      ['SetIamPolicy', policy({ bindings: [{ members: ['user:a'] }] }), invalid],
      ['SetIamPolicy', policy({ bindings: [{ role: 'r', members: ['nobody'] }] }), invalid],
      ['SetIamPolicy', policy({ version: 1, bindings: conditional }), invalid],
      ['SetIamPolicy', { ...policy({ bindings }), updateMask: { paths: ['roles'] } }, invalid],
      ['SetIamPolicy', policy({ etag: utf8('wrong') }), { code: status.ABORTED }],
      ['TestIamPermissions', { resource: instance }, invalid],
      ['TestIamPermissions', { resource: instance, permissions: ['bigtable.*'] }, invalid],
    ]);
    await served.client.unary('instances', 'SetIamPolicy', {
      resource: instance,
      policy: { version: 3, bindings: conditional },
    });
    const options = { requestedPolicyVersion: 3 };
    await rejected(instances, [['GetIamPolicy', { resource: instance }, invalid]]);
    expect(
      await served.client.unary('instances', 'GetIamPolicy', { resource: instance, options }),
    ).toMatchObject({ version: 3, bindings: conditional });
    await rejected(tables, [
      ['GetIamPolicy', { resource: instance }, invalid],
      ['SetIamPolicy', { resource: `${table}x`, policy: {} }, missing],
    ]);
  });
});

test('calls at the same time have an effect one after the other', async () => {
  const profile = {
    parent: instance,
    appProfileId: 'same',
    appProfile: { multiClusterRoutingUseAny: {} },
  };
  const creations = await Promise.all(
    Array.from({ length: 5 }, () => instances('CreateAppProfile', profile)),
  );
  expect(creations.map(({ code }) => code).sort((a, b) => a - b)).toEqual([0, 6, 6, 6, 6]);
  const { etag } = await get('GetAppProfile', `${instance}/appProfiles/same`);
  const updates = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      instances('UpdateAppProfile', {
        appProfile: { name: `${instance}/appProfiles/same`, description: `${i}`, etag },
        updateMask: { paths: ['description'] },
      }),
    ),
  );
  expect(updates.map(({ code }) => code).sort((a, b) => a - b)).toEqual([0, 10, 10, 10, 10]);
  // Protection comes before the deletion, or after it, and never in the middle.
  const [protection, deletion] = await Promise.all([
    tables('UpdateTable', {
      table: { name: table, deletionProtection: true },
      updateMask: { paths: ['deletion_protection'] },
    }),
    instances('DeleteInstance', { name: instance }),
  ]);
  expect([protection.code, deletion.code]).toEqual(protection.code === status.OK ? [0, 9] : [5, 0]);
});

test('a field that the server does not know is rejected, at any level', async () => {
  const path = '/google.bigtable.admin.v2.BigtableInstanceAdmin/GetInstance';
  // Field 99, a string.
  const unknown = Buffer.from([0x9a, 0x06, 0x01, 0x78]);
  const answer = await collectCall(served.client.bytes(path, unknown, 10_000));
  expect(answer).toMatchObject({
    ...unoffered,
    details: expect.stringContaining('field 99') as string,
  });
});

test('everything is kept across a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-resources-'));
  const states: unknown[] = [];
  for (const first of [true, false]) {
    const engine = await openDiskEngine(join(folder, 'data'));
    const server = await startServer(engine);
    const client = new RawClient(server.address);
    if (first) {
      await create(client);
      for (const [service, resource] of [
        ['instances', instance],
        ['tables', table],
      ] as const)
        await client.unary(service, 'SetIamPolicy', {
          resource,
          policy: { bindings: [{ role: 'roles/viewer', members: ['allUsers'] }] },
        });
    }
    states.push(await resourceState(client, project));
    client.close();
    await server.close();
    await engine.close();
  }
  expect(states[1]).toEqual(states[0]);
  expect(JSON.stringify(states[0])).toContain('allUsers');
  rmSync(folder, { recursive: true });
});

test('resources that the first release stored are read and can be changed', async () => {
  const engine = await openMemoryEngine();
  await engine.createTable({ name: '_rowsmith.server', families: new Map([['r', {}]]) });
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const stored = JSON.parse(
    readFileSync(join(__dirname, 'fixtures/resources-1.json'), 'utf8'),
  ) as Record<string, string>;
  for (const [key, value] of Object.entries(stored))
    await engine.mutateRow('_rowsmith.server', {
      key: utf8(key),
      mutations: [
        {
          kind: 'setCell',
          family: 'r',
          qualifier: Buffer.alloc(0),
          timestamp: 0,
          value: Buffer.from(value, 'base64'),
        },
      ],
    });
  await using server = await startServer(engine);
  const client = new RawClient(server.address);
  const old = `${project}/instances/stored`;
  const ask = (method: string, request: object) => client.unary('instances', method, request);
  expect(await ask('GetInstance', { name: old })).toMatchObject({
    displayName: 'Stored',
    type: 'DEVELOPMENT',
    labels: { a: '1' },
  });
  const cluster = `${old}/clusters/cluster-1`;
  expect(await ask('GetCluster', { name: cluster })).toMatchObject({
    serveNodes: 3,
    defaultStorageType: 'HDD',
    clusterConfig: autoscaling(2, 9),
  });
  const { appProfiles } = await ask('ListAppProfiles', { parent: old });
  expect(appProfiles).toMatchObject([
    {
      name: `${old}/appProfiles/any`,
      multiClusterRoutingUseAny: { clusterIds: ['cluster-1'] },
      standardIsolation: { priority: 'PRIORITY_LOW' },
    },
    { name: `${old}/appProfiles/default` },
  ]);
  const profile = { name: `${old}/appProfiles/any`, description: 'changed' };
  await ask('UpdateAppProfile', {
    appProfile: profile,
    updateMask: { paths: ['description'] },
  });
  expect(await ask('GetAppProfile', { name: profile.name })).toMatchObject({
    ...profile,
    multiClusterRoutingUseAny: { clusterIds: ['cluster-1'] },
    standardIsolation: { priority: 'PRIORITY_LOW' },
  });
  expect(await ask('GetInstance', { name: `${project}/instances/bare-instance` })).toMatchObject({
    state: 'READY',
  });
  await ask('DeleteInstance', { name: old });
  expect((await engine.listTables()).map(({ name }) => name)).toEqual(['_rowsmith.server']);
  client.close();
});
