/**
 * The status with which a service answers an error. The codes of gRPC are the source, and HTTP
 * follows from them as google/rpc/code.proto says.
 */

/** The canonical codes (google/rpc/code.proto). */
export const statusCode = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** The name of a canonical code. */
type StatusName = keyof typeof statusCode;

/** google/rpc/code.proto gives each code its HTTP status. */
const httpStatus: Readonly<Record<StatusName, number>> = {
  OK: 200,
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
};

/**
 * The status of each error in the answer of an application to its client. A missing table, or
 * credentials without a permission, are INTERNAL: the client can do nothing about them.
 */
const statusNames = {
  INVALID_DECLARATION: 'INTERNAL',
  INVALID_ARGUMENT: 'INVALID_ARGUMENT',
  INVALID_KEY: 'INVALID_ARGUMENT',
  INVALID_QUERY: 'INVALID_ARGUMENT',
  OUTSIDE_SCOPE: 'PERMISSION_DENIED',
  INVALID_VALUE: 'INVALID_ARGUMENT',
  VALIDATION_FAILED: 'INVALID_ARGUMENT',
  EMPTY_ROW: 'INVALID_ARGUMENT',
  INVALID_CURSOR: 'INVALID_ARGUMENT',
  FOREIGN_KEY: 'INTERNAL',
  DAMAGED_CELL: 'DATA_LOSS',
  ROW_NOT_FOUND: 'NOT_FOUND',
  INCOMPLETE_ROW: 'DATA_LOSS',
  ROW_EXISTS: 'ALREADY_EXISTS',
  UNIQUE_VIOLATION: 'ALREADY_EXISTS',
  CONTENTION: 'ABORTED',
  INDEX_NOT_READY: 'UNAVAILABLE',
  CONDITION_FAILED: 'ABORTED',
  REVISION_CONFLICT: 'ABORTED',
  HOOK_FAILED: 'INTERNAL',
  FAILED_PRECONDITION: 'FAILED_PRECONDITION',
  TABLE_NOT_FOUND: 'INTERNAL',
  TABLE_EXISTS: 'INTERNAL',
  FAMILY_NOT_FOUND: 'INTERNAL',
  SCHEMA_CONFLICT: 'INTERNAL',
  LIMIT_EXCEEDED: 'INVALID_ARGUMENT',
  NOT_A_DATABASE: 'INTERNAL',
  FORMAT_TOO_NEW: 'INTERNAL',
  DATABASE_IN_USE: 'UNAVAILABLE',
  DATABASE_CLOSED: 'UNAVAILABLE',
  CORRUPT_DATA: 'DATA_LOSS',
  STORAGE_FAILED: 'INTERNAL',
  UNAVAILABLE: 'UNAVAILABLE',
  PERMISSION_DENIED: 'INTERNAL',
  QUOTA_EXCEEDED: 'RESOURCE_EXHAUSTED',
  COUNTERS_CLOSED: 'UNAVAILABLE',
  COUNTERS_FULL: 'RESOURCE_EXHAUSTED',
  COUNTERS_NOT_WRITTEN: 'INTERNAL',
  VERSION_MISMATCH: 'INTERNAL',
  MISSING_PACKAGE: 'INTERNAL',
  INVALID_CONFIG: 'INTERNAL',
  FILE_FAILED: 'INTERNAL',
  UNSUPPORTED: 'UNIMPLEMENTED',
} as const satisfies Readonly<Record<string, StatusName>>;

/** A code of an error with a status. RowsmithError compiles only if these are all of its codes. */
type Answered = keyof typeof statusNames;

/** The gRPC status of an error with this code. */
export const grpcStatusOf = (code: Answered): number => statusCode[statusNames[code]];

/** The HTTP status of an error with this code. */
export const httpStatusOf = (code: Answered): number => httpStatus[statusNames[code]];
