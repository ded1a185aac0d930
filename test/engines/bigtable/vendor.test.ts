/** The vendor's generated clients, loaded alone and with the whole package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedVendor } from '../../../src/engines/bigtable/channel/vendor/generated-vendor.js';
import { loadGenerated } from '../../../src/engines/bigtable/channel/vendor/generated-vendor.js';
import { Bigtable } from '@google-cloud/bigtable';
import { loadBigtable, loadPackage } from '../../../src/engines/bigtable/channel/vendor/vendor.js';
import type {
  ClientOptions,
  Vendor,
} from '../../../src/engines/bigtable/channel/vendor/vendor-types.js';

let alone: Vendor;
let whole: Vendor;
beforeAll(async () => {
  alone = (await loadGenerated())!;
  whole = await loadPackage();
});

/** As in connect.ts: the metrics of version 7 keep the process alive for two seconds. */
const quiet = { metricsEnabled: false };

/** The options that decide where calls go, and with which credentials. */
function connectionOptions(
  { servicePath, port, apiEndpoint, scopes, sslCreds, ...rest }: ClientOptions,
  given: ClientOptions,
): object {
  const isInsecure =
    (sslCreds as { _isSecure?: () => boolean } | undefined)?._isSecure?.() === false;
  return {
    servicePath,
    port,
    apiEndpoint,
    isInsecure,
    scopes: [...(scopes as string[])].sort(),
    given: Object.fromEntries(Object.keys(given).map((name) => [name, rest[name]])),
  };
}

test('the version under test is the one in BIGTABLE_CLIENT, or else the one of the repository', () => {
  const installed = join(__dirname, '../../../node_modules/@google-cloud/bigtable');
  // Read from disk: `require` in a test follows the mapping of jest.config.mjs.
  const folder = process.env.BIGTABLE_CLIENT ?? installed;
  const versionOf = (path: string) =>
    (JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { version: string }).version;
  expect(whole.options(quiet).library).toBe(`gapic/${versionOf(folder)}`);
  expect(alone.options({}).library).toBe(`gax/${versionOf(join(folder, '../../google-gax'))}`);
});

test('the installed version provides them alone, and they are the same classes', () => {
  expect(alone).toBeDefined();
  expect(alone.DataClient).toBe(whole.DataClient);
  expect(alone.AdminClient).toBe(whole.AdminClient);
});

test('the main class is the one of the package', async () => {
  expect(await loadBigtable()).toBe(Bigtable);
});

test.each<[string, ClientOptions]>([
  ['the service', { projectId: 'p' }],
  ['an endpoint', { apiEndpoint: 'localhost:8086', projectId: 'p' }],
  ['another universe domain', { universeDomain: 'example.com' }],
  ['a proxy', { apiEndpoint: '127.0.0.1:1', servicePath: '127.0.0.1', port: 1 }],
  ['an option of gRPC', { 'grpc.keepalive_time_ms': 1, keyFilename: 'key.json' }],
])('the same connection options for %s', (_what, given) => {
  const [mine, theirs] = [alone.options(given), whole.options({ ...given, ...quiet })];
  for (const client of ['data', 'admin'] as const) {
    const expected = connectionOptions(theirs[client], given) as { scopes: string[] };
    const { scopes, ...rest } = connectionOptions(mine[client], given) as { scopes: string[] };
    const { scopes: all, ...others } = expected;
    expect(rest).toEqual(others);
    // The scopes of the instance admin API are not needed.
    expect(all).toEqual(expect.arrayContaining(scopes));
    expect(scopes).toContain('https://www.googleapis.com/auth/cloud-platform');
  }
  expect(mine.library).toMatch(/^gax\/\d/);
  expect(theirs.library).toMatch(/^gapic\/\d/);
});

test('modules with other exports are not accepted', () => {
  class Client {
    static readonly scopes: readonly string[] = [];
  }
  for (const exported of [
    {},
    { BigtableClient: 'not a class' },
    { BigtableClient: Client, BigtableTableAdminClient: Client },
  ])
    expect(generatedVendor(exported as never)).toBeUndefined();
});
