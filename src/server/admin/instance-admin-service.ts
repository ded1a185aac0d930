/**
 * google.bigtable.admin.v2.BigtableInstanceAdmin, as far as clients need it to start: instances,
 * clusters and app profiles are stored objects that route nothing. The home instance, and any
 * instance with a table, exists without being created. All other methods return UNIMPLEMENTED.
 */
import type { Methods, Service } from '../rpc.js';
import { appProfileMethods } from './app-profile-admin.js';
import { clusterMethods } from './cluster-admin.js';
import { instanceMethods } from './instance-admin.js';
import { InstanceLookup } from './instance-lookup.js';
import type { Operations } from './operations.js';
import type { ResourceStore } from './resource-store.js';
import type { TableNames } from './table-names.js';

/** The methods of the service. */
export function instanceAdminService(
  service: Service,
  store: ResourceStore,
  names: TableNames,
  operations: Operations,
  homeInstance: string,
): Methods {
  const instances = new InstanceLookup(store, names, homeInstance);
  return {
    ...instanceMethods(service, store, instances, operations),
    ...clusterMethods(service, store, instances, operations),
    ...appProfileMethods(service, store, instances, operations),
  };
}
