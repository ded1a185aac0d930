/**
 * The parts of `@google-cloud/bigtable` that are used, by their form: its own declarations are large, and who has not installed it must still be
 * able to compile. Everything here is its public API, and that of the gRPC client its stub is.
 */
import { RowsmithError } from '../../errors.js';

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
    path: string, serialize: Serialize, deserialize: Deserialize, request: Uint8Array, metadata: Metadata, options: GrpcCallOptions,
    callback: (error: ServiceError | null, answer?: Buffer) => void,
  ): { cancel(): void };
  makeServerStreamRequest(path: string, serialize: Serialize, deserialize: Deserialize, request: Uint8Array, metadata: Metadata, options: GrpcCallOptions): ServerStream;
  makeServerStreamRequest(path: string, serialize: Serialize, deserialize: Deserialize, request: Uint8Array, options: GrpcCallOptions): ServerStream;
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

type GeneratedClass = new (options: ClientOptions) => GeneratedClient;

/** The package. */
export interface Vendor {
  readonly Bigtable: new (options: ClientOptions) => { readonly options: { readonly BigtableClient: ClientOptions; readonly BigtableTableAdminClient: ClientOptions } };
  readonly v2: { readonly BigtableClient: GeneratedClass };
  readonly admin: { readonly v2: { readonly BigtableTableAdminClient: GeneratedClass } };
}

/** Loads the package, 0.5 s and 65 MB: only when a live database is opened. MISSING_PACKAGE when it is not installed. */
export async function loadVendor(): Promise<Vendor> {
  try {
    // One export is the whole of a CommonJS module: the class with the rest as its properties.
    return ((await import('@google-cloud/bigtable')) as unknown as { readonly default: Vendor }).default;
  } catch (cause) {
    const problem = 'a live database is reached through @google-cloud/bigtable, which cannot be loaded';
    throw new RowsmithError('MISSING_PACKAGE', { problem, fix: 'npm install @google-cloud/bigtable' }, { cause });
  }
}
