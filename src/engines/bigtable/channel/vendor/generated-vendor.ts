/**
 * Loads the generated clients of `@google-cloud/bigtable` without its main module, which also loads
 * metrics, the query engine and a connection pool: 50 MB that are not used here. The classes are
 * public, but the path of their file is not: if it is missing or has changed, the whole package is
 * loaded.
 */
import type { GeneratedClient, ClientOptions, Vendor } from './vendor-types.js';

interface GeneratedClass {
  readonly scopes: readonly string[];
  new (options: ClientOptions): GeneratedClient & { readonly _gaxModule?: Gax };
}

/** The parts of google-gax that the clients expose. */
interface Gax {
  readonly version?: string;
  readonly grpc?: { readonly credentials?: { readonly createInsecure?: () => object } };
}

interface GeneratedModule {
  readonly BigtableClient: GeneratedClass;
  readonly BigtableTableAdminClient: GeneratedClass;
}

/** The generated clients; undefined if they cannot be loaded alone. */
export async function loadGenerated(): Promise<Vendor | undefined> {
  try {
    const loaded =
      (await import('@google-cloud/bigtable/build/src/v2/index.js')) as unknown as Partial<GeneratedModule> & {
        readonly default?: Partial<GeneratedModule>;
      };
    // A CommonJS module: Node wraps it in `default`, compiled CommonJS does not.
    return generatedVendor(loaded.default ?? loaded);
  } catch {
    return undefined;
  }
}

/** The vendor of a module of generated clients; undefined if its exports are not as expected. */
export function generatedVendor(exported: Partial<GeneratedModule>): Vendor | undefined {
  const { BigtableClient: DataClient, BigtableTableAdminClient: AdminClient } = exported;
  if (!isGenerated(DataClient) || !isGenerated(AdminClient)) return undefined;
  const gax = new DataClient({ auth: {} })._gaxModule;
  // From the clients' own copy of grpc-js: credentials of another copy are not recognised.
  const credentials = gax?.grpc?.credentials;
  if (typeof credentials?.createInsecure !== 'function') return undefined;
  const insecure = (): object => credentials.createInsecure!();
  const common = { port: 443, scopes: [...new Set([...DataClient.scopes, ...AdminClient.scopes])] };
  return {
    DataClient,
    AdminClient,
    options: (userOptions) => {
      const domain = (userOptions.universeDomain ??
        userOptions.universe_domain ??
        process.env.GOOGLE_CLOUD_UNIVERSE_DOMAIN ??
        'googleapis.com') as string;
      const optionsOf = (service: string): ClientOptions => ({
        ...common,
        servicePath: `${service}.${domain}`,
        ...endpoint(userOptions.apiEndpoint, insecure),
        ...userOptions,
      });
      return {
        data: optionsOf('bigtable'),
        admin: optionsOf('bigtableadmin'),
        library: `gax/${gax?.version ?? 'unknown'}`,
      };
    },
  };
}

function isGenerated(value: GeneratedClass | undefined): value is GeneratedClass {
  return typeof value === 'function' && Array.isArray(value.scopes);
}

/**
 * Handles `apiEndpoint` as the package's main class does: without encryption, unless `sslCreds` are
 * also userOptions.
 */
function endpoint(apiEndpoint: unknown, insecure: () => object): ClientOptions {
  if (typeof apiEndpoint !== 'string' || apiEndpoint === '') return {};
  const [servicePath, port] = apiEndpoint.split(':');
  return { servicePath, port: Number(port ?? 443), sslCreds: insecure() };
}
