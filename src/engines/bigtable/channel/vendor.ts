/**
 * The parts of `@google-cloud/bigtable` that are used, by their form: its own declarations are
 * large, and who has not installed it must still be able to compile. Everything here is its public
 * API, and that of the gRPC client its stub is.
 */
import { RowsmithError } from '../../../errors.js';
import { loadGenerated } from './generated-vendor.js';

/** Headers of a call (grpc-js, Metadata). */
export interface Metadata {
  set(name: string, value: string | Buffer): void;
  get(name: string): (string | Buffer)[];
}

/** How a call ended badly (grpc-js, ServiceError). */
export interface ServiceError extends Error {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: Metadata;
}

/** A call whose answer is a stream of messages (grpc-js, ClientReadableStream). */
export interface ServerStream {
  on(event: 'data', listener: (message: Buffer) => void): this;
  on(event: 'end', listener: () => void): this;
  on(event: 'status', listener: (status: { readonly code: number }) => void): this;
  on(event: 'error', listener: (error: ServiceError) => void): this;
  pause(): this;
  resume(): this;
  cancel(): void;
}

/** What a call is made with (grpc-js, CallOptions). */
export interface GrpcCallOptions {
  readonly deadline?: number;
  readonly interceptors?: readonly (() => object)[];
}

type Serialize = (bytes: Uint8Array) => Buffer;
type Deserialize = (bytes: Buffer) => Buffer;

/** A gRPC client (grpc-js, Client): what `initialize()` gives. */
export interface Stub {
  makeUnaryRequest(
    path: string,
    serialize: Serialize,
    deserialize: Deserialize,
    request: Uint8Array,
    metadata: Metadata,
    options: GrpcCallOptions,
    callback: (error: ServiceError | null, answer?: Buffer) => void,
  ): { cancel(): void };
  makeServerStreamRequest(
    path: string,
    serialize: Serialize,
    deserialize: Deserialize,
    request: Uint8Array,
    metadata: Metadata,
    options: GrpcCallOptions,
  ): ServerStream;
  makeServerStreamRequest(
    path: string,
    serialize: Serialize,
    deserialize: Deserialize,
    request: Uint8Array,
    options: GrpcCallOptions,
  ): ServerStream;
}

/** A client generated from the published protos. */
export interface GeneratedClient {
  /** Resolves to the authenticated stub. */
  initialize(): Promise<unknown>;
  close(): Promise<void>;
  getProjectId(): Promise<string>;
}

/** Options of a generated client. */
export type ClientOptions = Record<string, unknown>;

/** Options of the two clients that are used. */
export interface VendorOptions {
  readonly data: ClientOptions;
  readonly admin: ClientOptions;
  /** What the calls say they come from, beside Node: `gapic/6.5.1`. */
  readonly library: string;
}

/** The two generated clients, and the options they take for what a user gives. */
export interface Vendor {
  readonly DataClient: GeneratedClass;
  readonly AdminClient: GeneratedClass;
  options(given: ClientOptions): VendorOptions;
}

type GeneratedClass = new (options: ClientOptions) => GeneratedClient;

/** The package as a whole. */
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
 * Loads the client library: only when a live database is opened. Of the package only the generated
 * clients, 40 MB; where a version keeps them elsewhere, all of it, 90 MB and three times as long.
 * MISSING_PACKAGE when it is not installed.
 */
export async function loadVendor(): Promise<Vendor> {
  return (await loadGenerated()) ?? loadPackage();
}

/** The package as a whole, for versions whose generated clients are not to be had alone. */
export async function loadPackage(): Promise<Vendor> {
  try {
    // One export is the whole of a CommonJS module: the class with the rest as its properties.
    return wholeVendor(
      ((await import('@google-cloud/bigtable')) as unknown as { readonly default: WholePackage })
        .default,
    );
  } catch (cause) {
    const problem =
      'a live database is reached through @google-cloud/bigtable, which cannot be loaded';
    throw new RowsmithError(
      'MISSING_PACKAGE',
      { problem, fix: 'npm install @google-cloud/bigtable' },
      { cause },
    );
  }
}

/**
 * The package's front class says what its clients take; its own pool of connections is left out,
 * for that one touches every message.
 */
function wholeVendor({ Bigtable, v2, admin }: WholePackage): Vendor {
  return {
    DataClient: v2.BigtableClient,
    AdminClient: admin.v2.BigtableTableAdminClient,
    options(given) {
      const { options } = new Bigtable(given);
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
