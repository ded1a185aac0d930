/** What this engine uses of grpc-js and of the client library, as types. */

/** Headers or trailers of a call (grpc-js, Metadata). */
export type Serialize = (bytes: Uint8Array) => Buffer;

export type Deserialize = (bytes: Buffer) => Buffer;

export type GeneratedClass = new (options: ClientOptions) => GeneratedClient;

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

/** The main class of the package, which programs use: instances, tables, SQL. */
export type BigtableClass = new (options: ClientOptions) => {
  /** The options of the generated clients. */
  readonly options: {
    readonly BigtableClient: ClientOptions;
    readonly BigtableTableAdminClient: ClientOptions;
  };
  /** The generated clients, by class name; missing ones are created. */
  readonly api: Record<string, GeneratedClient>;
  close(): Promise<unknown>;
};

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
