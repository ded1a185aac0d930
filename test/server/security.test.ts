/** TLS and bearer tokens, over loopback. */
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer, type BigtableServer, type ServerOptions } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { selfSigned } from '../support/self-signed.js';
import { createTestTable, instance, RawClient, setCell, tableName, utf8 } from './raw-client.js';

const token = 'a-token-of-more-than-16-characters';
const write = { tableName, rowKey: utf8('k'), mutations: [setCell('a', 'q', 'v')] };

let engine: Engine;
const servers: BigtableServer[] = [];
const clients: { close(): void }[] = [];
beforeEach(async () => {
  engine = await openMemoryEngine();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) await server.close({ graceMs: 100 });
  await engine.close();
});

async function start(options: ServerOptions): Promise<BigtableServer> {
  const server = await startServer(engine, { instance, ...options });
  servers.push(server);
  return server;
}
function connect(address: string, headers: Readonly<Record<string, string>> = {}): RawClient {
  const client = new RawClient(address, headers);
  clients.push(client);
  return client;
}

test('calls need the token of the server', async () => {
  const { address } = await start({ token });
  const known = connect(address, { authorization: `Bearer ${token}` });
  await createTestTable(known);
  expect((await known.call('data', 'MutateRow', write)).code).toBe(status.OK);
  const key = utf8('other');
  for (const authorization of [
    undefined,
    '',
    token,
    'Bearer',
    `Basic ${token}`,
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
  ]) {
    const headers: Record<string, string> = {};
    if (authorization !== undefined) headers.authorization = authorization;
    const client = connect(address, headers);
    for (const [service, method, request] of [
      ['data', 'MutateRow', { ...write, rowKey: key }],
      ['data', 'MutateRows', { tableName, entries: [{ ...write, rowKey: key }] }],
      ['data', 'ReadRows', { tableName }],
      ['tables', 'ListTables', { parent: instance }],
      ['instances', 'ListInstances', { parent: 'projects/p' }],
    ] as const) {
      const { code, details, messages } = await client.call(service, method, request);
      expect({ code, details, messages }).toEqual({
        code: status.UNAUTHENTICATED,
        details: 'The call has no valid bearer token',
        messages: [],
      });
    }
  }
  expect((await known.rows({ tableName })).map((row) => Buffer.from(row.key).toString())).toEqual([
    'k',
  ]);
});

test('TLS: only clients that trust the certificate are served', async () => {
  const tls = selfSigned('localhost');
  const { address, port } = await start({ tls, token });
  const ping = (secure: ReturnType<typeof credentials.createSsl>): Promise<number> => {
    const client = new Client(`localhost:${port}`, secure);
    clients.push(client);
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    return new Promise((resolve) =>
      client.makeUnaryRequest(
        '/google.bigtable.admin.v2.BigtableInstanceAdmin/ListInstances',
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        Buffer.from('\n\nprojects/p', 'latin1'),
        metadata,
        { deadline: Date.now() + 120_000 },
        (error) => resolve(error?.code ?? status.OK),
      ),
    );
  };
  expect(await ping(credentials.createSsl(Buffer.from(tls.cert)))).toBe(status.OK);
  expect(await ping(credentials.createSsl())).not.toBe(status.OK);
  const { code } = await connect(address).call('data', 'ReadRows', { tableName }, 2000);
  expect([status.UNAVAILABLE, status.DEADLINE_EXCEEDED]).toContain(code);
});

test('unusable tokens and certificates are rejected', async () => {
  const { key, cert } = selfSigned('localhost');
  const cases: [ServerOptions, string][] = [
    [{ token: 'short' }, 'token'],
    [{ token: 'has spaces in its 30 characters' }, 'token'],
    [{ token: 7 as never }, 'token'],
    [{ tls: { cert, key: selfSigned('localhost').key } }, 'tls'],
    [{ tls: { cert: 'nothing', key } }, 'tls'],
    [{ tls: { cert, key: '' } }, 'tls.key'],
    [{ tls: { key } as never }, 'tls.cert'],
  ];
  for (const [options, property] of cases)
    await expect(startServer(engine, options)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property, fix: expect.stringMatching(/./) as string },
    });
});
