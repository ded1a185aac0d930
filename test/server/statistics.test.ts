/** Statistics of reads, and what the metrics of Google's clients read in headers and trailers. */
import { status, type Metadata } from '@grpc/grpc-js';
import {
  createTestTable,
  instance,
  serveMemory,
  setCell,
  tableName,
  utf8,
  type TestServer,
} from './raw-client.js';

/** The official client's own collector of metrics. */
interface Collector {
  readonly serverTime: number | null;
  onMetadataReceived(metadata: Metadata): void;
  onStatusMetadataReceived(status: { readonly metadata: Metadata }): void;
  getMetricsCollectorData(): { readonly zone: string; readonly cluster: string };
}
const { OperationMetricsCollector } =
  require('@google-cloud/bigtable/build/src/client-side-metrics/operation-metrics-collector.js') as {
    OperationMetricsCollector: new (
      table: object,
      method: string,
      streaming: string,
      handlers: readonly object[],
    ) => Collector;
  };

let served: TestServer;
beforeAll(async () => {
  served = await serveMemory();
  await createTestTable(served.client);
});
afterAll(() => served.close());
const put = (rowKey: string, ...mutations: object[]) =>
  served.client.unary('data', 'MutateRow', { tableName, rowKey: utf8(rowKey), mutations });

test('the header server-timing is never 0, also of a call that takes less', async () => {
  const all = await Promise.all(
    Array.from({ length: 20 }, () => served.client.call('data', 'ReadRows', { tableName })),
  );
  const times = all.map(({ headers }) => `${headers?.get('server-timing')[0]?.toString()}`);
  const durations = times.map((time) => Number(time.replace('gfet4t7; dur=', '')));
  expect(Math.min(...durations)).toBeGreaterThanOrEqual(1);
});

test("the official client's metrics name the zone, the cluster and the time", async () => {
  const clusters = async (id: string, zone: string) =>
    served.client.unary('instances', 'CreateCluster', {
      parent: instance,
      clusterId: id,
      cluster: { location: `projects/p/locations/${zone}`, serveNodes: 1 },
    });
  const calls: readonly (readonly [method: string, request: object])[] = [
    ['ReadRows', { tableName }],
    ['SampleRowKeys', { tableName }],
    ['MutateRow', { tableName, rowKey: utf8('r'), mutations: [setCell('a', 'q', 'v')] }],
    ['MutateRow', { tableName, rowKey: utf8('r') }],
    [
      'MutateRows',
      { tableName, entries: [{ rowKey: utf8('r'), mutations: [setCell('a', 'q', 'v')] }] },
    ],
    ['ReadRows', { tableName, rowsLimit: -1 }],
    ['PingAndWarm', { name: instance }],
  ];
  const metricsOf = async (profile?: string): Promise<Set<string>> => {
    const found = new Set<string>();
    for (const [method, request] of calls) {
      const call = { ...request, appProfileId: profile };
      const { headers, trailers } = await served.client.call('data', method, call);
      const collector = new OperationMetricsCollector(
        { id: 't', instance: { id: 'i' }, bigtable: { projectId: 'p' } },
        method,
        'unary',
        [],
      );
      collector.onMetadataReceived(headers ?? trailers);
      collector.onStatusMetadataReceived({ metadata: trailers });
      const { zone, cluster } = collector.getMetricsCollectorData();
      found.add(`${zone} ${cluster} ${Number(collector.serverTime) > 0}`);
    }
    return found;
  };
  expect(await metricsOf()).toEqual(new Set(['local local true']));
  await clusters('nearby', 'zone-a');
  await clusters('faraway', 'zone-b');
  await served.client.unary('instances', 'CreateAppProfile', {
    parent: instance,
    appProfileId: 'nearby',
    appProfile: { singleClusterRouting: { clusterId: 'nearby' } },
  });
  expect(await metricsOf()).toEqual(new Set(['zone-b faraway true']));
  await served.client.unary('instances', 'CreateAppProfile', {
    parent: instance,
    appProfileId: 'any-nearby',
    appProfile: { multiClusterRoutingUseAny: { clusterIds: ['nearby'] } },
  });
  expect(await metricsOf('nearby')).toEqual(new Set(['zone-a nearby true']));
  expect(await metricsOf('any-nearby')).toEqual(new Set(['zone-a nearby true']));
});

describe('the statistics of a read', () => {
  const statsOf = async (request: object): Promise<unknown> => {
    const { messages } = await served.client.call('data', 'ReadRows', {
      tableName,
      requestStatsView: 'REQUEST_STATS_FULL',
      ...request,
    });
    const stats = messages.map(({ requestStats }) => requestStats);
    expect(stats.slice(0, -1).filter((one) => one !== undefined)).toEqual([]);
    const { readIterationStats, requestLatencyStats } = stats.at(-1).fullReadStatsView;
    const { seconds = '0', nanos = 0 } = requestLatencyStats.frontendServerLatency;
    expect(Number(seconds) + nanos).toBeGreaterThan(0);
    const { rowsSeenCount, rowsReturnedCount, cellsSeenCount, cellsReturnedCount } =
      readIterationStats;
    const counts = [rowsSeenCount, rowsReturnedCount, cellsSeenCount, cellsReturnedCount];
    return counts.map((count: string | undefined) => Number(count ?? 0));
  };
  beforeAll(async () => {
    await served.client.unary('tables', 'DropRowRange', {
      name: tableName,
      deleteAllDataFromTable: true,
    });
    for (const key of ['r1', 'r2', 'r3', 'r4'])
      await put(key, setCell('a', 'p', key), setCell('a', 'q', key));
  });

  test.each<[string, object, readonly number[]]>([
    ['a whole table', {}, [4, 4, 8, 8]],
    ['a limit', { rowsLimit: 3 }, [3, 3, 6, 6]],
    ['a filter of cells', { filter: { columnQualifierRegexFilter: utf8('q') } }, [4, 4, 8, 4]],
    ['a filter of rows', { filter: { rowKeyRegexFilter: utf8('r[23]') } }, [4, 2, 8, 4]],
    [
      'a filter and a limit',
      { filter: { rowKeyRegexFilter: utf8('r[23]') }, rowsLimit: 1 },
      [2, 1, 4, 2],
    ],
    [
      'a reversed read with a filter and a limit',
      { filter: { rowKeyRegexFilter: utf8('r[12]') }, rowsLimit: 1, reversed: true },
      [3, 1, 6, 2],
    ],
    ['a range', { rows: { rowRanges: [{ startKeyClosed: utf8('r3') }] } }, [2, 2, 4, 4]],
    ['no rows', { rows: { rowKeys: [utf8('none')] } }, [0, 0, 0, 0]],
    ['a filter that passes nothing', { filter: { blockAllFilter: true } }, [4, 0, 8, 0]],
  ])('of %s', async (_what, request, expected) => {
    expect(await statsOf(request)).toEqual(expected);
  });

  test.each([undefined, 'REQUEST_STATS_NONE'])('are not sent for %s', async (view) => {
    const request = { tableName, requestStatsView: view };
    const { messages } = await served.client.call('data', 'ReadRows', request);
    expect(messages.map(({ requestStats }) => requestStats)).toEqual([undefined]);
  });

  test('of an unknown view are UNIMPLEMENTED', async () => {
    const request = { tableName, requestStatsView: 3 };
    expect(await served.client.call('data', 'ReadRows', request)).toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });
});
