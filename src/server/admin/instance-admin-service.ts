/**
 * google.bigtable.admin.v2.BigtableInstanceAdmin: instances, clusters, app profiles and access
 * policies are stored objects that route nothing and forbid nothing. The home instance, and any
 * instance with a table, exists without being created. All other methods return UNIMPLEMENTED.
 */
import type { Methods, Service } from '../rpc.js';
import { appProfileMethods } from './app-profile-admin.js';
import { clusterMethods } from './cluster-admin.js';
import { emptyInstanceLists } from './empty-lists.js';
import { instanceMethods } from './instance-admin.js';
import type { InstanceLookup } from '../resources/instance-lookup.js';
import type { Operations } from './operations.js';
import { policyMethods } from './policy-admin.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { TableNames } from '../resources/table-names.js';

/** The methods of the service. */
export function instanceAdminService(
  service: Service,
  store: ResourceStore,
  names: TableNames,
  operations: Operations,
  instances: InstanceLookup,
): Methods {
  const { changes } = instances;
  return {
    ...instanceMethods(service, store, instances, operations, names, changes),
    ...clusterMethods(service, store, instances, operations, changes),
    ...emptyInstanceLists(service, instances),
    ...appProfileMethods(service, store, instances, operations, changes),
    ...policyMethods(
      service,
      store,
      changes,
      'instances',
      (name) => instances.get(name),
      (name) => instances.keep(name),
    ),
  };
}
