/**
 * google.bigtable.admin.v2.BigtableInstanceAdmin, as much as clients need at their start:
 * instances, clusters and app profiles as stored objects that route nothing. The home instance, and
 * any that holds a table, exists without having been made. Methods that are not here answer
 * UNIMPLEMENTED.
 */
import { noBytes } from '../../bytes/index.js';
import {
  AppProfile,
  checkId,
  Cluster,
  CreateAppProfileRequest,
  CreateClusterMetadata,
  CreateClusterRequest,
  CreateInstanceMetadata,
  CreateInstanceRequest,
  DeleteAppProfileRequest,
  DeleteClusterRequest,
  DeleteInstanceRequest,
  Empty,
  GetAppProfileRequest,
  GetClusterRequest,
  GetInstanceRequest,
  Instance,
  ListAppProfilesRequest,
  ListAppProfilesResponse,
  ListClustersRequest,
  ListClustersResponse,
  ListInstancesRequest,
  ListInstancesResponse,
  Operation,
  parseInstance,
  parseResource,
  PartialUpdateClusterMetadata,
  PartialUpdateClusterRequest,
  PartialUpdateInstanceRequest,
  projectOf,
  RequestFault,
  statusCode,
  UpdateAppProfileMetadata,
  UpdateAppProfileRequest,
  UpdateClusterMetadata,
  UpdateInstanceMetadata,
  type ContentOf,
} from '../../protocol/index.js';
import { masked } from './field-mask.js';
import type { Operations } from './operations.js';
import { onePage } from './paging.js';
import type { ResourceStore, StoredKind } from './resource-store.js';
import type { Methods, Service } from '../rpc.js';
import type { TableNames } from './table-names.js';

type InstanceContent = ContentOf<typeof Instance>;
type ClusterContent = ContentOf<typeof Cluster>;
type ProfileContent = ContentOf<typeof AppProfile>;

/** Instance.State.READY and Cluster.State.READY; Instance.Type.PRODUCTION; StorageType.SSD. */
const ready = 1;
const production = 1;
const ssd = 1;

/**
 * What an update may change, by its name in a mask. The place of a cluster is immutable
 * (instance.proto).
 */
const instanceFields = {
  display_name: ['displayName'],
  type: ['type'],
  labels: ['labels'],
} as const;
const clusterFields = { serve_nodes: ['serveNodes'] } as const;
/** The two forms of routing are one choice. */
const routing = ['multiClusterRoutingUseAny', 'singleClusterRouting'] as const;
const profileFields = {
  description: ['description'],
  multi_cluster_routing_use_any: routing,
  single_cluster_routing: routing,
} as const;

