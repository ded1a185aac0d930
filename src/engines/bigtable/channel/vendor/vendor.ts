/**
 * Structural types for the parts of `@google-cloud/bigtable` that are used: its own declarations
 * are large, and projects without it must compile. All of it is public API of the package, or of
 * the grpc-js client that its stub is.
 */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { loadGenerated } from './generated-vendor.js';
import type { BigtableClass, GeneratedClass, Vendor } from './vendor-types.js';

/** The main module of the package. */
interface WholePackage {
  readonly Bigtable: BigtableClass;
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

/** Loads the whole package, for its generated clients. */
export async function loadPackage(): Promise<Vendor> {
  return wholeVendor(await importPackage());
}

/** Loads the whole package, for its main class. */
export async function loadBigtable(): Promise<BigtableClass> {
  return (await importPackage()).Bigtable;
}

async function importPackage(): Promise<WholePackage> {
  try {
    // A CommonJS module: its `default` has all exports as properties.
    const module = await import('@google-cloud/bigtable');
    return (module as unknown as { readonly default: WholePackage }).default;
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
