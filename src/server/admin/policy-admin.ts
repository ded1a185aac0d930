/**
 * Access policies of instances, tables, authorized views and backups (google.iam.v1). They are kept
 * and not acted on: this server has no users, and whoever may call it may do everything.
 */
import type { FaultTexts } from '../../base/index.js';
import { randomBytes } from 'node:crypto';
import {
  applyMask,
  GetIamPolicyRequest,
  Policy,
  requestError,
  SetIamPolicyRequest,
  StatusError,
  statusCode,
  TestIamPermissionsRequest,
  TestIamPermissionsResponse,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import { etagError, notFoundError } from '../resources/resource-error.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { TaskQueue } from '../resources/task-queue.js';

type PolicyContent = ContentOf<typeof Policy>;

/** The etag of a resource without a policy. */
const emptyEtag = Uint8Array.of(0, 1);
/** Valid versions of policies and of requests for them (policy.proto). */
const versions = [0, 1, 3];
/** The first version with conditions. */
const conditionVersion = 3;
/** AuditLogConfig.LogType.DATA_READ, the largest. */
const maxLogType = 3;
/** Names of the resources of each service that have policies and are not offered here. */
const unofferedNames = {
  instances: /^projects\/[^/]+\/instances\/[^/]+\/(materialized|logical)Views\/[^/]+$/,
  tables: /^projects\/[^/]+\/instances\/[^/]+\/tables\/[^/]+\/schemaBundles\/[^/]+$/,
} as const;
const mutableFields = ['bindings', 'audit_configs', 'version', 'etag'];
/** The mask of a request without one (iam_policy.proto, SetIamPolicyRequest.update_mask). */
const defaultMask = ['bindings', 'etag', 'version'];

/**
 * The three methods, for resources of a kind. `find` throws the error of a resource that does not
 * exist; `keep` stores one that is implied; `changes` is the queue in which resources are deleted,
 * so that no policy outlives one.
 */
export function policyMethods(
  service: Service,
  store: ResourceStore,
  changes: TaskQueue,
  kind: 'instances' | 'tables',
  find: (name: string) => Promise<unknown>,
  keep: (name: string) => Promise<void> = async () => undefined,
): Methods {
  const admin = new PolicyAdmin(store, kind, find, keep);
  const resourceOf = ({ resource }: { readonly resource?: string }): string | undefined => resource;
  return {
    GetIamPolicy: service.unary(
      'GetIamPolicy',
      GetIamPolicyRequest,
      Policy,
      (request) => admin.get(request),
      resourceOf,
    ),
    SetIamPolicy: service.unary(
      'SetIamPolicy',
      SetIamPolicyRequest,
      Policy,
      (request) => changes.run(() => admin.set(request)),
      resourceOf,
    ),
    TestIamPermissions: service.unary(
      'TestIamPermissions',
      TestIamPermissionsRequest,
      TestIamPermissionsResponse,
      (request) => admin.test(request),
      resourceOf,
    ),
  };
}

class PolicyAdmin {
  readonly #store: ResourceStore;
  readonly #name: RegExp;
  readonly #unoffered: RegExp;
  readonly #find: (name: string) => Promise<unknown>;
  readonly #keep: (name: string) => Promise<void>;

  constructor(
    store: ResourceStore,
    kind: 'instances' | 'tables',
    find: (name: string) => Promise<unknown>,
    keep: (name: string) => Promise<void>,
  ) {
    this.#store = store;
    const table =
      kind === 'tables'
        ? '/(tables/[^/]+(/authorizedViews/[^/]+)?|clusters/[^/]+/backups/[^/]+)'
        : '';
    this.#name = new RegExp(`^projects/[^/]+/instances/[^/]+${table}$`);
    this.#unoffered = unofferedNames[kind];
    this.#find = (name) => this.#found(name, find);
    this.#keep = keep;
  }

  async get({ resource, options }: ContentOf<typeof GetIamPolicyRequest>): Promise<PolicyContent> {
    const name = this.#checkedName(resource);
    const version = options?.requestedPolicyVersion ?? 0;
    checkVersion('requested_policy_version', version);
    await this.#find(name);
    const policy = this.#stored(name);
    // Conditions need a client that knows them (policy.proto, GetPolicyOptions).
    if (version < conditionVersion && policy.bindings?.some(({ condition }) => condition))
      throw requestError('requested_policy_version', faults.versionNotRequested);
    return policy;
  }

  async set({
    resource,
    policy,
    updateMask,
  }: ContentOf<typeof SetIamPolicyRequest>): Promise<PolicyContent> {
    const name = this.#checkedName(resource);
    await this.#find(name);
    if (policy === undefined) throw requestError('policy', faults.missingPolicy);
    checkPolicy(policy);
    const current = this.#stored(name);
    const { etag } = policy;
    if (etag !== undefined && etag.length > 0 && !Buffer.from(etag).equals(current.etag!))
      throw etagError('The policy of', name);
    const paths = updateMask?.paths ?? defaultMask;
    const mask = paths.length === 0 ? defaultMask : paths;
    const masked = applyMask(Policy.shape, current, policy, mask, mutableFields);
    if (mask.includes('bindings')) checkConditionsKept(current, policy);
    checkPolicy(masked);
    const changed = { ...masked, etag: randomBytes(8) };
    await this.#keep(name);
    await this.#store.put('policy', name, Policy.encode(changed));
    return changed;
  }

  /** All permissions of a resource that exists, and none otherwise (iam_policy.proto). */
  async test({
    resource,
    permissions = [],
  }: ContentOf<typeof TestIamPermissionsRequest>): Promise<
    ContentOf<typeof TestIamPermissionsResponse>
  > {
    const name = this.#checkedName(resource);
    if (permissions.length === 0) throw requestError('permissions', faults.missingPermission);
    const invalid = permissions.find((one) => !/^[a-z]+(\.[a-zA-Z]+){2}$/.test(one));
    if (invalid !== undefined) throw requestError('permissions', faults.notAPermission(invalid));
    try {
      await this.#find(name);
    } catch (error) {
      if (error instanceof StatusError && error.code === statusCode.NOT_FOUND) return {};
      throw error;
    }
    return { permissions: [...new Set(permissions)] };
  }

  async #found(name: string, find: (name: string) => Promise<unknown>): Promise<void> {
    if (this.#unoffered.test(name)) throw notFoundError('Resource', name);
    await find(name);
  }

  #checkedName(resource = ''): string {
    if (this.#name.test(resource) || this.#unoffered.test(resource)) return resource;
    throw requestError('resource', faults.notAResource(resource));
  }

  #stored(name: string): PolicyContent {
    const bytes = this.#store.get('policy', name);
    if (bytes === undefined) return { etag: emptyEtag };
    return Policy.decode(bytes);
  }
}

