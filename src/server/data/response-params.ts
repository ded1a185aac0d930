/**
 * The zone and the cluster that served a call, which clients read from the trailing metadata and
 * attach to their metrics (google/bigtable/v2/response_params.proto).
 */
import { AppProfile, Cluster, ResponseParams } from '../../engines/protocol/index.js';
import { routedClusters } from '../resources/profile-routing.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { TrailerOf } from '../rpc.js';

/** The key in the trailing metadata. */
const key = 'x-goog-ext-425905942-bin';

/** Values that are kept; a client may name any number of instances, with names of any length. */
const maxCached = 1000;
const maxCachedName = 500;

/** What a request of the data API names. */
interface Named {
  readonly tableName?: string;
  readonly authorizedViewName?: string;
  readonly name?: string;
  readonly appProfileId?: string;
}

/** The trailing metadata of requests of the data API. */
export function clusterTrailer(store: ResourceStore): TrailerOf {
  const params = new ClusterParams(store);
  return (request) => {
    const { tableName, authorizedViewName, name, appProfileId }: Named = request;
    const value = params.of(tableName ?? authorizedViewName ?? name, appProfileId);
    if (value === undefined) return undefined;
    return { key, value };
  };
}

/** The encoded ResponseParams of calls. */
class ClusterParams {
  readonly #store: ResourceStore;
  readonly #cached = new Map<string, Buffer>();
  #version = -1;

  constructor(store: ResourceStore) {
    this.#store = store;
  }

  /** The value for a call that names a table or another resource of an instance. */
  of(resource: string | undefined, appProfileId = ''): Buffer | undefined {
    if (resource === undefined) return undefined;
    const { version } = this.#store;
    if (version !== this.#version || this.#cached.size > maxCached) this.#cached.clear();
    this.#version = version;
    const call = `${resource} ${appProfileId}`;
    let bytes = this.#cached.get(call);
    if (bytes === undefined) {
      const instance = /^projects\/[^/]+\/instances\/[^/]+/.exec(resource)?.[0];
      if (instance === undefined) return undefined;
      bytes = Buffer.from(this.#encode(instance, appProfileId));
      if (call.length <= maxCachedName) this.#cached.set(call, bytes);
    }
    return bytes;
  }

  #encode(instance: string, appProfileId: string): Uint8Array {
    const prefix = `${instance}/clusters/`;
    const clusters = this.#store.list('cluster', prefix);
    const routed = this.#routedClusters(instance, appProfileId);
    const found =
      clusters.find(([name]) => routed.includes(name.slice(prefix.length))) ?? clusters[0];
    if (found === undefined) return ResponseParams.encode({ zoneId: 'local', clusterId: 'local' });
    const { location = 'local' } = Cluster.decode(found[1]);
    return ResponseParams.encode({
      zoneId: location.slice(location.lastIndexOf('/') + 1),
      clusterId: found[0].slice(prefix.length),
    });
  }

  /** The clusters that the app profile of a call names. */
  #routedClusters(instance: string, appProfileId: string): readonly string[] {
    const name = `${instance}/appProfiles/${appProfileId === '' ? 'default' : appProfileId}`;
    const stored = this.#store.get('appProfile', name);
    if (stored === undefined) return [];
    return routedClusters(AppProfile.decode(stored));
  }
}
