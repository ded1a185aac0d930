/** Instances. */
import type { FaultTexts } from '../../base/index.js';
import {
  applyMask,
  checkId,
  CreateInstanceMetadata,
  CreateInstanceRequest,
  DeleteInstanceRequest,
  Empty,
  GetInstanceRequest,
  Instance,
  ListInstancesRequest,
  ListInstancesResponse,
  LongOperation,
  PartialUpdateInstanceRequest,
  projectOf,
  requestError,
  UpdateInstanceMetadata,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { storeCluster } from './cluster-admin.js';
import { newCluster } from './cluster-content.js';
import {
  stateReady,
  typeProduction,
  type InstanceContent,
  type InstanceLookup,
} from '../resources/instance-lookup.js';
import type { Operations } from './operations.js';
import { alreadyExistsError, preconditionError } from '../resources/resource-error.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { assertNoBackups } from '../resources/stored-backups.js';
import type { TableNames } from '../resources/table-names.js';
import type { TaskQueue } from '../resources/task-queue.js';

/** What an update may change. Tags are bound at creation (instance.proto). */
const replacedFields = ['display_name', 'type'];
const mutableFields = [...replacedFields, 'labels'];
/** Instance.Type.DEVELOPMENT, the largest. */
const maxType = 2;
const maxLabels = 64;
const labelKey = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;
const labelValue = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;
/** Keys and values have fewer bytes. */
const maxLabelBytes = 128;

/** The methods of the service that are about instances. */
export function instanceMethods(
  service: Service,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
  names: TableNames,
  changes: TaskQueue,
): Methods {
  const admin = new InstanceAdmin(store, instances, operations, names);
  return {
    CreateInstance: service.unary(
      'CreateInstance',
      CreateInstanceRequest,
      LongOperation,
      (request) => changes.run(() => admin.create(request)),
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
      changes.run(() => admin.replace(instance)),
    ),
    PartialUpdateInstance: service.unary(
      'PartialUpdateInstance',
      PartialUpdateInstanceRequest,
      LongOperation,
      (request) => changes.run(() => admin.partialUpdate(request)),
    ),
    DeleteInstance: service.unary('DeleteInstance', DeleteInstanceRequest, Empty, ({ name }) =>
      changes.run(() => admin.delete(name)),
    ),
  };
}

class InstanceAdmin {
  readonly #store: ResourceStore;
  readonly #instances: InstanceLookup;
  readonly #operations: Operations;
  readonly #names: TableNames;

  constructor(
    store: ResourceStore,
    instances: InstanceLookup,
    operations: Operations,
    names: TableNames,
  ) {
    this.#store = store;
    this.#instances = instances;
    this.#operations = operations;
    this.#names = names;
  }

  async create(
    request: ContentOf<typeof CreateInstanceRequest>,
  ): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    const project = projectOf(request.parent);
    const name = `projects/${project}/instances/${checkId(request.instanceId, 'instances')}`;
    if (this.#instances.isTaken(name)) throw alreadyExistsError('Instance', name);
    if (request.instance === undefined) throw requestError('instance', faults.missingInstance);
    checkNewInstance(name, request.instance);
    const clusters = [...(request.clusters ?? [])].map(([id, cluster]) =>
      newCluster(`${name}/clusters/${checkId(id, 'clusters')}`, cluster),
    );
    if (clusters.length === 0) throw requestError('clusters', faults.missingCluster);
    const { displayName = request.instanceId, type, labels, tags } = request.instance;
    const instance: InstanceContent = {
      name,
      displayName,
      state: stateReady,
      // Both unset and TYPE_UNSPECIFIED (0) mean the default.
      type: type || typeProduction,
      createTime: requestTime,
      labels,
      tags,
    };
    if (!(await this.#instances.exists(name))) await this.#removeResources(name);
    // The instance last: without it, the clusters of an interrupted call are not visible.
    for (const cluster of clusters) await storeCluster(this.#store, cluster);
    await this.#store.put('instance', name, Instance.encode(instance));
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
    const changed = applyMask(Instance.shape, current, update, paths, mutableFields);
    checkType(changed);
    checkLabels(changed);
    if ((changed.displayName ?? '') === '') throw requestError('display_name', faults.missingName);
    // Both unset and TYPE_UNSPECIFIED (0) leave it unchanged.
    changed.type ||= current.type ?? typeProduction;
    await this.#store.put('instance', update.name!, Instance.encode(changed));
    return changed;
  }

  /** Replaces the name and the type, and nothing else (bigtable_instance_admin.proto). */
  async replace(update: InstanceContent): Promise<InstanceContent> {
    const { tags, labels } = await this.#instances.get(update.name);
    if (isOtherMap(update.tags, tags)) throw requestError('tags', faults.immutableTags);
    if (isOtherMap(update.labels, labels)) throw requestError('labels', faults.immutableLabels);
    return this.update(update, replacedFields);
  }

  async partialUpdate({
    instance = {},
    updateMask,
  }: ContentOf<typeof PartialUpdateInstanceRequest>): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    const changed = await this.update(instance, updateMask?.paths);
    const originalRequest = PartialUpdateInstanceRequest.encode({ instance, updateMask });
    return this.#operations.finished(
      instance.name!,
      [Instance, changed],
      [UpdateInstanceMetadata, { originalRequest, requestTime, finishTime: new Date() }],
    );
  }

  /** Deletes the instance with its tables, unless it has a backup, or one of them is protected. */
  async delete(name: string | undefined): Promise<object> {
    await this.#instances.get(name);
    if (name === this.#instances.homeInstance) {
      throw preconditionError(
        `Instance ${name} is the home instance of this server: its tables are the tables of the database.`,
      );
    }
    assertNoBackups(this.#store, 'Instance', name!);
    await this.#names.removeAll(name!);
    await this.#removeResources(name!);
    await this.#store.remove('instance', name!);
    return {};
  }

  /** Removes what belongs to an instance, except its tables. */
  async #removeResources(instance: string): Promise<void> {
    for (const kind of ['appProfile', 'cluster', 'policy'] as const)
      for (const [resource] of this.#store.list(kind, `${instance}/`))
        await this.#store.remove(kind, resource);
    await this.#store.remove('policy', instance);
  }
}

/** Fields that servers set must be left blank (CreateInstanceRequest.instance). */
function checkNewInstance(name: string, instance: InstanceContent): void {
  const { state = 0, createTime, satisfiesPzs, satisfiesPzi } = instance;
  if (instance.name !== undefined && instance.name !== '' && instance.name !== name)
    throw requestError('instance.name', faults.wrongName(instance.name, name));
  if ([createTime, satisfiesPzs, satisfiesPzi].some((value) => value !== undefined) || state !== 0)
    throw requestError('instance', faults.outputOnlyFields);
  checkType(instance);
  checkLabels(instance);
}

function checkType({ type = 0 }: InstanceContent): void {
  if (type < 0 || type > maxType) throw requestError('type', faults.unknownType(type));
}

/** The limits of Instance.labels (instance.proto). */
function checkLabels({ labels = new Map() }: InstanceContent): void {
  if (labels.size > maxLabels) throw requestError('labels', faults.tooManyLabels(labels.size));
  for (const [key, value] of labels) {
    if (!labelKey.test(key) || Buffer.byteLength(key) >= maxLabelBytes)
      throw requestError('labels', faults.notALabelKey(key));
    if (!labelValue.test(value) || Buffer.byteLength(value) >= maxLabelBytes)
      throw requestError('labels', faults.notALabelValue(value));
  }
}

/** Whether a request has a map, and it is not the current one. */
function isOtherMap(
  requested: ReadonlyMap<string, string> = new Map<string, string>(),
  current: ReadonlyMap<string, string> = new Map<string, string>(),
): boolean {
  if (requested.size === 0) return false;
  if (requested.size !== current.size) return true;
  return [...requested].some(([key, value]) => current.get(key) !== value);
}

const faults = {
  missingInstance: { problem: 'The instance must be specified' },
  missingCluster: { problem: 'At least one cluster must be specified' },
  missingName: { problem: 'The name must be specified' },
  immutableTags: { problem: 'The tags of an instance are immutable' },
  immutableLabels: { problem: 'Labels are updated by PartialUpdateInstance' },
  wrongName: (instanceName: string, name: string) => ({
    problem: `'${instanceName}' is not ${name}`,
  }),
  outputOnlyFields: { problem: 'Fields that the server sets must be left blank' },
  unknownType: (type: number) => ({ problem: `There is no instance type ${type}` }),
  tooManyLabels: (size: number) => ({
    problem: `There are ${size} labels, the limit is ${maxLabels}`,
  }),
  notALabelKey: (key: string) => ({
    problem: `'${key}' is not a key of a label: ${labelKey.source}`,
  }),
  notALabelValue: (value: string) => ({
    problem: `'${value}' is not a value of a label: ${labelValue.source}`,
  }),
} satisfies FaultTexts;
