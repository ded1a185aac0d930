/**
 * What app profiles allow: conditional writes and read-modify-writes need a profile that routes to
 * one cluster.
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

  constructor(store: ResourceStore) {
    this.#store = store;
  }

  /**
   * Throws FAILED_PRECONDITION, with the text of Bigtable, unless the profile of a request routes
   * to one cluster and allows transactional writes.
   */
  assertSingleCluster(tableName: string | undefined, appProfileId = ''): void {
    const { parent } = parseResource(tableName, 'tables');
    const name = `${parent}/appProfiles/${appProfileId === '' ? 'default' : appProfileId}`;
    const stored = this.#store.get('appProfile', name);
    if (stored === undefined) return;
    if (AppProfile.decode(stored).singleClusterRouting?.allowTransactionalWrites === true) return;
    throw new RowsmithError('FAILED_PRECONDITION', faults.transactionsNotAllowed);
  }
}

const faults = {
  transactionsNotAllowed: {
    problem: 'Single-row transactions are not allowed by this app profile',
  },
} satisfies FaultTexts;
