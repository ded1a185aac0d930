/** Clusters. An instance without stored clusters has one called `local`. */
import {
  checkId,
  Cluster,
  CreateClusterMetadata,
  CreateClusterRequest,
  DeleteClusterRequest,
  Empty,
  GetClusterRequest,
  ListClustersRequest,
  ListClustersResponse,
  Operation,
  parseInstance,
  parseResource,
  PartialUpdateClusterMetadata,
  PartialUpdateClusterRequest,
  UpdateClusterMetadata,
  type ContentOf,
} from '../../protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { applyMask } from './field-mask.js';
import { stateReady, type InstanceLookup } from './instance-lookup.js';
import type { Operations } from './operations.js';
import { alreadyExistsError, notFoundError } from './resource-error.js';
import type { ResourceStore } from './resource-store.js';

type ClusterContent = ContentOf<typeof Cluster>;

/** StorageType.SSD. */
const storageSsd = 1;

/** What an update may change, by its path in a mask. The location is immutable (instance.proto). */
const mutableFields = { serve_nodes: ['serveNodes'] } as const;

/** The methods of the service that are about clusters. */
export function clusterMethods(
  service: Service,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
): Methods {
  const admin = new ClusterAdmin(store, instances, operations);
  return {
    CreateCluster: service.unary('CreateCluster', CreateClusterRequest, Operation, (request) =>
      admin.create(request),
    ),
    GetCluster: service.unary('GetCluster', GetClusterRequest, Cluster, ({ name }) =>
      admin.get(name),
    ),
    ListClusters: service.unary(
      'ListClusters',
      ListClustersRequest,
      ListClustersResponse,
      async ({ parent }) => ({ clusters: await admin.list(parent) }),
    ),
    UpdateCluster: service.unary('UpdateCluster', Cluster, Operation, (cluster) =>
      admin.update(cluster),
    ),
    PartialUpdateCluster: service.unary(
      'PartialUpdateCluster',
      PartialUpdateClusterRequest,
      Operation,
      (request) => admin.partialUpdate(request),
    ),
    DeleteCluster: service.unary('DeleteCluster', DeleteClusterRequest, Empty, ({ name }) =>
      admin.delete(name),
    ),
  };
}

/** Stores a cluster under the name, and returns it as stored. */
export async function storeCluster(
  store: ResourceStore,
  name: string,
  cluster: ClusterContent,
): Promise<ClusterContent> {
  const { defaultStorageType = storageSsd } = cluster;
  const stored = { ...cluster, name, state: stateReady, defaultStorageType };
  await store.put('cluster', name, Cluster.encode(stored));
  return stored;
}

class ClusterAdmin {
  readonly #store: ResourceStore;
  readonly #instances: InstanceLookup;
  readonly #operations: Operations;

  constructor(store: ResourceStore, instances: InstanceLookup, operations: Operations) {
    this.#store = store;
    this.#instances = instances;
    this.#operations = operations;
  }

  async create({
    parent,
    clusterId,
    cluster = {},
  }: ContentOf<typeof CreateClusterRequest>): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    await this.#instances.get(parent);
    const name = `${parent!}/clusters/${checkId(clusterId, 'clusters')}`;
    if (this.#store.get('cluster', name) !== undefined) throw alreadyExistsError('Cluster', name);
    const created = await storeCluster(this.#store, name, cluster);
    const metadata = {
      originalRequest: CreateClusterRequest.encode({ parent, clusterId, cluster }),
      requestTime,
      finishTime: new Date(),
    };
    return this.#operations.finished(name, [Cluster, created], [CreateClusterMetadata, metadata]);
  }

  async get(name: string | undefined): Promise<ClusterContent> {
    const { parent } = parseResource(name, 'clusters');
    const clusters = await this.list(parent);
    const found = clusters.find((cluster) => cluster.name === name);
    if (found === undefined) throw notFoundError('Cluster', name!);
    return found;
  }

  async list(parent: string | undefined): Promise<ClusterContent[]> {
    // `instances/-` means all instances of the project.
    const allInstances = /^(projects\/[^/]+\/instances\/)-$/.exec(parent ?? '')?.[1];
    const stored = this.#store
      .list('cluster', allInstances ?? `${parent ?? ''}/clusters/`)
      .map(([, bytes]) => Cluster.decode(bytes));
    if (allInstances !== undefined) return stored;
    await this.#instances.get(parent);
    if (stored.length > 0) return stored;
    return [defaultCluster(parent!)];
  }

  async update(cluster: ClusterContent): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const changed = await this.#change(cluster, Object.keys(mutableFields));
    const originalRequest = Cluster.encode(cluster);
    return this.#operations.finished(
      cluster.name!,
      [Cluster, changed],
      [UpdateClusterMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  async partialUpdate({
    cluster = {},
    updateMask,
  }: ContentOf<typeof PartialUpdateClusterRequest>): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const changed = await this.#change(cluster, updateMask?.paths);
    const originalRequest = PartialUpdateClusterRequest.encode({ cluster, updateMask });
    return this.#operations.finished(
      cluster.name!,
      [Cluster, changed],
      [PartialUpdateClusterMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  async delete(name = ''): Promise<object> {
    parseResource(name, 'clusters');
    if (this.#store.get('cluster', name) === undefined) throw notFoundError('Cluster', name);
    await this.#store.remove('cluster', name);
    return {};
  }

  async #change(
    update: ClusterContent,
    paths: readonly string[] | undefined,
  ): Promise<ClusterContent> {
    const current = await this.get(update.name);
    const changed = applyMask(current, update, paths, mutableFields);
    return storeCluster(this.#store, update.name!, changed);
  }
}

function defaultCluster(instance: string): ClusterContent {
  const { project } = parseInstance(instance);
  return {
    name: `${instance}/clusters/local`,
    location: `projects/${project}/locations/local`,
    state: stateReady,
    serveNodes: 1,
    defaultStorageType: storageSsd,
  };
}
