/** Finds instances and their clusters, stored or implied. */
import {
  Cluster,
  Instance,
  parseInstance,
  parseResource,
  type ContentOf,
} from '../../engines/protocol/index.js';
import { notFoundError } from './resource-error.js';
import type { ResourceStore } from './resource-store.js';
import type { TableNames } from './table-names.js';
import { TaskQueue } from './task-queue.js';

/** Contents of google.bigtable.admin.v2.Instance. */
export type InstanceContent = ContentOf<typeof Instance>;
/** Contents of google.bigtable.admin.v2.Cluster. */
export type ClusterContent = ContentOf<typeof Cluster>;

/** Instance.State.READY and Cluster.State.READY. */
export const stateReady = 1;
/** Instance.Type.PRODUCTION. */
export const typeProduction = 1;
/** StorageType.SSD. */
export const storageSsd = 1;

/** Instances that were created, that are home, or that have tables. */
export class InstanceLookup {
  readonly #store: ResourceStore;
  readonly #names: TableNames;
  readonly homeInstance: string;
  /** Changes of instances and what belongs to them, except tables: see `TableNames.changes`. */
  readonly changes = new TaskQueue();

  constructor(store: ResourceStore, names: TableNames, homeInstance: string) {
    this.#store = store;
    this.#names = names;
    this.homeInstance = homeInstance;
  }

  /** The instance; NOT_FOUND if it does not exist. */
  async get(name: string | undefined): Promise<InstanceContent> {
    parseInstance(name);
    const stored = this.#store.get('instance', name!);
    if (stored !== undefined) return Instance.decode(stored);
    if (!(await this.#isImplied(name!))) throw notFoundError('Instance', name!);
    return impliedInstance(name!);
  }

  /** True for an instance that was created or is implied. */
  async exists(name: string): Promise<boolean> {
    return this.#store.get('instance', name) !== undefined || this.#isImplied(name);
  }

  /**
   * Stores an instance that only its tables imply. It then exists without them, like what is about
   * to be stored in it, which must not become part of a later instance of the same name.
   */
  async keep(name: string): Promise<void> {
    if (this.isTaken(name)) return;
    await this.#store.put('instance', name, Instance.encode(await this.get(name)));
  }

  /** True for the home instance and for any with tables. */
  async #isImplied(name: string): Promise<boolean> {
    return name === this.homeInstance || (await this.#names.instances()).has(name);
  }

  /** True if the name is not available to CreateInstance. */
  isTaken(name: string): boolean {
    return name === this.homeInstance || this.#store.get('instance', name) !== undefined;
  }

  /** All instances with names that begin with the prefix: stored ones first, then implied ones. */
  async list(prefix: string): Promise<InstanceContent[]> {
    const found = new Map(
      this.#store.list('instance', prefix).map(([name, bytes]) => [name, Instance.decode(bytes)]),
    );
    for (const name of [this.homeInstance, ...(await this.#names.instances())])
      if (name.startsWith(prefix) && !found.has(name)) found.set(name, impliedInstance(name));
    return [...found.values()];
  }

  /**
   * The instances that the parent of a list request names: one, or all of a project
   * (`instances/-`).
   */
  async parents(parent: string | undefined): Promise<string[]> {
    const { project, instance } = parseInstance(parent);
    if (instance === '-')
      return (await this.list(`projects/${project}/instances/`)).map(({ name }) => name!);
    await this.get(parent);
    return [parent!];
  }

  /**
   * The prefixes of the clusters that the parent of a list request names: one, or all of an
   * instance (`clusters/-`). NOT_FOUND if there is no such cluster.
   */
  async clusterPrefixes(name: string | undefined): Promise<string[]> {
    const { parent, id } = parseResource(name, 'clusters');
    const parents = await this.parents(parent);
    if (id === '-') return parents.map((each) => `${each}/clusters/`);
    const found = parents.filter((each) => this.clusterIds(each).includes(id));
    if (found.length === 0) throw notFoundError('Cluster', name!);
    return found.map((each) => `${each}/clusters/${id}/`);
  }

  /** The clusters of an instance that exists. One without stored clusters has one, `local`. */
  clusters(instance: string): ClusterContent[] {
    const stored = this.#store.list('cluster', `${instance}/clusters/`);
    if (stored.length > 0) return stored.map(([, bytes]) => Cluster.decode(bytes));
    return [
      {
        name: `${instance}/clusters/local`,
        location: defaultLocation(instance),
        state: stateReady,
        serveNodes: 1,
        defaultStorageType: storageSsd,
      },
    ];
  }

  /** The ids of the clusters. */
  clusterIds(instance: string): string[] {
    return this.clusters(instance).map(({ name }) => name!.slice(name!.lastIndexOf('/') + 1));
  }
}

/** An instance that was not created. */
function impliedInstance(name: string): InstanceContent {
  const { instance } = parseInstance(name);
  return { name, displayName: instance, state: stateReady, type: typeProduction };
}

/** The location of clusters without one in their request. */
export function defaultLocation(instance: string): string {
  return `projects/${parseInstance(instance).project}/locations/local`;
}
