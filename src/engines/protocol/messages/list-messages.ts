/**
 * List requests of resources that this server does not have, and their empty responses
 * (bigtable_table_admin.proto, bigtable_instance_admin.proto).
 */
import { int32, messageType, text, timestamp } from '../../../data/cell/index.js';

const name = (message: string): string => `google.bigtable.admin.v2.${message}`;

export const ListSchemaBundlesRequest = messageType(name('ListSchemaBundlesRequest'), {
  parent: text(1),
  pageSize: int32(2),
  pageToken: text(3),
});
export const ListSchemaBundlesResponse = messageType(name('ListSchemaBundlesResponse'), {});
export const ListLogicalViewsRequest = messageType(name('ListLogicalViewsRequest'), {
  parent: text(1),
  pageSize: int32(2),
  pageToken: text(3),
});
export const ListLogicalViewsResponse = messageType(name('ListLogicalViewsResponse'), {});
export const ListMaterializedViewsRequest = messageType(name('ListMaterializedViewsRequest'), {
  parent: text(1),
  pageSize: int32(2),
  pageToken: text(3),
});
export const ListMaterializedViewsResponse = messageType(name('ListMaterializedViewsResponse'), {});
export const ListHotTabletsRequest = messageType(name('ListHotTabletsRequest'), {
  parent: text(1),
  startTime: timestamp(2),
  endTime: timestamp(3),
  pageSize: int32(4),
  pageToken: text(5),
});
export const ListHotTabletsResponse = messageType(name('ListHotTabletsResponse'), {});
