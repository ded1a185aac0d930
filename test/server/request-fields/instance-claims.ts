/** google.bigtable.admin.v2.BigtableInstanceAdmin. */
import {
  autoscaling,
  emptyList,
  instance,
  location,
  mask,
  named,
  noItems,
  noWarnings,
  other,
  policyClaims,
  project,
  type FieldClaim,
  type ServiceClaims,
} from './claim.js';

type Claims = Record<string, FieldClaim>;
type Wrap = (fields: object, path: string) => object;

const whole = 'cluster_config.cluster_autoscaling_config';
const unused = 'unused by Bigtable';
const left = 'must be left blank';

/** The fields of a new instance. */
const newInstance: Claims = {
  'instance.name': ['refused', { instance: { name: instance } }, 'unless it is the new name'],
  'instance.displayName': ['kept', { instance: { displayName: 'Another' } }],
  'instance.state': ['refused', { instance: { state: 'READY' } }, left],
  'instance.type': ['kept', { instance: { type: 'DEVELOPMENT' } }],
  'instance.labels': ['kept', { instance: { labels: { a: 'b' } } }],
  'instance.createTime': ['refused', { instance: { createTime: { seconds: 1 } } }, left],
  'instance.satisfiesPzs': ['refused', { instance: { satisfiesPzs: true } }, left],
  'instance.satisfiesPzi': ['refused', { instance: { satisfiesPzi: true } }, left],
  'instance.tags': ['kept', { instance: { tags: { a: 'b' } } }],
};

/** The fields of a new cluster, which `wrap` places in a request. */
function newCluster(prefix: string, wrap: Wrap): Claims {
  const scaled = (...numbers: [number, number, number?, number?]): object =>
    wrap({ serveNodes: 0, clusterConfig: autoscaling(...numbers) }, '');
  const from = scaled(4, 8);
  const limits = `${prefix}clusterConfig.clusterAutoscalingConfig.autoscalingLimits`;
  const targets = `${prefix}clusterConfig.clusterAutoscalingConfig.autoscalingTargets`;
  return {
    [`${prefix}name`]: ['refused', wrap({ name: 'x' }, ''), 'unless it is the new name'],
    [`${prefix}location`]: ['kept', wrap({ location: `${location}2` }, '')],
    [`${prefix}state`]: ['refused', wrap({ state: 'READY' }, ''), left],
    [`${prefix}serveNodes`]: ['kept', wrap({ serveNodes: 7 }, '')],
    [`${prefix}nodeScalingFactor`]: [
      'kept',
      wrap({ nodeScalingFactor: 2, serveNodes: 2 }, ''),
      'of which the nodes are multiples',
      wrap({ serveNodes: 2 }, ''),
    ],
    [`${limits}.minServeNodes`]: ['served', scaled(5, 8), 'the number of nodes', from],
    [`${limits}.maxServeNodes`]: ['kept', scaled(4, 9), undefined, from],
    [`${targets}.cpuUtilizationPercent`]: ['kept', scaled(4, 8, 60), undefined, from],
    [`${targets}.storageUtilizationGibPerNode`]: ['kept', scaled(4, 8, 50, 3000), undefined, from],
    [`${prefix}defaultStorageType`]: ['kept', wrap({ defaultStorageType: 'HDD' }, '')],
    [`${prefix}encryptionConfig`]: ['refused', wrap({ encryptionConfig: { kmsKeyName: 'k' } }, '')],
  };
}

