/** Updates of instances, app profiles, policies and families: what a request does not name stays. */
import { status } from '@grpc/grpc-js';
import { instance, serveMemory, tableName, type TestServer } from './raw-client.js';
import { resourceState } from './resource-state.js';

const project = 'projects/p';
const invalid = { code: status.INVALID_ARGUMENT };

let served: TestServer;
beforeEach(async () => {
  served = await serveMemory();
  await served.client.unary('instances', 'CreateInstance', {
    parent: project,
    instanceId: 'instance-1',
    instance: { displayName: 'One', labels: { a: '1' } },
    clusters: { 'cluster-1': { location: `${project}/locations/z`, serveNodes: 3 } },
  });
  await served.client.unary('tables', 'CreateTable', {
    parent: instance,
    tableId: 't',
    table: { columnFamilies: { f: { gcRule: { maxNumVersions: 2 } } } },
  });
});
afterEach(() => served.close());

const instances = (method: string, request: object) =>
  served.client.call('instances', method, request);
const get = (method: string, name: string) => served.client.unary('instances', method, { name });

/** Makes a call that must fail with the code, and have no effect. */
async function rejected(
  service: 'instances' | 'tables',
  method: string,
  request: object,
  expected: { readonly code: number },
): Promise<void> {
  const before = await resourceState(served.client, project);
  expect(await served.client.call(service, method, request)).toMatchObject(expected);
  expect(await resourceState(served.client, project)).toEqual(before);
}

test('UpdateInstance updates the name and the type, and keeps the labels', async () => {
  // bigtable_instance_admin.proto: "updates only the display name and type for an Instance".
  // A request without labels once removed them.
  const update = (change: object) =>
    served.client.unary('instances', 'UpdateInstance', { name: instance, ...change });
  expect(await update({ displayName: 'Two' })).toMatchObject({ labels: { a: '1' } });
  const read = await get('GetInstance', instance);
  expect(read).toMatchObject({ displayName: 'Two', labels: { a: '1' } });
  expect(await update({ ...read, displayName: 'Three' })).toMatchObject({ labels: { a: '1' } });
  const relabelled = { name: instance, displayName: 'Four', labels: { a: '2' } };
  await rejected('instances', 'UpdateInstance', relabelled, invalid);
});

describe('app profiles', () => {
  const name = `${instance}/appProfiles/one`;
  const create = (appProfile: object) =>
    served.client.unary('instances', 'CreateAppProfile', {
      parent: instance,
      appProfileId: 'one',
      appProfile,
    });
  const update = (paths: string[], change: object) =>
    served.client.unary('instances', 'UpdateAppProfile', {
      appProfile: { name, ...change },
      updateMask: { paths },
    });
  const routed = { singleClusterRouting: { clusterId: 'cluster-1' } };

  test('a path in a policy or isolation that neither side has changes none', async () => {
    const dataBoost = { dataBoostIsolationReadOnly: { computeBillingOwner: 'HOST_PAYS' } };
    await create({ ...routed, ...dataBoost });
    await update(['multi_cluster_routing_use_any.cluster_ids'], {});
    await update(['standard_isolation.priority'], {});
    expect(await get('GetAppProfile', name)).toMatchObject({ ...routed, ...dataBoost });
  });

  test('a mask may name the etag, which is compared', async () => {
    // instance.proto, AppProfile.etag: the mask "need not include" it.
    const { etag } = await create(routed);
    const paths = ['description', 'etag'];
    await update(paths, { description: 'first', etag });
    const updated = await get('GetAppProfile', name);
    expect(updated).toMatchObject({ description: 'first' });
    expect(updated.etag).not.toBe(etag);
    const stale = { appProfile: { name, description: 'x', etag }, updateMask: { paths } };
    await rejected('instances', 'UpdateAppProfile', stale, { code: status.ABORTED });
    const only = { appProfile: { name, etag: updated.etag }, updateMask: { paths: ['etag.x'] } };
    await rejected('instances', 'UpdateAppProfile', only, invalid);
  });

  test('the default one exists: it is not created, and not deleted after an update', async () => {
    // DeleteAppProfile succeeded after an update, and the profile was still there.
    const byDefault = `${instance}/appProfiles/default`;
    const precondition = { code: status.FAILED_PRECONDITION };
    const creation = { parent: instance, appProfileId: 'default', appProfile: routed };
    await rejected('instances', 'CreateAppProfile', creation, { code: status.ALREADY_EXISTS });
    await served.client.unary('instances', 'UpdateAppProfile', {
      appProfile: { name: byDefault, description: 'changed' },
      updateMask: { paths: ['description'] },
    });
    await rejected('instances', 'DeleteAppProfile', { name: byDefault }, precondition);
    expect(await get('GetAppProfile', byDefault)).toMatchObject({ description: 'changed' });
  });
});

