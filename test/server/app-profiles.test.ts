/** App profiles and value types of our server. */
import { status } from '@grpc/grpc-js';
import { setCell, utf8 } from './raw-client.js';
import {
  project,
  instance,
  table,
  invalid,
  missing,
  unoffered,
  precondition,
  int64,
  text,
  type Case,
  resourceServer,
} from './resource-calls.js';

const { served, instances, tables, get, rejected } = resourceServer();

describe('app profiles', () => {
  const name = `${instance}/appProfiles/one`;
  const update = (paths: readonly string[], appProfile: object) =>
    instances('UpdateAppProfile', { appProfile: { name, ...appProfile }, updateMask: { paths } });

  test('standard_isolation is kept, and replaces other isolations', async () => {
    expect(await get('GetAppProfile', name)).toMatchObject({
      standardIsolation: { priority: 'PRIORITY_LOW' },
    });
    expect(
      await update(['standard_isolation'], { standardIsolation: { priority: 'PRIORITY_MEDIUM' } }),
    ).toMatchObject({ code: 0 });
    expect(await get('GetAppProfile', name)).toMatchObject({
      description: 'first',
      standardIsolation: { priority: 'PRIORITY_MEDIUM' },
    });
    await update(['data_boost_isolation_read_only'], {
      dataBoostIsolationReadOnly: { computeBillingOwner: 'HOST_PAYS' },
    });
    const after = await get('GetAppProfile', name);
    expect(after).toMatchObject({
      dataBoostIsolationReadOnly: { computeBillingOwner: 'HOST_PAYS' },
    });
    expect(after.standardIsolation).toBeUndefined();
  });

  test('the deprecated priority sets the priority of standard_isolation, and none is high', async () => {
    const high = { standardIsolation: { priority: 'PRIORITY_HIGH' } };
    const medium = { standardIsolation: { priority: 'PRIORITY_MEDIUM' } };
    await update(['priority'], { priority: 'PRIORITY_MEDIUM' });
    const updated = await get('GetAppProfile', name);
    expect(updated).toMatchObject(medium);
    expect(updated.priority).toBeUndefined();
    const created = (appProfileId: string, isolation: object) =>
      served.client.unary('instances', 'CreateAppProfile', {
        parent: instance,
        appProfileId,
        appProfile: { multiClusterRoutingUseAny: {}, ...isolation },
      });
    expect(await created('two', { priority: 'PRIORITY_MEDIUM' })).toMatchObject(medium);
    expect(await created('three', { standardIsolation: {} })).toMatchObject(high);
    expect(await created('four', {})).toMatchObject(high);
    expect(await get('GetAppProfile', `${instance}/appProfiles/default`)).toMatchObject(high);
    await update(['standard_isolation'], { standardIsolation: {} });
    expect(await get('GetAppProfile', name)).toMatchObject(high);
  });

  test('the default profile allows all calls, also after a change of its description', async () => {
    const byDefault = `${instance}/appProfiles/default`;
    await served.client.unary('instances', 'UpdateAppProfile', {
      appProfile: { name: byDefault, description: 'changed' },
      updateMask: { paths: ['description'] },
    });
    expect(await get('GetAppProfile', byDefault)).toMatchObject({ description: 'changed' });
    expect(
      await served.client.call('data', 'ReadModifyWriteRow', {
        tableName: table,
        rowKey: utf8('r'),
        rules: [{ familyName: 'plain', columnQualifier: utf8('q'), incrementAmount: 1 }],
      }),
    ).toMatchObject({ code: 0 });
  });

  test('a token of a page that no call has returned is rejected', async () => {
    const parent = instance;
    const { nextPageToken } = await served.client.unary('instances', 'ListAppProfiles', {
      parent,
      pageSize: 1,
    });
    const page = { parent, pageToken: nextPageToken };
    expect(await instances('ListAppProfiles', page)).toMatchObject({ code: 0 });
    for (const pageToken of ['???', '-', `${nextPageToken}=`, 'ÿ']) {
      expect(await instances('ListAppProfiles', { parent, pageToken })).toMatchObject(invalid);
      expect(await tables('ListTables', { parent, pageToken })).toMatchObject(invalid);
    }
  });

  test('the etag of the last change is needed, if one is given', async () => {
    const { etag } = await get('GetAppProfile', name);
    const second = await update(['description'], { description: 'second', etag });
    expect(second).toMatchObject({ code: 0 });
    await rejected(instances, [
      [
        'UpdateAppProfile',
        { appProfile: { name, description: 'x', etag }, updateMask: { paths: ['description'] } },
        { code: status.ABORTED },
      ],
    ]);
    expect((await get('GetAppProfile', name)).etag).not.toBe(etag);
  });

  test('only single-cluster routing with transactional writes allows conditional writes', async () => {
    const increment = () =>
      served.client.call('data', 'ReadModifyWriteRow', {
        tableName: table,
        appProfileId: 'one',
        rowKey: utf8('r'),
        rules: [{ familyName: 'plain', columnQualifier: utf8('q'), incrementAmount: 1 }],
      });
    expect(await increment()).toMatchObject(precondition);
    await update(['single_cluster_routing.allow_transactional_writes'], {
      singleClusterRouting: { allowTransactionalWrites: true },
    });
    expect(await get('GetAppProfile', name)).toMatchObject({
      singleClusterRouting: { clusterId: 'cluster-1', allowTransactionalWrites: true },
    });
    expect(await increment()).toMatchObject({ code: 0 });
  });

  test('a profile of Data Boost only reads', async () => {
    await served.client.unary('instances', 'CreateAppProfile', {
      parent: instance,
      appProfileId: 'boost',
      appProfile: {
        singleClusterRouting: { clusterId: 'cluster-1', allowTransactionalWrites: true },
        dataBoostIsolationReadOnly: { computeBillingOwner: 'HOST_PAYS' },
      },
    });
    const rowKey = utf8('r');
    const mutations = [setCell('plain', 'q', 'v')];
    const rules = [{ familyName: 'plain', columnQualifier: utf8('n'), incrementAmount: 1 }];
    const writes: [string, object][] = [
      ['MutateRow', { rowKey, mutations }],
      ['MutateRows', { entries: [{ rowKey, mutations }] }],
      ['CheckAndMutateRow', { rowKey, falseMutations: mutations }],
      ['ReadModifyWriteRow', { rowKey, rules }],
    ];
    const call = (method: string, request: object, appProfileId: string) =>
      served.client.call('data', method, { tableName: table, appProfileId, ...request });
    for (const [method, request] of writes)
      expect(await call(method, request, 'boost')).toMatchObject({
        ...precondition,
        details: 'Writes are not allowed by this app profile: Data Boost is read-only',
        messages: [],
      });
    expect(await call('ReadRows', {}, 'boost')).toMatchObject({ code: status.OK, messages: [] });
    // Other profiles write, and this one too once it is no longer of Data Boost.
    expect(await call(...writes[0], 'default')).toMatchObject({ code: status.OK });
    await instances('UpdateAppProfile', {
      appProfile: { name: `${instance}/appProfiles/boost`, standardIsolation: { priority: 1 } },
      updateMask: { paths: ['standard_isolation'] },
    });
    for (const [method, request] of writes)
      expect(await call(method, request, 'boost')).toMatchObject({ code: status.OK });
  });

  test('bad input', async () => {
    const creation = (appProfile: object | undefined, changes: object = {}) => ({
      parent: instance,
      appProfileId: 'two',
      appProfile,
      ...changes,
    });
    const any = { multiClusterRoutingUseAny: {} };
    const masked = (path: string, appProfile: object) => ({
      appProfile: { name, ...appProfile },
      updateMask: { paths: [path] },
    });
    const to = (clusterId: string) => ({ singleClusterRouting: { clusterId } });
    const among = (...clusterIds: string[]) => ({ multiClusterRoutingUseAny: { clusterIds } });
    await rejected(instances, [
      ['CreateAppProfile', creation(undefined), invalid],
      ['CreateAppProfile', creation({ description: 'no policy' }), invalid],
      ['CreateAppProfile', creation(any, { appProfileId: '' }), invalid],
      ['CreateAppProfile', creation(any, { appProfileId: 'one' }), { code: status.ALREADY_EXISTS }],
      ['CreateAppProfile', creation(any, { parent: `${project}/instances/nowhere` }), missing],
      ['CreateAppProfile', creation({ ...any, name }), invalid],
      ['CreateAppProfile', creation(to('nowhere')), invalid],
      ['CreateAppProfile', creation(to('')), invalid],
      ['CreateAppProfile', creation(among('cluster-1', 'nowhere')), invalid],
      ['CreateAppProfile', creation(among('cluster-1', 'cluster-1')), invalid],
      ['CreateAppProfile', creation({ ...any, standardIsolation: { priority: 9 } }), invalid],
      ['CreateAppProfile', creation({ ...any, dataBoostIsolationReadOnly: {} }), invalid],
      [
        'CreateAppProfile',
        creation({ ...any, dataBoostIsolationReadOnly: { computeBillingOwner: 1 } }),
        invalid,
      ],
      ['UpdateAppProfile', { appProfile: { name, description: 'x' } }, invalid],
      ['UpdateAppProfile', masked('etag', { etag: 'x' }), { code: status.ABORTED }],
      ['UpdateAppProfile', masked('name', {}), invalid],
      ['UpdateAppProfile', masked('single_cluster_routing', {}), invalid],
      ['UpdateAppProfile', masked('single_cluster_routing', to('nowhere')), invalid],
      ['UpdateAppProfile', masked('multi_cluster_routing_use_any', among('nowhere')), invalid],
      ['UpdateAppProfile', masked('standard_isolation.nothing', {}), invalid],
      [
        'UpdateAppProfile',
        { appProfile: { name: `${name}x` }, updateMask: { paths: ['description'] } },
        missing,
      ],
      ['DeleteAppProfile', { name: `${name}x` }, missing],
      ['DeleteAppProfile', { name: `${instance}/appProfiles/default` }, precondition],
      ['GetAppProfile', { name: `${instance}/clusters/cluster-1` }, invalid],
      ['GetAppProfile', { name: `${project}/instances/nowhere/appProfiles/default` }, missing],
    ]);
  });
});