/** The methods of the service. */
export function instanceAdminService(
  service: Service,
  store: ResourceStore,
  names: TableNames,
  operations: Operations,
  home: string,
): Methods {
  const admin = new InstanceAdmin(store, names, operations, home);
  return {
    CreateInstance: service.unary('CreateInstance', CreateInstanceRequest, Operation, (request) =>
      admin.createInstance(request),
    ),
    GetInstance: service.unary('GetInstance', GetInstanceRequest, Instance, ({ name }) =>
      admin.instance(name),
    ),
    ListInstances: service.unary(
      'ListInstances',
      ListInstancesRequest,
      ListInstancesResponse,
      ({ parent }) => admin.listInstances(parent),
    ),
    UpdateInstance: service.unary('UpdateInstance', Instance, Instance, (instance) =>
      admin.updateInstance(instance, Object.keys(instanceFields)),
    ),
    PartialUpdateInstance: service.unary(
      'PartialUpdateInstance',
      PartialUpdateInstanceRequest,
      Operation,
      (request) => admin.partialUpdateInstance(request),
    ),
    DeleteInstance: service.unary('DeleteInstance', DeleteInstanceRequest, Empty, ({ name }) =>
      admin.deleteInstance(name),
    ),
    CreateCluster: service.unary('CreateCluster', CreateClusterRequest, Operation, (request) =>
      admin.createCluster(request),
    ),
    GetCluster: service.unary('GetCluster', GetClusterRequest, Cluster, ({ name }) =>
      admin.cluster(name),
    ),
    ListClusters: service.unary(
      'ListClusters',
      ListClustersRequest,
      ListClustersResponse,
      ({ parent }) => admin.listClusters(parent),
    ),
    UpdateCluster: service.unary('UpdateCluster', Cluster, Operation, (cluster) =>
      admin.updateCluster(cluster),
    ),
    PartialUpdateCluster: service.unary(
      'PartialUpdateCluster',
      PartialUpdateClusterRequest,
      Operation,
      (request) => admin.partialUpdateCluster(request),
    ),
    DeleteCluster: service.unary('DeleteCluster', DeleteClusterRequest, Empty, ({ name }) =>
      admin.remove('cluster', name),
    ),
    CreateAppProfile: service.unary(
      'CreateAppProfile',
      CreateAppProfileRequest,
      AppProfile,
      (request) => admin.createProfile(request),
    ),
    GetAppProfile: service.unary('GetAppProfile', GetAppProfileRequest, AppProfile, ({ name }) =>
      admin.profile(name),
    ),
    ListAppProfiles: service.unary(
      'ListAppProfiles',
      ListAppProfilesRequest,
      ListAppProfilesResponse,
      (request) => admin.listProfiles(request),
    ),
    UpdateAppProfile: service.unary(
      'UpdateAppProfile',
      UpdateAppProfileRequest,
      Operation,
      (request) => admin.updateProfile(request),
    ),
    DeleteAppProfile: service.unary(
      'DeleteAppProfile',
      DeleteAppProfileRequest,
      Empty,
      ({ name }) => admin.remove('appProfile', name),
    ),
  };
}

class InstanceAdmin {
  readonly #store: ResourceStore;
  readonly #names: TableNames;
  readonly #operations: Operations;
  readonly #home: string;

  constructor(store: ResourceStore, names: TableNames, operations: Operations, home: string) {
    this.#store = store;
    this.#names = names;
    this.#operations = operations;
    this.#home = home;
  }

  async createInstance(
    request: ContentOf<typeof CreateInstanceRequest>,
  ): Promise<ContentOf<typeof Operation>> {
    const requested = new Date();
    const project = projectOf(request.parent);
    const name = `projects/${project}/instances/${checkId(request.instanceId, 'instances')}`;
    if (this.#store.get('instance', name) !== undefined || name === this.#home)
      throw exists('Instance', name);
    const clusters = [...(request.clusters ?? [])];
    for (const [id] of clusters) checkId(id, 'clusters');
    const { displayName = request.instanceId, type = production, labels } = request.instance ?? {};
    const instance: InstanceContent = {
      name,
      displayName,
      state: ready,
      type: type === 0 ? production : type,
      createTime: requested,
      ...(labels === undefined ? {} : { labels }),
    };
    await this.#store.put('instance', name, Instance.encode(instance));
    for (const [id, cluster] of clusters)
      await this.#storeCluster(`${name}/clusters/${id}`, cluster);
    const metadata = {
      originalRequest: CreateInstanceRequest.encode(request),
      requestTime: requested,
      finishTime: new Date(),
    };
    return this.#operations.finished(
      name,
      [Instance, instance],
      [CreateInstanceMetadata, metadata],
    );
  }

