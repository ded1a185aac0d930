/** Calls with the claimed fields to new servers, and what they leave. */
import { status } from '@grpc/grpc-js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../../src/server/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { RawClient } from '../raw-client.js';
import { resourceState } from '../resource-state.js';
import {
  autoscaling,
  instance,
  location,
  other,
  project,
  started,
  table,
  utf8,
  type Claim,
  type ServiceClaims,
} from './claim.js';
import { dataClaims } from './data-claims.js';
import { instanceClaims } from './instance-claims.js';
import { tableClaims } from './table-claims.js';

export const services = {
  data: ['google.bigtable.v2.Bigtable', dataClaims],
  tables: ['google.bigtable.admin.v2.BigtableTableAdmin', tableClaims],
  instances: ['google.bigtable.admin.v2.BigtableInstanceAdmin', instanceClaims],
} as const;
export type ServiceKey = keyof typeof services;
export const keys = Object.keys(services) as ServiceKey[];
export const claimsOf = (key: ServiceKey): ServiceClaims => services[key][1];

export interface TestServer {
  readonly client: RawClient;
  readonly close: () => Promise<void>;
}

/** A server with two instances, clusters, app profiles, a table, its views and rows. */
export async function serve(): Promise<TestServer> {
  const engine = await openMemoryEngine({ clock: () => 1_700_000_000_000 });
  const server = await startServer(engine);
  const client = new RawClient(server.address);
  const make = (method: string, request: object) => client.unary('instances', method, request);
  await make('CreateInstance', {
    parent: project,
    instanceId: 'created',
    instance: { displayName: 'Created' },
    clusters: {
      'cluster-1': { location, serveNodes: 3 },
      'cluster-2': { location, clusterConfig: autoscaling(2, 8) },
    },
  });
  await make('CreateInstance', {
    parent: project,
    instanceId: other.split('/').at(-1),
    instance: { displayName: 'Other' },
    clusters: { 'cluster-1': { location, serveNodes: 1 } },
  });
  await make('CreateAppProfile', {
    parent: instance,
    appProfileId: 'one',
    appProfile: { singleClusterRouting: { clusterId: 'cluster-1' } },
  });
  await make('CreateAppProfile', {
    parent: instance,
    appProfileId: 'boost',
    appProfile: {
      singleClusterRouting: { clusterId: 'cluster-1' },
      dataBoostIsolationReadOnly: { computeBillingOwner: 1 },
    },
  });
  for (const tableId of ['t', 'more'])
    await client.unary('tables', 'CreateTable', {
      parent: instance,
      tableId,
      table: { columnFamilies: { plain: {}, text: {} } },
    });
  for (const authorizedViewId of ['v', 'w'])
    await client.unary('tables', 'CreateAuthorizedView', {
      parent: table,
      authorizedViewId,
      authorizedView: {
        subsetView: {
          rowPrefixes: [utf8('r1')],
          familySubsets: { text: { qualifiers: [utf8('q')] } },
        },
      },
    });
  for (const backupId of ['b', 'b2'])
    await client.unary('tables', 'CreateBackup', {
      parent: `${instance}/clusters/cluster-1`,
      backupId,
      backup: {
        sourceTable: table,
        expireTime: { seconds: started + 86_400 },
      },
    });
  for (const rowKey of ['r1', 'r2'])
    await client.unary('data', 'MutateRow', {
      tableName: table,
      rowKey: utf8(rowKey),
      mutations: [
        {
          setCell: {
            familyName: 'plain',
            columnQualifier: utf8('q'),
            timestampMicros: 1000,
            value: utf8('before'),
          },
        },
      ],
    });
  return { client, close: () => close(server, engine, client) };
}

async function close(server: BigtableServer, engine: Engine, client: RawClient): Promise<void> {
  client.close();
  await server.close({ graceMs: 500 });
  await engine.close();
}

/** A copy of `base` with the changes; undefined removes a field. */
export function merged(base: object, changes: object): object {
  const result: Record<string, unknown> = { ...base };
  for (const [name, change] of Object.entries(changes) as [string, unknown][]) {
    const before = result[name];
    if (change === undefined) delete result[name];
    else if (isPlain(before) && isPlain(change)) result[name] = merged(before, change);
    else result[name] = change;
  }
  return result;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && value.constructor === Object;
}

/** Values that differ between runs, and the text of errors. */
const unstable = new Set([
  'createTime',
  'etag',
  'consistencyToken',
  'metadata',
  'response',
  'startTime',
  'endTime',
]);
export const stable = (value: unknown): string =>
  JSON.stringify(value, (name, field: unknown) => (unstable.has(name) ? undefined : field));

interface Outcome {
  readonly code: number;
  /** The response, and everything that the server returns afterwards. */
  readonly text: string;
  /** Everything that the server returns afterwards. */
  readonly state: string;
}

export async function stateOf(client: RawClient): Promise<string> {
  const rows = await client.call('data', 'ReadRows', { tableName: table });
  const { messages } = await client.call('data', 'SampleRowKeys', {
    tableName: `${instance}/tables/u`,
  });
  const backups = await client.call('tables', 'ListBackups', {
    parent: `${instance}/clusters/-`,
    orderBy: 'name',
  });
  return stable([
    await resourceState(client, project),
    rows.code,
    rows.messages,
    messages,
    backups.messages,
  ]);
}

/** Makes a call to a new server. */
export async function outcomeOf(
  key: ServiceKey,
  method: string,
  request: object,
): Promise<Outcome> {
  const served = await serve();
  const { client } = served;
  let sent = request;
  if ((request as { consistencyToken?: string }).consistencyToken === 'TOKEN') {
    const token = await client.unary('tables', 'GenerateConsistencyToken', { name: table });
    sent = { ...request, ...token };
  }
  const { code, messages } = await client.call(key, method, sent);
  const state = await stateOf(client);
  await served.close();
  return { code, text: stable([code, messages, state]), state };
}

/** What an outcome shows, compared with the outcome of the base request. */
export function checkClaim(claim: Claim, base: Outcome, changed: Outcome, untouched: string): void {
  if (claim === 'refused') {
    expect(changed.code).not.toBe(status.OK);
    expect(changed.state).toBe(untouched);
  } else if (claim === 'set' || claim === 'none') {
    expect(changed).toEqual(base);
  } else {
    expect(changed.text).not.toBe(base.text);
    if (claim === 'kept') expect(changed.code).toBe(status.OK);
  }
}

/** What a server returns to which no call was made. */
export async function untouchedState(): Promise<string> {
  const served = await serve();
  const state = await stateOf(served.client);
  await served.close();
  return state;
}
