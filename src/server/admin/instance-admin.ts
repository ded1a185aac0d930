/** Instances. */
import {
  checkId,
  CreateInstanceMetadata,
  CreateInstanceRequest,
  DeleteInstanceRequest,
  Empty,
  GetInstanceRequest,
  Instance,
  ListInstancesRequest,
  ListInstancesResponse,
  Operation,
  PartialUpdateInstanceRequest,
  projectOf,
  StatusError,
  statusCode,
  UpdateInstanceMetadata,
  type ContentOf,
} from '../../protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { storeCluster } from './cluster-admin.js';
import { applyMask } from './field-mask.js';
import {
  stateReady,
  typeProduction,
  type InstanceContent,
  type InstanceLookup,
} from './instance-lookup.js';
import type { Operations } from './operations.js';
import { alreadyExistsError } from './resource-error.js';
import type { ResourceStore } from './resource-store.js';

/** What an update may change, by its path in a mask. */
const mutableFields = {
  display_name: ['displayName'],
  type: ['type'],
  labels: ['labels'],
} as const;

/** The methods of the service that are about instances. */
export function instanceMethods(
  service: Service,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
): Methods {
  const admin = new InstanceAdmin(store, instances, operations);
  return {
    CreateInstance: service.unary('CreateInstance', CreateInstanceRequest, Operation, (request) =>
      admin.create(request),
    ),
    GetInstance: service.unary('GetInstance', GetInstanceRequest, Instance, ({ name }) =>
      instances.get(name),
    ),
    ListInstances: service.unary(
      'ListInstances',
      ListInstancesRequest,
      ListInstancesResponse,
      async ({ parent }) => ({
        instances: await instances.list(`projects/${projectOf(parent)}/instances/`),
      }),
    ),
    UpdateInstance: service.unary('UpdateInstance', Instance, Instance, (instance) =>
      admin.update(instance, Object.keys(mutableFields)),
    ),
    PartialUpdateInstance: service.unary(
      'PartialUpdateInstance',
      PartialUpdateInstanceRequest,
      Operation,
      (request) => admin.partialUpdate(request),
    ),
    DeleteInstance: service.unary('DeleteInstance', DeleteInstanceRequest, Empty, ({ name }) =>
      admin.delete(name),
    ),
  };
}

class InstanceAdmin {
  readonly #store: ResourceStore;
  readonly #instances: InstanceLookup;
  readonly #operations: Operations;

  constructor(store: ResourceStore, instances: InstanceLookup, operations: Operations) {
    this.#store = store;
    this.#instances = instances;
    this.#operations = operations;
  }

  async create(
    request: ContentOf<typeof CreateInstanceRequest>,
  ): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const project = projectOf(request.parent);
    const name = `projects/${project}/instances/${checkId(request.instanceId, 'instances')}`;
    if (this.#instances.isTaken(name)) throw alreadyExistsError('Instance', name);
    const clusters = [...(request.clusters ?? [])];
    for (const [id] of clusters) checkId(id, 'clusters');
    const { displayName = request.instanceId, type, labels } = request.instance ?? {};
    const instance: InstanceContent = {
      name,
      displayName,
      state: stateReady,
      // Both unset and TYPE_UNSPECIFIED (0) mean the default.
      type: type || typeProduction,
      createTime: requestTime,
      labels,
    };
    await this.#store.put('instance', name, Instance.encode(instance));
    for (const [id, cluster] of clusters)
      await storeCluster(this.#store, `${name}/clusters/${id}`, cluster);
    const metadata = {
      originalRequest: CreateInstanceRequest.encode(request),
      requestTime,
      finishTime: new Date(),
    };
    return this.#operations.finished(
      name,
      [Instance, instance],
      [CreateInstanceMetadata, metadata],
    );
  }

  /**
   * Stores the instance with the masked fields of the update; an implied instance is stored too.
   */
  async update(
    update: InstanceContent,
    paths: readonly string[] | undefined,
  ): Promise<InstanceContent> {
    const current = await this.#instances.get(update.name);
    const changed = applyMask(current, update, paths, mutableFields);
    await this.#store.put('instance', update.name!, Instance.encode(changed));
    return changed;
  }

  async partialUpdate({
    instance = {},
    updateMask,
  }: ContentOf<typeof PartialUpdateInstanceRequest>): Promise<ContentOf<typeof Operation>> {
    const requestTime = new Date();
    const changed = await this.update(instance, updateMask?.paths);
    const originalRequest = PartialUpdateInstanceRequest.encode({ instance, updateMask });
    return this.#operations.finished(
      instance.name!,
      [Instance, changed],
      [UpdateInstanceMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  /** Deletes no tables: deleting an instance must not delete rows as a side effect. */
  async delete(name: string | undefined): Promise<object> {
    await this.#instances.get(name);
    if (await this.#instances.isImplied(name!)) {
      throw new StatusError(
        statusCode.FAILED_PRECONDITION,
        `Instance ${name!} has tables, or is the home instance: delete its tables first.`,
      );
    }
    for (const kind of ['cluster', 'appProfile'] as const)
      for (const [resource] of this.#store.list(kind, `${name!}/`))
        await this.#store.remove(kind, resource);
    await this.#store.remove('instance', name!);
    return {};
  }
}
