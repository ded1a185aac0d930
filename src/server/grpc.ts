import type * as grpcJs from '@grpc/grpc-js';

/** Run-time values of grpc-js; the package is loaded when a server starts. */
export type Grpc = typeof grpcJs;
