/**
 * What app profiles allow: conditional writes and read-modify-writes need a profile that routes to
 * one cluster, and a profile of Data Boost only reads.
 */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { AppProfile, parseResource, type ContentOf } from '../../engines/protocol/index.js';
import type { ResourceStore } from './resource-store.js';

/** The clusters that a profile names. */
export function routedClusters({
  multiClusterRoutingUseAny,
  singleClusterRouting,
}: ContentOf<typeof AppProfile>): readonly string[] {
  if (singleClusterRouting !== undefined) return [singleClusterRouting.clusterId ?? ''];
  return multiClusterRoutingUseAny?.clusterIds ?? [];
}

/** The routing of stored app profiles. One that is not stored allows everything. */
export class ProfileRouting {
  readonly #store: ResourceStore;
  /** Names of the profiles that only read, as of `#version` of the store. */
  #readOnly: ReadonlySet<string> = new Set();
  #version = -1;

  constructor(store: ResourceStore) {
    this.#store = store;
  }

  /**
   * Throws FAILED_PRECONDITION, with the text of Bigtable, unless the profile of a request routes
   * to one cluster and allows transactional writes.
   */
  assertSingleCluster(tableName: string | undefined, appProfileId = ''): void {
    this.assertWritable(tableName, appProfileId);
    const { parent } = parseResource(tableName, 'tables');
    const name = profileName(parent, appProfileId);
    const stored = this.#store.get('appProfile', name);
    if (stored === undefined) return;
    if (AppProfile.decode(stored).singleClusterRouting?.allowTransactionalWrites === true) return;
    throw new RowsmithError('FAILED_PRECONDITION', faults.transactionsNotAllowed);
  }

  /**
   * Throws FAILED_PRECONDITION for a write with a profile of Data Boost (instance.proto,
   * DataBoostIsolationReadOnly). `resource` is a table or another resource of an instance.
   */
  assertWritable(resource: string | undefined, appProfileId = ''): void {
    const { version } = this.#store;
    if (version !== this.#version) this.#readOnly = this.#findReadOnly();
    this.#version = version;
    if (this.#readOnly.size === 0) return;
    const instance = /^projects\/[^/]+\/instances\/[^/]+/.exec(resource ?? '')?.[0] ?? '';
    if (!this.#readOnly.has(profileName(instance, appProfileId))) return;
    throw new RowsmithError('FAILED_PRECONDITION', faults.readOnlyProfile);
  }

  #findReadOnly(): ReadonlySet<string> {
    const profiles = this.#store.list('appProfile', '');
    const isReadOnly = ([, bytes]: (typeof profiles)[number]): boolean =>
      AppProfile.decode(bytes).dataBoostIsolationReadOnly !== undefined;
    return new Set(profiles.filter(isReadOnly).map(([name]) => name));
  }
}

function profileName(instance: string, id: string): string {
  return `${instance}/appProfiles/${id === '' ? 'default' : id}`;
}

const faults = {
  transactionsNotAllowed: {
    problem: 'Single-row transactions are not allowed by this app profile',
  },
  readOnlyProfile: {
    problem: 'Writes are not allowed by this app profile: Data Boost is read-only',
  },
} satisfies FaultTexts;