  async instance(name: string | undefined): Promise<InstanceContent> {
    const { instance } = parseInstance(name);
    const stored = this.#store.get('instance', name!);
    if (stored !== undefined) return Instance.decode(stored);
    if (name !== this.#home && !(await this.#names.holds(name!))) throw missing('Instance', name!);
    return { name, displayName: instance, state: ready, type: production };
  }

  async listInstances(
    parent: string | undefined,
  ): Promise<ContentOf<typeof ListInstancesResponse>> {
    const prefix = `projects/${projectOf(parent)}/instances/`;
    const found = new Map(
      this.#store.list('instance', prefix).map(([name, bytes]) => [name, Instance.decode(bytes)]),
    );
    for (const name of [this.#home, ...this.#names.instances()])
      if (name.startsWith(prefix) && !found.has(name)) found.set(name, await this.instance(name));
    return { instances: [...found.values()] };
  }

  /**
   * Stores the instance with the named fields of the update; one that was only there because of its
   * tables is stored from then on.
   */
  async updateInstance(
    update: InstanceContent,
    paths: readonly string[] | undefined,
  ): Promise<InstanceContent> {
    const changed = masked(await this.instance(update.name), update, paths, instanceFields);
    await this.#store.put('instance', update.name!, Instance.encode(changed));
    return changed;
  }

  async partialUpdateInstance({
    instance = {},
    updateMask,
  }: ContentOf<typeof PartialUpdateInstanceRequest>): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const changed = await this.updateInstance(instance, updateMask?.paths);
    const originalRequest = PartialUpdateInstanceRequest.encode({ instance, updateMask });
    return this.#operations.finished(
      instance.name!,
      [Instance, changed],
      [UpdateInstanceMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  /** Its tables must go first: a request for an instance should not delete rows by the way. */
  async deleteInstance(name: string | undefined): Promise<object> {
    await this.instance(name);
    if (name === this.#home || (await this.#names.holds(name!))) {
      throw new RequestFault(
        statusCode.FAILED_PRECONDITION,
        `Instance ${name!} has tables, or is the home of this server's tables: delete its tables first.`,
      );
    }
    for (const kind of ['cluster', 'appProfile'] as const)
      for (const [full] of this.#store.list(kind, `${name!}/`))
        await this.#store.remove(kind, full);
    await this.#store.remove('instance', name!);
    return {};
  }

  async createCluster({
    parent,
    clusterId,
    cluster = {},
  }: ContentOf<typeof CreateClusterRequest>): Promise<ContentOf<typeof Operation>> {
    const requested = new Date();
    await this.instance(parent);
    const name = `${parent!}/clusters/${checkId(clusterId, 'clusters')}`;
    if (this.#store.get('cluster', name) !== undefined) throw exists('Cluster', name);
    const made = await this.#storeCluster(name, cluster);
    const metadata = {
      originalRequest: CreateClusterRequest.encode({ parent, clusterId, cluster }),
      requestTime: requested,
      finishTime: new Date(),
    };
    return this.#operations.finished(name, [Cluster, made], [CreateClusterMetadata, metadata]);
  }

  async cluster(name: string | undefined): Promise<ClusterContent> {
    const { parent } = parseResource(name, 'clusters');
    const found = (await this.listClusters(parent)).clusters!.find(
      (cluster) => cluster.name === name,
    );
    if (found === undefined) throw missing('Cluster', name!);
    return found;
  }

  async listClusters(parent: string | undefined): Promise<ContentOf<typeof ListClustersResponse>> {
    // `instances/-` is every instance of the project.
    const every = /^(projects\/[^/]+\/instances\/)-$/.exec(parent ?? '')?.[1];
    const stored = this.#store
      .list('cluster', every ?? `${parent ?? ''}/clusters/`)
      .map(([, bytes]) => Cluster.decode(bytes));
    if (every !== undefined) return { clusters: stored };
    await this.instance(parent);
    const project = parseInstance(parent).project;
    const local = {
      name: `${parent!}/clusters/local`,
      location: `projects/${project}/locations/local`,
      state: ready,
      serveNodes: 1,
      defaultStorageType: ssd,
    };
    return { clusters: stored.length === 0 ? [local] : stored };
  }

  async updateCluster(cluster: ClusterContent): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const changed = await this.#changeCluster(cluster, Object.keys(clusterFields));
    return this.#operations.finished(
      cluster.name!,
      [Cluster, changed],
      [
        UpdateClusterMetadata,
        { originalRequest: Cluster.encode(cluster), requestTime, finishTime: new Date() },
      ],
    );
  }

  async partialUpdateCluster({
    cluster = {},
    updateMask,
  }: ContentOf<typeof PartialUpdateClusterRequest>): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const changed = await this.#changeCluster(cluster, updateMask?.paths);
    const originalRequest = PartialUpdateClusterRequest.encode({ cluster, updateMask });
    return this.#operations.finished(
      cluster.name!,
      [Cluster, changed],
      [PartialUpdateClusterMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  async #changeCluster(
    update: ClusterContent,
    paths: readonly string[] | undefined,
  ): Promise<ClusterContent> {
    return this.#storeCluster(
      update.name!,
      masked(await this.cluster(update.name), update, paths, clusterFields),
    );
  }

  async createProfile({
    parent,
    appProfileId,
    appProfile = {},
  }: ContentOf<typeof CreateAppProfileRequest>): Promise<ProfileContent> {
    await this.instance(parent);
    const name = `${parent!}/appProfiles/${checkId(appProfileId, 'appProfiles')}`;
    if (this.#store.get('appProfile', name) !== undefined) throw exists('AppProfile', name);
    const made = { ...appProfile, name, etag: Date.now().toString(36) };
    await this.#store.put('appProfile', name, AppProfile.encode(made));
    return made;
  }

  async profile(name: string | undefined): Promise<ProfileContent> {
    const { parent } = parseResource(name, 'appProfiles');
    const stored = this.#store.get('appProfile', name!);
    if (stored !== undefined) return AppProfile.decode(stored);
    await this.instance(parent);
    if (name !== `${parent}/appProfiles/default`) throw missing('AppProfile', name!);
    return defaultProfile(parent);
  }

  async updateProfile({
    appProfile = {},
    updateMask,
  }: ContentOf<typeof UpdateAppProfileRequest>): Promise<ContentOf<typeof Operation>> {
    const { name } = appProfile;
    const changed = {
      ...masked(await this.profile(name), appProfile, updateMask?.paths, profileFields),
      etag: Date.now().toString(36),
    };
    await this.#store.put('appProfile', name!, AppProfile.encode(changed));
    return this.#operations.finished(name!, [AppProfile, changed], [UpdateAppProfileMetadata, {}]);
  }

  async listProfiles({
    parent = '',
    pageSize,
    pageToken,
  }: ContentOf<typeof ListAppProfilesRequest>): Promise<ContentOf<typeof ListAppProfilesResponse>> {
    await this.instance(parent);
    const stored = this.#store
      .list('appProfile', `${parent}/appProfiles/`)
      .map(([, bytes]) => AppProfile.decode(bytes));
    const named = stored.some(({ name }) => name === `${parent}/appProfiles/default`);
    const every = [...(named ? [] : [defaultProfile(parent)]), ...stored].sort((a, b) =>
      a.name! < b.name! ? -1 : 1,
    );
    const { items, nextPageToken } = onePage(every, ({ name }) => name!, pageSize, pageToken);
    return { appProfiles: [...items], nextPageToken };
  }

  async remove(kind: Exclude<StoredKind, 'instance' | 'table'>, name = ''): Promise<object> {
    parseResource(name, kind === 'cluster' ? 'clusters' : 'appProfiles');
    if (this.#store.get(kind, name) === undefined)
      throw missing(kind === 'cluster' ? 'Cluster' : 'AppProfile', name);
    await this.#store.remove(kind, name);
    return {};
  }

  async #storeCluster(name: string, cluster: ClusterContent): Promise<ClusterContent> {
    const made = {
      ...cluster,
      name,
      state: ready,
      defaultStorageType: cluster.defaultStorageType ?? ssd,
    };
    await this.#store.put('cluster', name, Cluster.encode(made));
    return made;
  }
}

/** Every instance has one. Empty bytes: routing to any cluster. */
function defaultProfile(parent: string): ProfileContent {
  return {
    name: `${parent}/appProfiles/default`,
    description: 'The default app profile',
    multiClusterRoutingUseAny: noBytes,
  };
}

function exists(kind: string, name: string): RequestFault {
  return new RequestFault(statusCode.ALREADY_EXISTS, `${kind} already exists: ${name}`);
}

function missing(kind: string, name: string): RequestFault {
  return new RequestFault(statusCode.NOT_FOUND, `${kind} not found: ${name}`);
}