/** The fields of a profile; `wrap` places them in a request, and their path in its mask. */
function profile(wrap: Wrap): Claims {
  const one = (changes: object, path = ''): object =>
    wrap({ singleClusterRouting: { clusterId: 'cluster-2', ...changes } }, path);
  const any = (changes: object): object =>
    wrap(
      { multiClusterRoutingUseAny: changes, singleClusterRouting: undefined },
      'multi_cluster_routing_use_any',
    );
  const boost = { dataBoostIsolationReadOnly: { computeBillingOwner: 1 } };
  const standard = { standardIsolation: { priority: 2 } };
  const single = 'appProfile.singleClusterRouting';
  const multi = 'appProfile.multiClusterRoutingUseAny';
  return {
    'appProfile.description': ['kept', wrap({ description: 'new' }, 'description')],
    [`${multi}.clusterIds`]: [
      'kept',
      any({ clusterIds: ['cluster-1'] }),
      'they must exist',
      any({}),
    ],
    [`${multi}.rowAffinity`]: ['kept', any({ rowAffinity: {} }), undefined, any({})],
    [`${single}.clusterId`]: ['kept', one({}, 'single_cluster_routing'), 'it must exist'],
    [`${single}.allowTransactionalWrites`]: [
      'served',
      one({ allowTransactionalWrites: true }, 'single_cluster_routing'),
      undefined,
      one({}, 'single_cluster_routing'),
    ],
    'appProfile.priority': [
      'kept',
      wrap({ priority: 2 }, 'priority'),
      'as `standard_isolation.priority`',
    ],
    'appProfile.standardIsolation': ['kept', wrap(standard, 'standard_isolation')],
    'appProfile.dataBoostIsolationReadOnly': [
      'served',
      wrap(boost, 'data_boost_isolation_read_only'),
      'writes are refused',
    ],
  };
}

const cluster = `${instance}/clusters/cluster-1`;
const appProfile = `${instance}/appProfiles/one`;
const inClusters: Wrap = (fields) => ({ clusters: { 'cluster-1': fields } });
const inCluster: Wrap = (fields) => ({ cluster: fields });
const created: Wrap = (fields) => ({ appProfile: fields });
const updated: Wrap = (fields, path) => ({ appProfile: fields, ...mask(path) });
const refusedPart = (field: string, value: unknown, path: string): FieldClaim => [
  'refused',
  { instance: { [field]: value }, ...mask(path) },
];
const refusedInCluster = (field: string, value: unknown, path: string): FieldClaim => [
  'refused',
  { cluster: { [field]: value }, ...mask(path) },
];
const paged = (parent: string): Claims => ({
  parent: ['served', { parent }],
  pageToken: ['none', { pageToken: 'x' }, unused],
});

