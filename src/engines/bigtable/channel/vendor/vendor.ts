/**
 * Structural types for the parts of `@google-cloud/bigtable` that are used: its own declarations
 * are large, and projects without it must compile. All of it is public API of the package, or of
 * the grpc-js client that its stub is.
 */
import { RowsmithError } from '../../../../base/index.js';
import { loadGenerated } from './generated-vendor.js';

/** Headers or trailers of a call (grpc-js, Metadata). */
export interface Metadata {
  set(name: string, value: string | Buffer): void;
  get(name: string): (string | Buffer)[];
  /** The first value of each header. */
  getMap(): Record<string, string | Buffer>;
}

/** The error of a failed call (grpc-js, ServiceError). */
export interface ServiceError extends Error {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: Metadata;
}

/** How a call ended (grpc-js, StatusObject). */
export interface CallStatus {
  readonly code: number;
  /** The trailers. */
  readonly metadata?: Metadata;
}

/** A server-streaming call (grpc-js, ClientReadableStream). */
export interface ServerStream {
  on(event: 'data', listener: (message: Buffer) => void): this;
  on(event: 'end', listener: () => void): this;
  on(event: 'metadata', listener: (headers: Metadata) => void): this;
  on(event: 'status', listener: (status: CallStatus) => void): this;
  on(event: 'error', listener: (error: ServiceError) => void): this;
  pause(): this;
  resume(): this;
  cancel(): void;
}

/** Options of a call (grpc-js, CallOptions). */
export interface GrpcCallOptions {
  readonly deadline?: number;
  readonly interceptors?: readonly (() => object)[];
}

type Serialize = (bytes: Uint8Array) => Buffer;
type Deserialize = (bytes: Buffer) => Buffer;

/** A gRPC client (grpc-js, Client), as returned by `initialize()`. */
export interface Stub {
  makeUnaryRequest(
    path: string,
    serialize: Serialize,
    deserialize: Deserialize,
    request: Uint8Array,
    metadata: Metadata,
    options: GrpcCallOptions,
    callback: (error: ServiceError | null, response?: Buffer) => void,
  ): { cancel(): void; on(event: 'metadata', listener: (headers: Metadata) => void): unknown };
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

/** Options of the data and the admin client. */
export interface VendorOptions {
  readonly data: ClientOptions;
  readonly admin: ClientOptions;
  /** The library part of the header `x-goog-api-client`: `gapic/6.5.1`. */
  readonly library: string;
}

/** The two generated clients, and how their options derive from the user's options. */
export interface Vendor {
  readonly DataClient: GeneratedClass;
  readonly AdminClient: GeneratedClass;
  options(userOptions: ClientOptions): VendorOptions;
}

type GeneratedClass = new (options: ClientOptions) => GeneratedClient;

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
    throw new RowsmithError(
      'MISSING_PACKAGE',
      { problem, fix: 'npm install @google-cloud/bigtable' },
      { cause },
    );
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