function checkPolicy({ version = 0, bindings = [], auditConfigs = [] }: PolicyContent): void {
  checkVersion('policy.version', version);
  for (const { role = '', members = [], condition } of bindings) {
    if (role === '') throw requestError('policy.bindings', faults.missingRole);
    if (members.some((member) => !/^(allUsers|allAuthenticatedUsers|[a-zA-Z]+:.+)$/.test(member)))
      throw requestError('policy.bindings', faults.notAMember(role));
    if (condition !== undefined && version !== conditionVersion)
      throw requestError('policy.version', faults.conditionsWithoutVersion);
  }
  for (const { auditLogConfigs = [] } of auditConfigs)
    if (auditLogConfigs.some(({ logType = 0 }) => logType < 0 || logType > maxLogType))
      throw requestError('policy.audit_configs', faults.unknownLogType);
}

/**
 * Changes of a policy with conditions need a client that knows them, unless it overwrites the
 * policy without an etag (policy.proto, Policy.version).
 */
function checkConditionsKept({ bindings }: PolicyContent, policy: PolicyContent): void {
  if (policy.version === conditionVersion || (policy.etag?.length ?? 0) === 0) return;
  if (bindings?.some(({ condition }) => condition) !== true) return;
  throw requestError('policy.version', faults.changeWithoutVersion);
}

function checkVersion(field: string, version: number): void {
  if (!versions.includes(version)) throw requestError(field, faults.unknownVersion(version));
}

const faults = {
  versionNotRequested: { problem: 'The policy has conditions: version 3 must be requested' },
  missingPolicy: { problem: 'The policy must be specified' },
  missingPermission: { problem: 'At least one permission must be specified' },
  notAPermission: (invalid: string) => ({ problem: `'${invalid}' is not a permission` }),
  notAResource: (resource: string) => ({
    problem: `Invalid name: '${resource}' is not a resource that has a policy`,
  }),
  missingRole: { problem: 'A binding must name a role' },
  notAMember: (role: string) => ({ problem: `A member of ${role} is not KIND:NAME` }),
  conditionsWithoutVersion: { problem: 'Policies with conditions have version 3' },
  unknownLogType: { problem: 'There is no such type of log' },
  changeWithoutVersion: {
    problem: 'The stored policy has conditions: the new policy must have version 3',
  },
  unknownVersion: (version: number) => ({ problem: `Version ${version} is not one of 0, 1 and 3` }),
} satisfies FaultTexts;
