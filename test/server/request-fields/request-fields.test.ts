/**
 * Every field of every published request: what the server does with it is claimed here, shown by a
 * request that sets it, and documented. UPDATE_GOLDEN=1 rewrites docs/request-fields.md.
 */
import { status } from '@grpc/grpc-js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer, type BigtableServer } from '../../../src/server/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { collectCall, RawClient } from '../raw-client.js';
import { resourceState } from '../resource-state.js';
import { published } from '../../engines/protocol/published.js';
import {
  autoscaling,
  instance,
  location,
  other,
  project,
  table,
  utf8,
  type Claim,
  type ServiceClaims,
} from './claim.js';
import { dataClaims } from './data-claims.js';
import { instanceClaims } from './instance-claims.js';
import { fieldsOf, methodsOf } from './published-fields.js';
import { tableClaims } from './table-claims.js';
import { requestFieldsDocument } from './document.js';

const services = {
  data: ['google.bigtable.v2.Bigtable', dataClaims],
  tables: ['google.bigtable.admin.v2.BigtableTableAdmin', tableClaims],
  instances: ['google.bigtable.admin.v2.BigtableInstanceAdmin', instanceClaims],
} as const;
type ServiceKey = keyof typeof services;
const keys = Object.keys(services) as ServiceKey[];
const claimsOf = (key: ServiceKey): ServiceClaims => services[key][1];

interface TestServer {
  readonly client: RawClient;
  readonly close: () => Promise<void>;
}

/** A server with two instances, clusters, app profiles, a table and rows. */
async function serve(): Promise<TestServer> {
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
  for (const tableId of ['t', 'more'])
    await client.unary('tables', 'CreateTable', {
      parent: instance,
      tableId,
      table: { columnFamilies: { plain: {}, text: {} } },
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
function merged(base: object, changes: object): object {
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
const unstable = new Set(['createTime', 'etag', 'consistencyToken', 'metadata', 'response']);
const stable = (value: unknown): string =>
  JSON.stringify(value, (name, field: unknown) => (unstable.has(name) ? undefined : field));

interface Outcome {
  readonly code: number;
  /** The response, and everything that the server returns afterwards. */
  readonly text: string;
  /** Everything that the server returns afterwards. */
  readonly state: string;
}

async function stateOf(client: RawClient): Promise<string> {
  const rows = await client.call('data', 'ReadRows', { tableName: table });
  const { messages } = await client.call('data', 'SampleRowKeys', {
    tableName: `${instance}/tables/u`,
  });
  return stable([await resourceState(client, project), rows.code, rows.messages, messages]);
}

/** Makes a call to a new server. */
async function outcomeOf(key: ServiceKey, method: string, request: object): Promise<Outcome> {
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

let untouched = '';
beforeAll(async () => {
  const served = await serve();
  untouched = await stateOf(served.client);
  await served.close();
});

/** What an outcome shows, compared with the outcome of the base request. */
function checkClaim(claim: Claim, base: Outcome, changed: Outcome): void {
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

describe.each(keys)('%s', (key) => {
  const [service, claims] = services[key];

  test.each(Object.keys(claims))('%s', async (method) => {
    const { base, fields } = claimsOf(key)[method];
    const expected = await outcomeOf(key, method, base);
    expect(expected.code).toBe(status.OK);
    for (const [path, [claim, change, , from]] of Object.entries(fields)) {
      const compared =
        from === undefined ? expected : await outcomeOf(key, method, merged(base, from));
      const changed = await outcomeOf(key, method, merged(base, change));
      try {
        checkClaim(claim, compared, changed);
      } catch (cause) {
        throw new Error(`${method} ${path} is not '${claim}'`, { cause });
      }
    }
  });

  const masked = Object.entries(claims).filter(([, { base }]) => 'updateMask' in base);
  if (masked.length > 0)
    test.each(masked)(
      '%s: fields that the mask does not name',
      async (method, { base, fields }) => {
        const { updateMask } = base as { updateMask: object };
        const expected = await outcomeOf(key, method, base);
        const changes = Object.entries(fields).filter(
          ([, [, change]]) =>
            'updateMask' in change && stable(change.updateMask) !== stable(updateMask),
        );
        expect(changes.length).toBeGreaterThan(1);
        for (const [path, [, change]] of changes) {
          if (path === 'updateMask') continue;
          const outcome = await outcomeOf(key, method, merged(base, { ...change, updateMask }));
          if (outcome.code === status.OK)
            expect({ path, outcome }).toEqual({ path, outcome: expected });
          else expect(outcome.state).toBe(untouched);
        }
      },
    );

  test('every field of the published requests has a claim, and no other', () => {
    for (const { name, resolvedRequestType } of methodsOf(service)) {
      const method = claimsOf(key)[name];
      if (method === undefined) continue;
      const claimed = Object.keys(method.fields);
      const paths = fieldsOf(resolvedRequestType!).map(({ path }) => path);
      const covers = (claim: string, path: string) =>
        path === claim || path.startsWith(`${claim}.`);
      const unclaimed = paths.filter((path) => !claimed.some((claim) => covers(claim, path)));
      const unknown = claimed.filter((claim) => !paths.some((path) => covers(claim, path)));
      expect({ name, unclaimed, unknown }).toEqual({ name, unclaimed: [], unknown: [] });
    }
  });

  test('each method without claims is UNIMPLEMENTED with each of its fields', async () => {
    const served = await serve();
    for (const { name, resolvedRequestType: type } of methodsOf(service)) {
      if (claimsOf(key)[name] !== undefined) continue;
      for (const { path, value } of fieldsOf(type!)) {
        const request = Buffer.from(
          type!.encode(type!.fromObject({ [path.split('.')[0]]: value })).finish(),
        );
        const { code } = await collectCall(
          served.client.bytes(`/${service}/${name}`, request, 10_000),
        );
        expect({ name, path, code }).toEqual({ name, path, code: status.UNIMPLEMENTED });
      }
    }
    expect(await stateOf(served.client)).toBe(untouched);
    await served.close();
  });
});

/** What is claimed of the kinds of Type as the type of a family; all other kinds are refused. */
const typeClaims: Readonly<Record<string, Claim>> = {
  bytesType: 'kept',
  stringType: 'kept',
  aggregateType: 'served',
};

test('the types of families', async () => {
  const { base } = tableClaims.CreateTable;
  const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
  const values: Record<string, object> = { aggregateType: { inputType: int64, sum: {} } };
  const expected = await outcomeOf('tables', 'CreateTable', base);
  const { fieldsArray } = published.lookupType('google.bigtable.admin.v2.Type');
  expect(fieldsArray.length).toBeGreaterThan(10);
  for (const { name } of fieldsArray) {
    const families = { f: { valueType: { [name]: values[name] ?? {} } } };
    const changed = await outcomeOf(
      'tables',
      'CreateTable',
      merged(base, { table: { columnFamilies: families } }),
    );
    checkClaim(typeClaims[name] ?? 'refused', expected, changed);
  }
});

test('docs/request-fields.md is generated from the claims', () => {
  const path = join(__dirname, '../../../docs/request-fields.md');
  const text = requestFieldsDocument(
    keys.map((key) => ({
      service: services[key][0],
      claims: claimsOf(key),
      methods: methodsOf(services[key][0]).map(({ name }) => name),
    })),
  );
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