describe('a policy with conditions', () => {
  const resource = instance;
  const binding = { role: 'roles/bigtable.user', members: ['user:a@example.com'] };
  const conditional = [{ ...binding, condition: { expression: 'true', title: 'always' } }];
  const set = (policy: object) =>
    served.client.unary('instances', 'SetIamPolicy', { resource, policy });

  test('keeps them, unless version 3 is specified or no etag is given', async () => {
    // policy.proto, Policy.version: "removing any role binding [...] from a policy that includes
    // conditions" needs version 3; without an etag, the policy may be overwritten.
    const { etag } = await set({ version: 3, bindings: conditional });
    for (const version of [0, 1]) {
      const policy = { version, etag, bindings: [binding] };
      await rejected('instances', 'SetIamPolicy', { resource, policy }, invalid);
      const masked = { resource, policy, updateMask: { paths: ['bindings'] } };
      await rejected('instances', 'SetIamPolicy', masked, invalid);
    }
    const audited = { etag, auditConfigs: [{ service: 'allServices' }] };
    const paths = ['audit_configs'];
    const request = { resource, policy: audited, updateMask: { paths } };
    const after = await served.client.unary('instances', 'SetIamPolicy', request);
    expect(after).toMatchObject({ bindings: conditional, ...{ version: 3 } });
    expect(await set({ version: 3, etag: after.etag, bindings: [binding] })).toMatchObject({
      bindings: [binding],
    });
    await set({ version: 3, bindings: conditional });
    expect(await set({ bindings: [binding] })).toMatchObject({ bindings: [binding] });
  });
});

test('policies of resources that are not offered: they do not exist', async () => {
  // Clients get the policy of a backup. Its name was INVALID_ARGUMENT.
  const missing = { code: status.NOT_FOUND };
  const names = [
    ['tables', `${instance}/clusters/cluster-1/backups/b`],
    ['tables', `${tableName}/authorizedViews/v`],
    ['tables', `${tableName}/schemaBundles/s`],
    ['instances', `${instance}/materializedViews/v`],
    ['instances', `${instance}/logicalViews/v`],
  ] as const;
  for (const [service, resource] of names) {
    await rejected(service, 'GetIamPolicy', { resource }, missing);
    await rejected(service, 'SetIamPolicy', { resource, policy: {} }, missing);
    const permissions = ['bigtable.backups.get'];
    const tested = await served.client.call(service, 'TestIamPermissions', {
      resource,
      permissions,
    });
    expect(tested).toMatchObject({ code: 0, messages: [{}] });
    const other = service === 'tables' ? 'instances' : 'tables';
    await rejected(other, 'GetIamPolicy', { resource }, invalid);
    await rejected(service, 'GetIamPolicy', { resource: `${resource}/x` }, invalid);
  }
});

test('a mask that names one kind of rule does not set another', async () => {
  const modify = (paths: string[], gcRule?: object) => ({
    name: tableName,
    modifications: [{ id: 'f', update: { gcRule }, updateMask: { paths } }],
  });
  const ruleAfter = async (request: object) => {
    const { columnFamilies } = await served.client.unary('tables', 'ModifyColumnFamilies', request);
    return columnFamilies.f.gcRule;
  };
  const day = { maxAge: { seconds: '86400' } };
  for (const [path, rule] of [
    ['gc_rule.max_age', { maxNumVersions: 1 }],
    ['gc_rule.max_num_versions', day],
    ['gc_rule.union', { maxNumVersions: 1 }],
    ['gc_rule.intersection', { union: { rules: [{ maxNumVersions: 1 }] } }],
    // There is no age to remove.
    ['gc_rule.max_age', undefined],
  ] as const)
    await rejected('tables', 'ModifyColumnFamilies', modify([path], rule), invalid);
  expect(await ruleAfter(modify(['gc_rule.max_age'], day))).toEqual(day);
  expect(await ruleAfter(modify(['gc_rule.max_age', 'gc_rule.max_num_versions'], day))).toEqual(
    day,
  );
  expect(await ruleAfter(modify(['gc_rule.max_age']))).toEqual({});
});

test('an unknown view is rejected, also for a list without tables', async () => {
  const request = { parent: `${project}/instances/instance-2`, view: 99 };
  expect(await served.client.call('tables', 'ListTables', request)).toMatchObject(invalid);
  expect(await instances('ListInstances', { parent: project })).toMatchObject({ code: 0 });
});
