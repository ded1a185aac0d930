/** App profiles. Every instance has one called `default`. */
import type { FaultTexts } from '../../base/index.js';
import { randomBytes } from 'node:crypto';
import {
  applyMask,
  AppProfile,
  checkId,
  CreateAppProfileRequest,
  DeleteAppProfileRequest,
  Empty,
  GetAppProfileRequest,
  ListAppProfilesRequest,
  ListAppProfilesResponse,
  LongOperation,
  parseResource,
  requestError,
  UpdateAppProfileMetadata,
  UpdateAppProfileRequest,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import type { InstanceLookup } from '../resources/instance-lookup.js';
import type { Operations } from './operations.js';
import { onePage } from './paging.js';
import { routedClusters } from '../resources/profile-routing.js';
import {
  alreadyExistsError,
  etagError,
  notFoundError,
  preconditionError,
} from '../resources/resource-error.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { TaskQueue } from '../resources/task-queue.js';

type ProfileContent = ContentOf<typeof AppProfile>;

/** What a mask may name; the etag is compared whether or not it is named. */
const mutableFields = [
  'etag',
  'description',
  'multi_cluster_routing_use_any',
  'single_cluster_routing',
  'priority',
  'standard_isolation',
  'data_boost_isolation_read_only',
];
/** Priority.PRIORITY_HIGH, the largest. */
const maxPriority = 3;
/** ComputeBillingOwner.HOST_PAYS, the only one. */
const hostPays = 1;

/** The methods of the service that are about app profiles. */
export function appProfileMethods(
  service: Service,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
  changes: TaskQueue,
): Methods {
  const admin = new AppProfileAdmin(store, instances, operations);
  return {
    CreateAppProfile: service.unary(
      'CreateAppProfile',
      CreateAppProfileRequest,
      AppProfile,
      (request) => changes.run(() => admin.create(request)),
    ),
    GetAppProfile: service.unary('GetAppProfile', GetAppProfileRequest, AppProfile, ({ name }) =>
      admin.get(name),
    ),
    ListAppProfiles: service.unary(
      'ListAppProfiles',
      ListAppProfilesRequest,
      ListAppProfilesResponse,
      (request) => admin.list(request),
    ),
    UpdateAppProfile: service.unary(
      'UpdateAppProfile',
      UpdateAppProfileRequest,
      LongOperation,
      (request) => changes.run(() => admin.update(request)),
    ),
    DeleteAppProfile: service.unary(
      'DeleteAppProfile',
      DeleteAppProfileRequest,
      Empty,
      ({ name }) => changes.run(() => admin.delete(name)),
    ),
  };
}

class AppProfileAdmin {
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
    appProfileId,
    appProfile,
  }: ContentOf<typeof CreateAppProfileRequest>): Promise<ProfileContent> {
    await this.#instances.get(parent);
    const name = `${parent!}/appProfiles/${checkId(appProfileId, 'appProfiles')}`;
    if (name === defaultName(parent!) || this.#store.get('appProfile', name) !== undefined)
      throw alreadyExistsError('AppProfile', name);
    if (appProfile === undefined) throw requestError('app_profile', faults.missingProfile);
    if (appProfile.name !== undefined && appProfile.name !== '' && appProfile.name !== name)
      throw requestError('app_profile.name', faults.wrongName(appProfile.name, name));
    this.#checkRouting(parent!, appProfile);
    const created = { ...checkedIsolation(appProfile), name, etag: newEtag() };
    await this.#instances.keep(parent!);
    await this.#store.put('appProfile', name, AppProfile.encode(created));
    return created;
  }

  async get(name: string | undefined): Promise<ProfileContent> {
    const { parent } = parseResource(name, 'appProfiles');
    const stored = this.#store.get('appProfile', name!);
    if (stored !== undefined) return AppProfile.decode(stored);
    await this.#instances.get(parent);
    if (name !== defaultName(parent)) throw notFoundError('AppProfile', name!);
    return this.#defaultProfile(parent);
  }

  async update({
    appProfile = {},
    updateMask,
  }: ContentOf<typeof UpdateAppProfileRequest>): Promise<ContentOf<typeof LongOperation>> {
    const { name, etag = '' } = appProfile;
    const current = await this.get(name);
    const { parent } = parseResource(name, 'appProfiles');
    if (etag !== '' && etag !== current.etag) throw etagError('AppProfile', name!);
    const paths = updateMask?.paths;
    const masked = applyMask(AppProfile.shape, current, appProfile, paths, mutableFields);
    this.#checkRouting(parent, masked);
    const changed = { ...checkedIsolation(masked), etag: newEtag() };
    await this.#instances.keep(parent);
    await this.#store.put('appProfile', name!, AppProfile.encode(changed));
    return this.#operations.finished(name!, [AppProfile, changed], [UpdateAppProfileMetadata, {}]);
  }

  async list({
    parent = '',
    pageSize,
    pageToken,
  }: ContentOf<typeof ListAppProfilesRequest>): Promise<ContentOf<typeof ListAppProfilesResponse>> {
    const profiles: ProfileContent[] = [];
    for (const instance of await this.#instances.parents(parent)) {
      const stored = this.#store
        .list('appProfile', `${instance}/appProfiles/`)
        .map(([, bytes]) => AppProfile.decode(bytes));
      profiles.push(...stored);
      if (!stored.some(({ name }) => name === defaultName(instance)))
        profiles.push(this.#defaultProfile(instance));
    }
    profiles.sort((a, b) => (a.name! < b.name! ? -1 : 1));
    const { items, nextPageToken } = onePage(profiles, ({ name }) => name!, pageSize, pageToken);
    return { appProfiles: [...items], nextPageToken };
  }

  async delete(name = ''): Promise<object> {
    await this.get(name);
    // Without a stored one it exists all the same.
    if (name === defaultName(parseResource(name, 'appProfiles').parent))
      throw preconditionError('The default app profile of this server cannot be deleted.');
    await this.#store.remove('appProfile', name);
    return {};
  }

  /** The profile of an instance with one cluster: it allows all calls. */
  #defaultProfile(instance: string): ProfileContent {
    const [clusterId] = this.#instances.clusterIds(instance);
    return {
      name: defaultName(instance),
      etag: 'default',
      description: 'The default app profile',
      singleClusterRouting: { clusterId, allowTransactionalWrites: true },
      standardIsolation: { priority: maxPriority },
    };
  }

  /** A profile has a routing policy, and names clusters of its instance. */
  #checkRouting(instance: string, profile: ProfileContent): void {
    const { multiClusterRoutingUseAny, singleClusterRouting } = profile;
    if (multiClusterRoutingUseAny === undefined && singleClusterRouting === undefined)
      throw requestError('routing_policy', faults.missingRouting);
    const clusters = routedClusters(profile);
    if (new Set(clusters).size < clusters.length)
      throw requestError('cluster_ids', faults.duplicateCluster);
    const existing = this.#instances.clusterIds(instance);
    const missing = clusters.find((id) => !existing.includes(id));
    if (missing !== undefined) throw requestError('routing_policy', faults.unknownCluster(missing));
  }
}