export const instanceClaims: ServiceClaims = {
  ...policyClaims(instance),
  CreateInstance: {
    base: {
      parent: project,
      instanceId: 'second',
      instance: { displayName: 'Second' },
      clusters: { 'cluster-1': { location, serveNodes: 1 } },
    },
    fields: {
      parent: ['served', { parent: 'projects/q' }],
      instanceId: ['served', { instanceId: 'third-one' }],
      ...newInstance,
      ...newCluster('clusters.', inClusters),
    },
  },
  GetInstance: named(instance),
  ListInstances: { base: { parent: project }, fields: paged('projects/q') },
  UpdateInstance: {
    base: { name: instance, displayName: 'Renamed' },
    fields: {
      name: ['served', { name: other }],
      displayName: ['kept', { displayName: 'Another' }],
      state: ['set', { state: 'CREATING' }],
      type: ['kept', { type: 'DEVELOPMENT' }],
      labels: ['refused', { labels: { x: 'y' } }, 'unless unchanged'],
      createTime: ['set', { createTime: { seconds: 1 } }],
      satisfiesPzs: ['set', { satisfiesPzs: true }],
      satisfiesPzi: ['set', { satisfiesPzi: true }],
      tags: ['refused', { tags: { x: 'y' } }, 'unless unchanged'],
    },
  },
  PartialUpdateInstance: {
    base: { instance: { name: instance, displayName: 'Renamed' }, ...mask('display_name') },
    fields: {
      'instance.name': ['served', { instance: { name: other } }],
      'instance.displayName': ['kept', { instance: { displayName: 'Another' } }],
      'instance.state': refusedPart('state', 'READY', 'state'),
      'instance.type': ['kept', { instance: { type: 'DEVELOPMENT' }, ...mask('type') }],
      'instance.labels': ['kept', { instance: { labels: { x: 'y' } }, ...mask('labels') }],
      'instance.createTime': refusedPart('createTime', { seconds: 1 }, 'create_time'),
      'instance.satisfiesPzs': refusedPart('satisfiesPzs', true, 'satisfies_pzs'),
      'instance.satisfiesPzi': refusedPart('satisfiesPzi', true, 'satisfies_pzi'),
      'instance.tags': refusedPart('tags', { x: 'y' }, 'tags'),
      updateMask: ['served', mask('labels')],
    },
  },
  DeleteInstance: named(other),
  CreateCluster: {
    base: { parent: instance, clusterId: 'third-one', cluster: { location, serveNodes: 1 } },
    fields: {
      parent: ['served', { parent: other }],
      clusterId: ['served', { clusterId: 'fourth' }],
      ...newCluster('cluster.', inCluster),
    },
  },
  GetCluster: named(cluster),
  ListClusters: { base: { parent: instance }, fields: paged(other) },
  UpdateCluster: {
    base: { name: cluster, serveNodes: 4 },
    fields: {
      name: ['served', { name: `${cluster}x` }],
      location: ['refused', { location: `${location}2` }, 'unless unchanged'],
      state: ['set', { state: 'CREATING' }],
      serveNodes: ['kept', { serveNodes: 5 }, 'not of an autoscaled cluster'],
      nodeScalingFactor: ['refused', { nodeScalingFactor: 2 }, 'unless unchanged'],
      clusterConfig: ['refused', { clusterConfig: autoscaling(1, 2) }, 'unless unchanged'],
      defaultStorageType: ['refused', { defaultStorageType: 2 }, 'unless unchanged'],
      encryptionConfig: ['refused', { encryptionConfig: { kmsKeyName: 'k' } }],
    },
  },
  PartialUpdateCluster: {
    base: { cluster: { name: cluster, serveNodes: 4 }, ...mask('serve_nodes') },
    fields: {
      'cluster.name': ['served', { cluster: { name: `${cluster}x` } }],
      'cluster.location': refusedInCluster('location', `${location}2`, 'location'),
      'cluster.state': refusedInCluster('state', 1, 'state'),
      'cluster.serveNodes': [
        'kept',
        { cluster: { serveNodes: 5 } },
        'not of an autoscaled cluster',
      ],
      'cluster.nodeScalingFactor': refusedInCluster('nodeScalingFactor', 2, 'node_scaling_factor'),
      'cluster.clusterConfig': [
        'kept',
        { cluster: { clusterConfig: autoscaling(4, 8) }, ...mask(whole) },
      ],
      'cluster.defaultStorageType': refusedInCluster(
        'defaultStorageType',
        2,
        'default_storage_type',
      ),
      'cluster.encryptionConfig': refusedInCluster('encryptionConfig', {}, 'encryption_config'),
      updateMask: ['served', mask('location')],
    },
  },
  DeleteCluster: {
    base: { name: `${instance}/clusters/cluster-2` },
    fields: { name: ['served', { name: cluster }] },
  },
  CreateAppProfile: {
    base: {
      parent: instance,
      appProfileId: 'two',
      appProfile: { singleClusterRouting: { clusterId: 'cluster-1' } },
    },
    fields: {
      parent: ['served', { parent: other }],
      appProfileId: ['served', { appProfileId: 'three' }],
      'appProfile.name': [
        'refused',
        { appProfile: { name: appProfile } },
        'unless it is the new name',
      ],
      'appProfile.etag': ['set', { appProfile: { etag: 'x' } }],
      ...profile(created),
      ignoreWarnings: noWarnings,
    },
  },
  GetAppProfile: named(appProfile),
  ListHotTablets: emptyList(cluster, {
    startTime: ['none', { startTime: { seconds: 1 } }, noItems],
    endTime: ['none', { endTime: { seconds: 1 } }, noItems],
  }),
  ListLogicalViews: emptyList(instance),
  ListMaterializedViews: emptyList(instance),
  ListAppProfiles: {
    base: { parent: instance },
    fields: {
      parent: ['served', { parent: other }],
      pageSize: ['served', { pageSize: 1 }],
      pageToken: ['served', { pageToken: Buffer.from(appProfile).toString('base64url') }],
    },
  },
  UpdateAppProfile: {
    base: { appProfile: { name: appProfile, description: 'changed' }, ...mask('description') },
    fields: {
      'appProfile.name': ['served', { appProfile: { name: `${appProfile}x` } }],
      'appProfile.etag': ['served', { appProfile: { etag: 'wrong' } }],
      ...profile(updated),
      updateMask: ['served', mask('priority')],
      ignoreWarnings: noWarnings,
    },
  },
  DeleteAppProfile: {
    base: { name: appProfile },
    fields: { name: ['served', { name: `${appProfile}x` }], ignoreWarnings: noWarnings },
  },
};
