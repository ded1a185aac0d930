/**
 * List methods of resources that this server does not have. They return empty lists, because the
 * teardowns of official clients call them before they delete an instance. All other methods of
 * these resources return UNIMPLEMENTED.
 */
import type { FaultTexts } from '../../base/index.js';
import {
  ListHotTabletsRequest,
  ListHotTabletsResponse,
  ListLogicalViewsRequest,
  ListLogicalViewsResponse,
  ListMaterializedViewsRequest,
  ListMaterializedViewsResponse,
  ListSchemaBundlesRequest,
  ListSchemaBundlesResponse,
  requestError,
} from '../../engines/protocol/index.js';
import type { InstanceLookup } from '../resources/instance-lookup.js';
import type { Methods, Service } from '../rpc.js';
import { onePage } from './paging.js';

interface ListRequest {
  readonly parent?: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** Of BigtableTableAdmin; `findTable` throws NOT_FOUND for a table that does not exist. */
export function emptyTableLists(
  service: Service,
  findTable: (name: string) => Promise<void>,
): Methods {
  return {
    ListSchemaBundles: service.unary(
      'ListSchemaBundles',
      ListSchemaBundlesRequest,
      ListSchemaBundlesResponse,
      async (request) => {
        await findTable(request.parent ?? '');
        return emptyPage(request);
      },
    ),
  };
}

/** Of BigtableInstanceAdmin. */
export function emptyInstanceLists(service: Service, instances: InstanceLookup): Methods {
  const ofInstance = async (request: ListRequest): Promise<object> => {
    await instances.parents(request.parent);
    return emptyPage(request);
  };
  return {
    ListLogicalViews: service.unary(
      'ListLogicalViews',
      ListLogicalViewsRequest,
      ListLogicalViewsResponse,
      ofInstance,
    ),
    ListMaterializedViews: service.unary(
      'ListMaterializedViews',
      ListMaterializedViewsRequest,
      ListMaterializedViewsResponse,
      ofInstance,
    ),
    ListHotTablets: service.unary(
      'ListHotTablets',
      ListHotTabletsRequest,
      ListHotTabletsResponse,
      async (request) => {
        await instances.clusterPrefixes(request.parent);
        const { startTime, endTime } = request;
        if (startTime !== undefined && endTime !== undefined && startTime > endTime)
          throw requestError('start_time', faults.invertedTimes);
        return emptyPage(request);
      },
    ),
  };
}

/** Checks the paging of a request. */
function emptyPage({ pageSize, pageToken }: ListRequest): object {
  onePage([], String, pageSize, pageToken);
  return {};
}

const faults = {
  invertedTimes: { problem: 'start_time must not be after end_time' },
} satisfies FaultTexts;
