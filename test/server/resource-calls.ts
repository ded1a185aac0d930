/** Names and expected errors that the suites of resources share. */
import { status } from '@grpc/grpc-js';
import type { RawClient } from './raw-client.js';

export const project = 'projects/p';
export const instance = `${project}/instances/created`;
export const table = `${instance}/tables/t`;
export const invalid = { code: status.INVALID_ARGUMENT };
export const missing = { code: status.NOT_FOUND };
export const unoffered = { code: status.UNIMPLEMENTED };
export const precondition = { code: status.FAILED_PRECONDITION };
export const location = `${project}/locations/z`;
export const autoscaling = (minServeNodes: number, maxServeNodes: number, more: object = {}) => ({
  clusterAutoscalingConfig: {
    autoscalingLimits: { minServeNodes, maxServeNodes },
    autoscalingTargets: { cpuUtilizationPercent: 50, ...more },
  },
});

export const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
export const text = { stringType: { encoding: { utf8Bytes: {} } } };

/** An instance with two clusters, an app profile and a table. */
export async function create(client: RawClient): Promise<void> {
  await client.unary('instances', 'CreateInstance', {
    parent: project,
    instanceId: 'created',
    instance: { displayName: 'Created', labels: { a: '1' }, tags: { 'tagKeys/1': 'tagValues/2' } },
    clusters: {
      'cluster-1': { location, serveNodes: 3 },
      'cluster-2': { location, clusterConfig: autoscaling(2, 8) },
    },
  });
  await client.unary('instances', 'CreateAppProfile', {
    parent: instance,
    appProfileId: 'one',
    appProfile: {
      description: 'first',
      singleClusterRouting: { clusterId: 'cluster-1' },
      standardIsolation: { priority: 'PRIORITY_LOW' },
    },
  });
  await client.unary('tables', 'CreateTable', {
    parent: instance,
    tableId: 't',
    table: {
      columnFamilies: {
        plain: {},
        text: { valueType: text },
        sum: { valueType: { aggregateType: { inputType: int64, sum: {} } } },
      },
    },
  });
}

export type Case = readonly [method: string, request: object, expected: { readonly code: number }];
