/** grpc.health.v1.Health. */
import { status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { startServer } from '../../src/server/index.js';
import { collectCall, RawClient, serveMemory, type TestServer } from './raw-client.js';
import { until } from '../support/until.js';

/** health.proto of grpc/grpc-proto. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  package grpc.health.v1;
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse {
    enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
    ServingStatus status = 1;
  }
  message HealthListRequest {}
  message HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
`);
const request = (service: string): Buffer => {
  const type = root.lookupType('grpc.health.v1.HealthCheckRequest');
  return Buffer.from(type.encode({ service }).finish());
};
const decoded = (type: string, bytes: Buffer): any => {
  const found = root.lookupType(`grpc.health.v1.${type}`);
  return found.toObject(found.decode(bytes), { enums: String, defaults: true });
};
const path = (method: string): string => `/grpc.health.v1.Health/${method}`;

async function check(client: RawClient, service = '') {
  const { code, messages } = await collectCall(client.bytes(path('Check'), request(service)));
  if (code !== status.OK) return code;
  return decoded('HealthCheckResponse', messages[0]).status as string;
}

let served: TestServer;
beforeEach(async () => {
  served = await serveMemory();
});
afterEach(() => served.close());

test('Check and List tell the status of the server and of its services', async () => {
  const { client } = served;
  const names = [
    '',
    'google.bigtable.v2.Bigtable',
    'google.bigtable.admin.v2.BigtableTableAdmin',
    'google.bigtable.admin.v2.BigtableInstanceAdmin',
    'google.longrunning.Operations',
  ];
  for (const name of names) expect([name, await check(client, name)]).toEqual([name, 'SERVING']);
  expect(await check(client, 'google.none')).toBe(status.NOT_FOUND);
  const { messages } = await collectCall(client.bytes(path('List'), Buffer.alloc(0)));
  const { statuses } = decoded('HealthListResponse', messages[0]);
  expect(statuses).toEqual(Object.fromEntries(names.map((name) => [name, { status: 'SERVING' }])));
});

test('a server does not serve once its engine is closed', async () => {
  await served.engine.close();
  expect(await check(served.client)).toBe('NOT_SERVING');
});

test('a watch ends when the server stops, and does not hold it up', async () => {
  const seen: string[] = [];
  const watch = (service: string) => {
    const stream = served.client.bytes(path('Watch'), request(service));
    stream.on('data', (bytes: Buffer) => seen.push(decoded('HealthCheckResponse', bytes).status));
    return collectCall(stream);
  };
  const known = watch('');
  await until(() => seen.length === 1);
  const unknown = watch('google.none');
  await until(() => seen.length === 2);
  const cancelled = served.client.bytes(path('Watch'), request(''));
  cancelled.on('error', () => undefined);
  await new Promise((resolve) => cancelled.once('data', resolve));
  cancelled.cancel();
  // Longer than a test may take.
  await served.server.close({ graceMs: 600_000 });
  expect([(await known).code, (await unknown).code]).toEqual([status.OK, status.OK]);
  expect(seen).toEqual(['SERVING', 'SERVICE_UNKNOWN', 'NOT_SERVING']);
});

test('Check alone needs no token', async () => {
  const token = 'a-token-of-more-than-16-characters';
  const server = await startServer(served.engine, { token });
  const client = new RawClient(server.address);
  expect(await check(client)).toBe('SERVING');
  for (const method of ['Watch', 'List'])
    expect((await collectCall(client.bytes(path(method), Buffer.alloc(0)))).code).toBe(
      status.UNAUTHENTICATED,
    );
  // A client without the token cannot fill the memory for requests.
  const large = client.bytes(path('Check'), Buffer.alloc(1 << 20));
  expect((await collectCall(large)).code).toBe(status.RESOURCE_EXHAUSTED);
  expect(await check(client)).toBe('SERVING');
  client.close();
  await server.close({ graceMs: 200 });
});