/**
 * The profile with a valid isolation. The deprecated `priority` sets the priority of
 * `standard_isolation`, and without one it is the highest (instance.proto; Google's Java client
 * tests it).
 */
function checkedIsolation({ priority, ...profile }: ProfileContent): ProfileContent {
  const { standardIsolation, dataBoostIsolationReadOnly, singleClusterRouting } = profile;
  if (dataBoostIsolationReadOnly !== undefined) {
    if (dataBoostIsolationReadOnly.computeBillingOwner !== hostPays)
      throw requestError('compute_billing_owner', faults.wrongBillingOwner);
    if (singleClusterRouting === undefined)
      throw requestError('routing_policy', faults.dataBoostWithoutCluster);
    return profile;
  }
  const checked = priority ?? standardIsolation?.priority ?? 0;
  if (checked < 0 || checked > maxPriority)
    throw requestError('priority', faults.unknownPriority(checked));
  return { ...profile, standardIsolation: { priority: checked || maxPriority } };
}

function newEtag(): string {
  return randomBytes(8).toString('hex');
}

function defaultName(instance: string): string {
  return `${instance}/appProfiles/default`;
}

const faults = {
  missingProfile: { problem: 'The app profile must be specified' },
  wrongName: (appProfileName: string, name: string) => ({
    problem: `'${appProfileName}' is not ${name}`,
  }),
  missingRouting: { problem: 'A routing policy must be specified' },
  duplicateCluster: { problem: 'A cluster is named twice' },
  unknownCluster: (missing: string) => ({ problem: `The instance has no cluster '${missing}'` }),
  wrongBillingOwner: { problem: 'compute_billing_owner must be HOST_PAYS' },
  dataBoostWithoutCluster: { problem: 'Data Boost needs routing to a single cluster' },
  unknownPriority: (checked: number) => ({ problem: `There is no priority ${checked}` }),
} satisfies FaultTexts;
