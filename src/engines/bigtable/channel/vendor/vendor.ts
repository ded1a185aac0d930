/**
 * Structural types for the parts of `@google-cloud/bigtable` that are used: its own declarations
 * are large, and projects without it must compile. All of it is public API of the package, or of
 * the grpc-js client that its stub is.
 */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { loadGenerated } from './generated-vendor.js';
import type { ClientOptions, Vendor, GeneratedClass } from './vendor-types.js';

/** The main module of the package. */
interface WholePackage {
  readonly Bigtable: new (options: ClientOptions) => {
    readonly options: {
      readonly BigtableClient: ClientOptions;
      readonly BigtableTableAdminClient: ClientOptions;
    };
  };
  readonly v2: { readonly BigtableClient: GeneratedClass };
  readonly admin: { readonly v2: { readonly BigtableTableAdminClient: GeneratedClass } };
}

/**
 * Loads the client library, when a live database is opened: only the generated clients (40 MB) or,
 * if a version has moved them, the whole package (90 MB, three times as slow). MISSING_PACKAGE if
 * it is not installed.
 */
export async function loadVendor(): Promise<Vendor> {
  return (await loadGenerated()) ?? loadPackage();
}

/** Loads the whole package. */
export async function loadPackage(): Promise<Vendor> {
  try {
    // A CommonJS module: its `default` has all exports as properties.
    return wholeVendor(
      ((await import('@google-cloud/bigtable')) as unknown as { readonly default: WholePackage })
        .default,
    );
  } catch (cause) {
    const problem =
      'a live database is reached through @google-cloud/bigtable, which cannot be loaded';
    throw new RowsmithError('MISSING_PACKAGE', faults.missingPackage(problem), { cause });
  }
}

/**
 * Takes the client options from the package's main class, without its connection pool: that one
 * intercepts every message.
 */
function wholeVendor({ Bigtable, v2, admin }: WholePackage): Vendor {
  return {
    DataClient: v2.BigtableClient,
    AdminClient: admin.v2.BigtableTableAdminClient,
    options(userOptions) {
      const { options } = new Bigtable(userOptions);
      const {
        'grpc.channelFactoryOverride': _pool,
        'grpc.callInvocationTransformer': _pick,
        'grpc.gcpApiConfig': _sizes,
        ...data
      } = options.BigtableClient;
      return {
        data,
        admin: { ...options.BigtableTableAdminClient },
        library: `gapic/${data.libVersion as string}`,
      };
    },
  };
}

const faults = {
  missingPackage: (problem: string) => ({ problem, fix: 'run npm install @google-cloud/bigtable' }),
} satisfies FaultTexts;