describe('value types', () => {
  const modify = (...modifications: object[]) =>
    tables('ModifyColumnFamilies', { name: table, modifications });
  const types = async () => {
    const { columnFamilies } = await served.client.unary('tables', 'GetTable', { name: table });
    return Object.fromEntries(
      Object.entries(columnFamilies as Record<string, { valueType?: object }>).map(
        ([id, { valueType }]) => [id, valueType],
      ),
    );
  };

  test('strings and bytes are kept, and change with the family', async () => {
    expect(await types()).toMatchObject({ plain: undefined, text });
    const raw = { bytesType: { encoding: { raw: {} } } };
    const paths = ['value_type'];
    expect(
      await modify(
        { id: 'plain', update: { valueType: text }, updateMask: { paths } },
        { id: 'text', update: { valueType: raw }, updateMask: { paths } },
        { id: 'new', create: { valueType: text } },
      ),
    ).toMatchObject({ code: 0 });
    expect(await types()).toMatchObject({ plain: text, text: raw, new: text });
    // Values are bytes for the engine, whatever they are described as.
    expect(
      await served.client.call('data', 'MutateRow', {
        tableName: table,
        rowKey: utf8('r'),
        mutations: [setCell('plain', 'q', Buffer.of(0xff))],
      }),
    ).toMatchObject({ code: 0 });
    await modify({ id: 'new', drop: true });
    await modify({ id: 'new', create: {} });
    expect((await types()).new).toBeUndefined();
    await tables('DeleteTable', { name: table });
    await tables('CreateTable', {
      parent: instance,
      tableId: 't',
      table: { columnFamilies: { text: {} } },
    });
    expect(await types()).toEqual({ text: undefined });
  });

  test('the changes of a request see those before them', async () => {
    const sum = { aggregateType: { inputType: int64, sum: {} } };
    const paths = ['value_type'];
    const versions = { maxNumVersions: 3 };
    expect(
      await modify(
        { id: 'new', create: { gcRule: versions } },
        { id: 'new', update: { valueType: text }, updateMask: { paths } },
        { id: 'plain', update: { gcRule: versions } },
        { id: 'plain', update: { valueType: text }, updateMask: { paths } },
      ),
    ).toMatchObject({ code: 0 });
    const { columnFamilies } = await served.client.unary('tables', 'GetTable', { name: table });
    expect(columnFamilies).toMatchObject({
      new: { gcRule: versions, valueType: text },
      plain: { gcRule: versions, valueType: text },
    });
    await rejected(
      (_method, modifications) => modify(...(modifications as object[])),
      [
        [
          { id: 'more', create: { valueType: sum } },
          { id: 'more', update: { valueType: text }, updateMask: { paths } },
        ],
        [
          { id: 'more', create: {} },
          { id: 'more', update: { valueType: sum }, updateMask: { paths } },
        ],
        [
          { id: 'plain', drop: true },
          { id: 'plain', create: { valueType: sum } },
          { id: 'plain', update: { valueType: text }, updateMask: { paths } },
        ],
      ].map((modifications): Case => ['modifications', modifications, invalid]),
    );
  });

  test('bad input', async () => {
    const change = (id: string, valueType: object | undefined, paths: string[]) => ({
      name: table,
      modifications: [
        { id: 'more', create: { valueType: text } },
        { id, update: { valueType }, updateMask: { paths } },
      ],
    });
    const sum = { aggregateType: { inputType: int64, sum: {} } };
    await rejected(tables, [
      ['ModifyColumnFamilies', change('sum', text, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('sum', undefined, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('plain', sum, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('plain', text, []), invalid],
      ['ModifyColumnFamilies', change('plain', text, ['value_type.string_type']), invalid],
      ['ModifyColumnFamilies', change('plain', undefined, ['gc_rule.nothing']), invalid],
      ['ModifyColumnFamilies', change('plain', { int64Type: {} }, ['value_type']), invalid],
      ['ModifyColumnFamilies', change('plain', { arrayType: {} }, ['value_type']), unoffered],
      ['ModifyColumnFamilies', change('nowhere', text, ['value_type']), missing],
      ['GetTable', { name: table, view: 77 }, invalid],
      // A wildcard in lists.
      ['CreateTable', { parent: `${project}/instances/-`, tableId: 't' }, invalid],
      ['CreateTable', { parent: instance, tableId: 'u', table: { name: table } }, invalid],
    ]);
  });
});
