/** The server, names and expected errors that the suites of resources share. */
import { status } from '@grpc/grpc-js';
import { type RawClient, serveMemory, type TestServer } from './raw-client.js';
import { resourceState } from './resource-state.js';

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

/** A server in memory with these resources, for each test of a file, and calls of it. */
export function resourceServer() {
  let now: TestServer;
  beforeEach(async () => {
    now = await serveMemory();
    await create(now.client);
  });
  afterEach(() => now.close());
  const state = () => resourceState(now.client, project);

  /** Makes calls that fail, and checks that none of them had an effect. */
  async function rejected(
    call: (method: string, request: object) => Promise<{ readonly code: number }>,
    cases: readonly Case[],
  ): Promise<void> {
    const before = await state();
    for (const [method, request, expected] of cases) {
      const { code } = await call(method, request);
      expect({ method, request, code }).toEqual({ method, request, code: expected.code });
    }
    expect(await state()).toEqual(before);
  }

  return {
    /** The server of the test that runs. */
    served: {
      get client() {
        return now.client;
      },
      get engine() {
        return now.engine;
      },
    },
    instances: (method: string, request: object) => now.client.call('instances', method, request),
    tables: (method: string, request: object) => now.client.call('tables', method, request),
    get: (method: string, name: string) => now.client.unary('instances', method, { name }),
    state,
    rejected,
  };
}
