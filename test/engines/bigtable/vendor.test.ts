/** The vendor's generated clients, without the rest of its package and with it. */
import {
  generatedVendor,
  loadGenerated,
} from '../../../src/engines/bigtable/channel/generated-vendor.js';
import {
  loadPackage,
  type ClientOptions,
  type Vendor,
} from '../../../src/engines/bigtable/channel/vendor.js';

let alone: Vendor;
let whole: Vendor;
beforeAll(async () => {
  alone = (await loadGenerated())!;
  whole = await loadPackage();
}, 60_000);

/** What decides where the calls go and who they are. */
function reach(
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

test('the installed version has them alone, and they are the same', () => {
  expect(alone).toBeDefined();
  expect(alone.DataClient).toBe(whole.DataClient);
  expect(alone.AdminClient).toBe(whole.AdminClient);
});

test.each<[string, ClientOptions]>([
  ['the service', { projectId: 'p' }],
  ['an endpoint', { apiEndpoint: 'localhost:8086', projectId: 'p' }],
  ['another universe', { universeDomain: 'example.com' }],
  ['a proxy', { apiEndpoint: '127.0.0.1:1', servicePath: '127.0.0.1', port: 1 }],
  ['an option of gRPC', { 'grpc.keepalive_time_ms': 1, keyFilename: 'key.json' }],
])('%s is reached in the same way', (_what, given) => {
  const [mine, theirs] = [alone.options(given), whole.options(given)];
  for (const client of ['data', 'admin'] as const) {
    const expected = reach(theirs[client], given) as { scopes: string[] };
    const { scopes, ...rest } = reach(mine[client], given) as { scopes: string[] };
    const { scopes: all, ...others } = expected;
    expect(rest).toEqual(others);
    // Those of the instance admin API are not needed.
    expect(all).toEqual(expect.arrayContaining(scopes));
    expect(scopes).toContain('https://www.googleapis.com/auth/cloud-platform');
  }
  expect(mine.library).toMatch(/^gax\/\d/);
  expect(theirs.library).toMatch(/^gapic\/\d/);
});

test('what is not of their form is not taken for them', () => {
  class Client {
    static readonly scopes: readonly string[] = [];
  }
  for (const found of [
    {},
    { BigtableClient: 'no class' },
    { BigtableClient: Client, BigtableTableAdminClient: Client },
  ])
    expect(generatedVendor(found as never)).toBeUndefined();
});
