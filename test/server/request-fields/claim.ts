/** What the server does with a field of a request. */

/**
 * `served`: acts on it. `kept`: returns it later, without acting on it. `refused`: rejects requests
 * that set it. `set`: the server sets it, a value in a request has no effect. `none`: has no effect,
 * for the reason in the note.
 */
export type Claim = 'served' | 'kept' | 'refused' | 'set' | 'none';

/**
 * A claim with a change of the base request that shows it, a note for the document, and the change
 * to compare with, if that is not the base request.
 */
export type FieldClaim = readonly [claim: Claim, change: object, note?: string, from?: object];

/** A valid request of a method, and what is claimed of its fields, by path. */
export interface MethodClaims {
  /** Fields that are not objects replace fields of the base; objects are merged. */
  readonly base: object;
  /** A claim about a message covers all of its fields. */
  readonly fields: Readonly<Record<string, FieldClaim>>;
}

export type ServiceClaims = Readonly<Record<string, MethodClaims>>;

/** Seconds since 1970 at the start of the suite. */
export const started = Math.floor(Date.now() / 1000);

export const project = 'projects/p';
export const instance = `${project}/instances/created`;
export const other = `${project}/instances/other-one`;
export const table = `${instance}/tables/t`;
export const location = `${project}/locations/z`;
export const utf8 = (text: string): Buffer => Buffer.from(text);
export const autoscaling = (min: number, max: number, cpu = 50, storage = 0): object => ({
  clusterAutoscalingConfig: {
    autoscalingLimits: { minServeNodes: min, maxServeNodes: max },
    autoscalingTargets: { cpuUtilizationPercent: cpu, storageUtilizationGibPerNode: storage },
  },
});
export const mask = (...paths: string[]): object => ({ updateMask: { paths } });
export const noWarnings: FieldClaim = ['none', { ignoreWarnings: true }, 'no call has warnings'];

/** A method with a name as its only field. */
export const named = (name: string, field = 'name'): MethodClaims => ({
  base: { [field]: name },
  fields: { [field]: ['served', { [field]: `${name}x` }] },
});

export const noItems = 'the list is always empty';

/** A method that lists what the server does not have. */
export const emptyList = (
  parent: string,
  others: Readonly<Record<string, FieldClaim>> = {},
): MethodClaims => ({
  base: { parent },
  fields: {
    parent: ['served', { parent: `${parent}x` }],
    ...others,
    pageSize: ['none', { pageSize: 1 }, noItems],
    pageToken: ['none', { pageToken: utf8('x').toString('base64url') }, noItems],
  },
});

/** GetIamPolicy, SetIamPolicy and TestIamPermissions of a resource. */
export function policyClaims(resource: string): ServiceClaims {
  const binding = { role: 'roles/viewer', members: ['allUsers'] };
  const bound = (changes: object): object => ({ bindings: [{ ...binding, ...changes }] });
  const condition = { expression: 'true', title: 't', description: 'd', location: 'l' };
  const version = { options: { requestedPolicyVersion: 2 } };
  return {
    GetIamPolicy: {
      base: { resource },
      fields: {
        resource: ['served', { resource: `${resource}x` }],
        'options.requestedPolicyVersion': ['served', version],
      },
    },
    SetIamPolicy: {
      base: { resource, policy: bound({}) },
      fields: {
        resource: ['served', { resource: `${resource}x` }],
        'policy.version': ['kept', { policy: { version: 1 } }],
        'policy.bindings.role': ['kept', { policy: bound({ role: 'roles/other' }) }],
        'policy.bindings.members': ['kept', { policy: bound({ members: ['user:a'] }) }],
        'policy.bindings.condition': ['kept', { policy: { version: 3, ...bound({ condition }) } }],
        'policy.auditConfigs': [
          'kept',
          { policy: { auditConfigs: [{ service: 's' }] }, ...mask('bindings', 'audit_configs') },
        ],
        'policy.etag': ['served', { policy: { etag: utf8('wrong') } }],
        updateMask: ['served', mask('audit_configs')],
      },
    },
    TestIamPermissions: {
      base: { resource, permissions: ['bigtable.tables.get'] },
      fields: {
        resource: ['served', { resource: `${resource}x` }],
        permissions: ['served', { permissions: ['bigtable.tables.list'] }],
      },
    },
  };
}
