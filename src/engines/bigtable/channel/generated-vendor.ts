/**
 * The generated clients of `@google-cloud/bigtable` without its front: that one loads metrics, the
 * query engine and a pool of connections, 50 MB that nothing here calls. The classes are public,
 * their file is not promised: where it is not, or not of this form, the whole package is loaded.
 */
import type { ClientOptions, GeneratedClient, Vendor } from './vendor.js';

interface GeneratedClass {
  readonly scopes: readonly string[];
  new (options: ClientOptions): GeneratedClient & { readonly _gaxModule?: Gax };
}

/** google-gax, as the clients hold it. */
interface Gax {
  readonly version?: string;
  readonly grpc?: { readonly credentials?: { readonly createInsecure?: () => object } };
}

interface Generated {
  readonly BigtableClient: GeneratedClass;
  readonly BigtableTableAdminClient: GeneratedClass;
}

/** The generated clients; undefined where they are not to be had alone. */
export async function loadGenerated(): Promise<Vendor | undefined> {
  try {
    const loaded =
      (await import('@google-cloud/bigtable/build/src/v2/index.js')) as unknown as Partial<Generated> & {
        readonly default?: Partial<Generated>;
      };
    // A CommonJS module: `default` for Node, itself for compiled CommonJS.
    return generatedVendor(loaded.default ?? loaded);
  } catch {
    return undefined;
  }
}

/** See loadGenerated; `found` is what the file exports. */
export function generatedVendor(found: Partial<Generated>): Vendor | undefined {
  const { BigtableClient: DataClient, BigtableTableAdminClient: AdminClient } = found;
  if (!isGenerated(DataClient) || !isGenerated(AdminClient)) return undefined;
  const gax = new DataClient({ auth: {} })._gaxModule;
  // Of the clients' own copy of grpc-js: another's are not recognised.
  const credentials = gax?.grpc?.credentials;
  if (typeof credentials?.createInsecure !== 'function') return undefined;
  const insecure = (): object => credentials.createInsecure!();
  const common = { port: 443, scopes: [...new Set([...DataClient.scopes, ...AdminClient.scopes])] };
  return {
    DataClient,
    AdminClient,
    options: (given) => {
      const domain = (given.universeDomain ??
        given.universe_domain ??
        process.env.GOOGLE_CLOUD_UNIVERSE_DOMAIN ??
        'googleapis.com') as string;
      const optionsOf = (service: string): ClientOptions => ({
        ...common,
        servicePath: `${service}.${domain}`,
        ...endpoint(given.apiEndpoint, insecure),
        ...given,
      });
      return {
        data: optionsOf('bigtable'),
        admin: optionsOf('bigtableadmin'),
        library: `gax/${gax?.version ?? 'unknown'}`,
      };
    },
  };
}

function isGenerated(found: GeneratedClass | undefined): found is GeneratedClass {
  return typeof found === 'function' && Array.isArray(found.scopes);
}

/**
 * What the front class makes of an endpoint: it is reached without encryption, unless `sslCreds`
 * are given beside it.
 */
function endpoint(apiEndpoint: unknown, insecure: () => object): ClientOptions {
  if (typeof apiEndpoint !== 'string' || apiEndpoint === '') return {};
  const [servicePath, port] = apiEndpoint.split(':');
  return { servicePath, port: Number(port ?? 443), sslCreds: insecure() };
}
