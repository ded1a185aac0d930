/** App profiles. Every instance has one called `default`. */
import { noBytes } from '../../bytes/index.js';
import {
  AppProfile,
  checkId,
  CreateAppProfileRequest,
  DeleteAppProfileRequest,
  Empty,
  GetAppProfileRequest,
  ListAppProfilesRequest,
  ListAppProfilesResponse,
  Operation,
  parseResource,
  UpdateAppProfileMetadata,
  UpdateAppProfileRequest,
  type ContentOf,
} from '../../protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { applyMask } from './field-mask.js';
import type { InstanceLookup } from './instance-lookup.js';
import type { Operations } from './operations.js';
import { onePage } from './paging.js';
import { alreadyExistsError, notFoundError } from './resource-error.js';
import type { ResourceStore } from './resource-store.js';

type ProfileContent = ContentOf<typeof AppProfile>;

/** The two routing policies are a oneof: setting one clears the other. */
const routing = ['multiClusterRoutingUseAny', 'singleClusterRouting'] as const;
/** What an update may change, by its path in a mask. */
const mutableFields = {
  description: ['description'],
  multi_cluster_routing_use_any: routing,
  single_cluster_routing: routing,
} as const;

/** The methods of the service that are about app profiles. */
export function appProfileMethods(
  service: Service,
  store: ResourceStore,
  instances: InstanceLookup,
  operations: Operations,
): Methods {
  const admin = new AppProfileAdmin(store, instances, operations);
  return {
    CreateAppProfile: service.unary(
      'CreateAppProfile',
      CreateAppProfileRequest,
      AppProfile,
      (request) => admin.create(request),
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
      Operation,
      (request) => admin.update(request),
    ),
    DeleteAppProfile: service.unary(
      'DeleteAppProfile',
      DeleteAppProfileRequest,
      Empty,
      ({ name }) => admin.delete(name),
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
    appProfile = {},
  }: ContentOf<typeof CreateAppProfileRequest>): Promise<ProfileContent> {
    await this.#instances.get(parent);
    const name = `${parent!}/appProfiles/${checkId(appProfileId, 'appProfiles')}`;
    if (this.#store.get('appProfile', name) !== undefined)
      throw alreadyExistsError('AppProfile', name);
    const created = { ...appProfile, name, etag: newEtag() };
    await this.#store.put('appProfile', name, AppProfile.encode(created));
    return created;
  }

  async get(name: string | undefined): Promise<ProfileContent> {
    const { parent } = parseResource(name, 'appProfiles');
    const stored = this.#store.get('appProfile', name!);
    if (stored !== undefined) return AppProfile.decode(stored);
    await this.#instances.get(parent);
    if (name !== defaultName(parent)) throw notFoundError('AppProfile', name!);
    return defaultProfile(parent);
  }

  async update({
    appProfile = {},
    updateMask,
  }: ContentOf<typeof UpdateAppProfileRequest>): Promise<ContentOf<typeof Operation>> {
    const { name } = appProfile;
    const current = await this.get(name);
    const changed = {
      ...applyMask(current, appProfile, updateMask?.paths, mutableFields),
      etag: newEtag(),
    };
    await this.#store.put('appProfile', name!, AppProfile.encode(changed));
    return this.#operations.finished(name!, [AppProfile, changed], [UpdateAppProfileMetadata, {}]);
  }

  async list({
    parent = '',
    pageSize,
    pageToken,
  }: ContentOf<typeof ListAppProfilesRequest>): Promise<ContentOf<typeof ListAppProfilesResponse>> {
    await this.#instances.get(parent);
    const profiles = this.#store
      .list('appProfile', `${parent}/appProfiles/`)
      .map(([, bytes]) => AppProfile.decode(bytes));
    if (!profiles.some(({ name }) => name === defaultName(parent)))
      profiles.push(defaultProfile(parent));
    profiles.sort((a, b) => (a.name! < b.name! ? -1 : 1));
    const { items, nextPageToken } = onePage(profiles, ({ name }) => name!, pageSize, pageToken);
    return { appProfiles: [...items], nextPageToken };
  }

  async delete(name = ''): Promise<object> {
    parseResource(name, 'appProfiles');
    if (this.#store.get('appProfile', name) === undefined) throw notFoundError('AppProfile', name);
    await this.#store.remove('appProfile', name);
    return {};
  }
}

function newEtag(): string {
  return Date.now().toString(36);
}

function defaultName(instance: string): string {
  return `${instance}/appProfiles/default`;
}

/** Empty bytes select routing to any cluster. */
function defaultProfile(instance: string): ProfileContent {
  return {
    name: defaultName(instance),
    description: 'The default app profile',
    multiClusterRoutingUseAny: noBytes,
  };
}
