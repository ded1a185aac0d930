/** Instances of our server. */
import { status } from '@grpc/grpc-js';
import { startServer } from '../../src/server/index.js';
import { ResourceStore } from '../../src/server/resources/resource-store.js';
import { RawClient } from './raw-client.js';
import {
  project,
  instance,
  table,
  invalid,
  missing,
  precondition,
  location,
  create,
  type Case,
  resourceServer,
} from './resource-calls.js';

const { served, instances, tables, get, rejected } = resourceServer();

describe('instances', () => {
  test('an instance is deleted with its tables, profiles and clusters', async () => {
    await served.client.unary('tables', 'CreateTable', { parent: instance, tableId: 'u' });
    await served.client.unary('tables', 'CreateTable', {
      parent: `${project}/instances/other-1`,
      tableId: 't',
    });
    expect(await instances('DeleteInstance', { name: instance })).toMatchObject({ code: 0 });
    expect(await instances('GetInstance', { name: instance })).toMatchObject(missing);
    expect(await tables('GetTable', { name: table })).toMatchObject(missing);
    expect((await served.engine.listTables()).map(({ name }) => name)).not.toContain('u');
    expect(
      await tables('GetTable', { name: `${project}/instances/other-1/tables/t` }),
    ).toMatchObject({ code: 0 });
    // Nothing of it is left for a new instance of the same name.
    await create(served.client);
    expect(await get('GetInstance', instance)).toMatchObject({ displayName: 'Created' });
  });

  test('a protected table keeps the whole instance', async () => {
    await served.client.unary('tables', 'CreateTable', {
      parent: instance,
      tableId: 'zz-protected',
      table: { deletionProtection: true },
    });
    await rejected(instances, [['DeleteInstance', { name: instance }, precondition]]);
    await served.client.unary('tables', 'UpdateTable', {
      table: { name: `${instance}/tables/zz-protected` },
      updateMask: { paths: ['deletion_protection'] },
    });
    expect(await instances('DeleteInstance', { name: instance })).toMatchObject({ code: 0 });
  });

  test('tags are kept', async () => {
    expect(await get('GetInstance', instance)).toMatchObject({
      tags: { 'tagKeys/1': 'tagValues/2' },
    });
    await served.client.unary('instances', 'UpdateInstance', {
      name: instance,
      displayName: 'Renamed',
    });
    expect(await get('GetInstance', instance)).toMatchObject({
      displayName: 'Renamed',
      type: 'PRODUCTION',
      tags: { 'tagKeys/1': 'tagValues/2' },
    });
  });

  test('an update with an unspecified type leaves the type unchanged', async () => {
    const update = (changes: object, ...paths: string[]) =>
      instances('PartialUpdateInstance', {
        instance: { name: instance, ...changes },
        updateMask: { paths },
      });
    expect(await update({ type: 'DEVELOPMENT' }, 'type')).toMatchObject({ code: 0 });
    expect(await update({}, 'type')).toMatchObject({ code: 0 });
    expect(await get('GetInstance', instance)).toMatchObject({ type: 'DEVELOPMENT' });
    await served.client.unary('instances', 'UpdateInstance', { name: instance, displayName: 'x' });
    expect(await get('GetInstance', instance)).toMatchObject({ type: 'DEVELOPMENT' });
  });

  test('an instance that is implied by a table stays with what was created in it', async () => {
    const implied = `${project}/instances/implied`;
    const only = { parent: implied, tableId: 't' };
    const additions: [method: string, request: object][] = [
      [
        'CreateAppProfile',
        { parent: implied, appProfileId: 'x', appProfile: { multiClusterRoutingUseAny: {} } },
      ],
      ['CreateCluster', { parent: implied, clusterId: 'second', cluster: { serveNodes: 1 } }],
      ['SetIamPolicy', { resource: implied, policy: { bindings: [] } }],
      ['UpdateCluster', { name: `${implied}/clusters/local`, serveNodes: 2 }],
      [
        'UpdateAppProfile',
        {
          appProfile: { name: `${implied}/appProfiles/default`, description: 'x' },
          updateMask: { paths: ['description'] },
        },
      ],
    ];
    for (const [method, request] of additions) {
      await served.client.unary('tables', 'CreateTable', only);
      expect(await instances(method, request)).toMatchObject({ code: 0 });
      await served.client.unary('tables', 'DeleteTable', { name: `${implied}/tables/t` });
      expect(await instances('GetInstance', { name: implied })).toMatchObject({ code: 0 });
      await served.client.unary('instances', 'DeleteInstance', { name: implied });
    }
    await served.client.unary('tables', 'CreateTable', only);
    await served.client.unary('tables', 'DeleteTable', { name: `${implied}/tables/t` });
    expect(await instances('GetInstance', { name: implied })).toMatchObject(missing);
  });

  test('an instance without tables, after its only one was deleted through the engine, is not listed', async () => {
    const implied = `${project}/instances/implied`;
    await served.client.unary('tables', 'CreateTable', { parent: implied, tableId: 'gone' });
    await served.engine.deleteTable('gone');
    const { instances: listed } = await served.client.unary('instances', 'ListInstances', {
      parent: project,
    });
    expect(listed).toMatchObject([{ name: instance }]);
    expect(await instances('ListClusters', { parent: `${project}/instances/-` })).toMatchObject({
      code: 0,
    });
    expect(await instances('GetInstance', { name: implied })).toMatchObject(missing);
  });

  test('nothing that an interrupted call has left belongs to a new instance', async () => {
    const name = `${project}/instances/second`;
    const store = await ResourceStore.open(served.engine);
    await store.put('cluster', `${name}/clusters/left-over`, new Uint8Array());
    await store.put('appProfile', `${name}/appProfiles/left-over`, new Uint8Array());
    await store.put('policy', name, new Uint8Array());
    const server = await startServer(served.engine);
    const client = new RawClient(server.address);
    await client.unary('instances', 'CreateInstance', {
      parent: project,
      instanceId: 'second',
      instance: { displayName: 'Second' },
      clusters: { 'cluster-1': { location, serveNodes: 1 } },
    });
    const list = (method: string) => client.unary('instances', method, { parent: name });
    expect((await list('ListClusters')).clusters).toMatchObject([
      { name: `${name}/clusters/cluster-1` },
    ]);
    expect((await list('ListAppProfiles')).appProfiles).toMatchObject([
      { name: `${name}/appProfiles/default` },
    ]);
    expect(await client.unary('instances', 'GetIamPolicy', { resource: name })).toEqual({
      etag: Buffer.of(0, 1),
    });
    client.close();
    await server.close({ graceMs: 100 });
  });

  test('labels as instance.proto allows them', async () => {
    const update = (labels: object) =>
      instances('PartialUpdateInstance', {
        instance: { name: instance, labels },
        updateMask: { paths: ['labels'] },
      });
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`label-${at}`, '']));
    for (const labels of [
      many(64),
      { é_1: '' },
      { ['a'.repeat(63)]: '_-9', time_created: '1764000000000' },
    ])
      expect(await update(labels)).toMatchObject({ code: 0 });
    await rejected(
      (_method, labels) => update(labels),
      [
        many(65),
        { '': 'x' },
        { A: 'x' },
        { '1': 'x' },
        { 'a b': 'x' },
        { a: 'B' },
        { ['a'.repeat(64)]: 'x' },
        { a: 'x'.repeat(64) },
        // 63 characters of 3 bytes.
        { a: '中'.repeat(63) },
      ].map((labels): Case => ['labels', labels, invalid]),
    );
    const created = { parent: project, instanceId: 'second', clusters: { 'cluster-1': {} } };
    await rejected(instances, [
      ['CreateInstance', { ...created, instance: { labels: { A: 'x' } } }, invalid],
      ['UpdateInstance', { name: instance, displayName: 'x', labels: { A: 'x' } }, invalid],
    ]);
  });

  test('bad input', async () => {
    const creation = (changes: object = {}) => ({
      parent: project,
      instanceId: 'second',
      instance: { displayName: 'Second' },
      clusters: { 'cluster-1': { location, serveNodes: 1 } },
      ...changes,
    });
    await rejected(instances, [
      ['CreateInstance', creation({ parent: 'p' }), invalid],
      ['CreateInstance', creation({ instanceId: '' }), invalid],
      ['CreateInstance', creation({ instance: undefined }), invalid],
      ['CreateInstance', creation({ clusters: {} }), invalid],
      ['CreateInstance', creation({ clusters: { X: { location } } }), invalid],
      ['CreateInstance', creation({ clusters: { 'cluster-1': { serveNodes: -1 } } }), invalid],
      ['CreateInstance', creation({ clusters: { 'cluster-1': { location: 'z' } } }), invalid],
      ['CreateInstance', creation({ instance: { name: instance } }), invalid],
      ['CreateInstance', creation({ instance: { state: 'READY' } }), invalid],
      ['CreateInstance', creation({ instance: { type: 9 } }), invalid],
      ['CreateInstance', creation({ instanceId: 'created' }), { code: status.ALREADY_EXISTS }],
      ['DeleteInstance', { name: 'projects/rowsmith/instances/local' }, precondition],
      ['DeleteInstance', { name: `${project}/instances/nowhere` }, missing],
      ['UpdateInstance', { name: instance, displayName: 'x', tags: { other: 'x' } }, invalid],
      ['UpdateInstance', { name: instance, labels: { a: '2' } }, invalid],
      [
        'PartialUpdateInstance',
        { instance: { name: instance }, updateMask: { paths: ['labels', 'display_name'] } },
        invalid,
      ],
      [
        'PartialUpdateInstance',
        { instance: { name: instance, tags: { other: 'x' } }, updateMask: { paths: ['tags'] } },
        invalid,
      ],
      [
        'PartialUpdateInstance',
        {
          instance: { name: instance, displayName: 'x' },
          updateMask: { paths: ['display_name', 'labels.a'] },
        },
        invalid,
      ],
      [
        'PartialUpdateInstance',
        { instance: { displayName: 'x' }, updateMask: { paths: ['display_name'] } },
        invalid,
      ],
    ]);
  });
});
