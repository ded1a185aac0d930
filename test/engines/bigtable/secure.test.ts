/**
 * Connections as to the real service: TLS, the project from the credentials, and the errors for
 * missing or unusable credentials.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { everyKey } from '../../../src/base/index.js';
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { connectError } from '../../../src/engines/bigtable/channel/connect-error.js';
import { collectRows } from '../../../src/data/store/index.js';
import { selfSigned } from '../../support/self-signed.js';
import { openOverOurServer, type LiveUnderTest } from './live-backends.js';

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-secure-'));
const keyFilename = join(folder, 'key.json');
const { key, cert } = selfSigned('localhost');
const detection = process.env.METADATA_SERVER_DETECTION;
let plain: LiveUnderTest;
/** Port of a TLS proxy in front of our server, which has no TLS. */
let port: number;
let end: () => Promise<void>;

beforeAll(async () => {
  // No search for Google's metadata server.
  process.env.METADATA_SERVER_DETECTION = 'none';
  // In this test file's environment only.
  delete process.env.BIGTABLE_EMULATOR_HOST;
  const privateKey = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
  writeFileSync(
    keyFilename,
    JSON.stringify({
      type: 'service_account',
      project_id: 'p',
      private_key_id: '1',
      private_key: privateKey,
      client_email: 'tests@p.iam.gserviceaccount.com',
      client_id: '1',
    }),
  );
  plain = await openOverOurServer();
  await plain.engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const [host, to] = plain.address.split(':');
  const open = new Set<TLSSocket>();
  const tls = createServer({ key, cert, ALPNProtocols: ['h2'] }, (client) => {
    const upstream = connect(Number(to), host);
    open.add(client);
    for (const socket of [client, upstream])
      socket
        .on('error', () => undefined)
        .on('close', () => {
          client.destroy();
          upstream.destroy();
        });
    client.pipe(upstream).pipe(client);
  }).on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  ({ port } = tls.address() as AddressInfo);
  end = () =>
    new Promise((resolve) => {
      tls.close(() => resolve());
      for (const client of open) client.destroy();
    });
});
afterAll(async () => {
  if (detection === undefined) delete process.env.METADATA_SERVER_DETECTION;
  else process.env.METADATA_SERVER_DETECTION = detection;
  await end();
  await plain.close();
  rmSync(folder, { recursive: true });
});

/** Options for the TLS server; `trusted` are the root certificates. */
const secure = (trusted: string): Readonly<Record<string, unknown>> => ({
  apiEndpoint: 'localhost',
  servicePath: '127.0.0.1',
  port,
  sslCreds: credentials.createSsl(Buffer.from(trusted)),
  'grpc.ssl_target_name_override': 'localhost',
});

test('over TLS, in the project of the key file', async () => {
  const engine = await openLiveEngine('bigtable:///instance-1', {
    keyFilename,
    clientOptions: secure(cert),
  });
  await engine.mutateRow('t', {
    key: Buffer.from('k'),
    mutations: [
      {
        kind: 'setCell',
        family: 'a',
        qualifier: Buffer.from('q'),
        timestamp: 1000,
        value: Buffer.from('v'),
      },
    ],
  });
  const rows = await collectRows(
    engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
  );
  expect(rows.map(({ key: rowKey }) => Buffer.from(rowKey).toString())).toEqual(['k']);
  expect((await engine.listTables()).map(({ name }) => name)).toEqual(['t']);
  await engine.close();
});

test('an untrusted certificate is rejected', async () => {
  const engine = await openLiveEngine('bigtable:///instance-1', {
    keyFilename,
    clientOptions: secure(selfSigned('localhost').cert),
    totalTimeoutMs: 300,
  });
  await expect(
    engine.mutateRow('t', { key: Buffer.from('k'), mutations: [{ kind: 'deleteFromRow' }] }),
  ).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await engine.close();
});

describe('errors of open distinguish credentials from other causes', () => {
  test('a missing key file', async () => {
    await expect(
      openLiveEngine('bigtable://p/instance-1', { keyFilename: join(folder, 'none.json') }),
    ).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { fix: expect.stringContaining('keyFilename') },
    });
  });

  test.each<[string, string, RegExp]>([
    ['invalid JSON', '{', /is not JSON/],
    ['an array', '[]', /is not a JSON object/],
    [
      'no private_key',
      JSON.stringify({ type: 'service_account', client_email: 'a@b' }),
      /has no private_key/,
    ],
    [
      'no client_email',
      JSON.stringify({ type: 'service_account', private_key: 'k' }),
      /has no client_email/,
    ],
    [
      'a truncated private_key',
      JSON.stringify({
        type: 'service_account',
        client_email: 'a@b',
        private_key: '-----BEGIN PRIVATE KEY-----\nMII',
      }),
      /is not a private key in PEM format/,
    ],
    [
      'a user without a token',
      JSON.stringify({ type: 'authorized_user', client_id: 'i', client_secret: 's' }),
      /has no refresh_token/,
    ],
  ])('a key file with %s', async (_what, text, problem) => {
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, text);
    const error: unknown = await openLiveEngine('bigtable://p/instance-1', {
      keyFilename: broken,
      clientOptions: secure(cert),
    }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'PERMISSION_DENIED',
      details: {
        property: 'bigtable.keyFilename',
        problem: expect.stringMatching(problem),
        fix: expect.stringContaining('keyFilename'),
      },
    });
    // Errors contain no secrets.
    expect(JSON.stringify((error as { details: object }).details)).not.toContain('BEGIN');
  });

  test('an incomplete or malformed key in `credentials`', async () => {
    for (const credentialsOf of [
      { client_email: 'a@b' },
      { private_key: 'k' },
      { client_email: 'a@b', private_key: 'k' },
    ]) {
      await expect(
        openLiveEngine('bigtable://p/instance-1', {
          credentials: credentialsOf,
          clientOptions: secure(cert),
        }),
      ).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        details: { property: 'bigtable.credentials' },
      });
    }
  });

  test('an option of the wrong type', async () => {
    const clientOptions = { ...secure(cert), sslCreds: {} };
    await expect(
      openLiveEngine('bigtable://p/instance-1', { keyFilename, clientOptions }),
    ).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  });

  test.each([
    [new Error('Could not load the default credentials. Browse to ...'), 'PERMISSION_DENIED'],
    [
      new Error('The incoming JSON object does not contain a client_email field'),
      'PERMISSION_DENIED',
    ],
    [new SyntaxError('Unexpected end of JSON input'), 'PERMISSION_DENIED'],
    [Object.assign(new Error('invalid_grant'), { code: '400' }), 'PERMISSION_DENIED'],
    [
      Object.assign(new Error('getaddrinfo ENOTFOUND oauth2.googleapis.com'), {
        code: 'ENOTFOUND',
      }),
      'UNAVAILABLE',
    ],
    [
      new Error(
        'The configured universe domain (a) does not match the universe domain found in the credentials (b).',
      ),
      'INVALID_ARGUMENT',
    ],
    [new TypeError('Channel credentials must be a ChannelCredentials object'), 'STORAGE_FAILED'],
  ])('%s', (cause, code) => {
    expect(connectError(cause)).toMatchObject({ code, cause });
  });
});
