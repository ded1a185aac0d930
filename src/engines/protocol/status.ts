/** Errors as gRPC statuses, with the codes and texts of production. */
import {
  type ErrorCode,
  isRowsmithError,
  type RowsmithError,
  statusCode,
} from '../../base/index.js';

/** A gRPC status, independent of any gRPC library. */
export interface StatusReport {
  readonly code: number;
  readonly message: string;
}

/**
 * Other statuses than `error.grpcStatus`: a client of this API names tables and families itself,
 * and a client of an application does not.
 */
const namedByClients: Partial<Record<ErrorCode, number>> = {
  TABLE_NOT_FOUND: statusCode.NOT_FOUND,
  FAMILY_NOT_FOUND: statusCode.NOT_FOUND,
  TABLE_EXISTS: statusCode.ALREADY_EXISTS,
  SCHEMA_CONFLICT: statusCode.ALREADY_EXISTS,
  PERMISSION_DENIED: statusCode.PERMISSION_DENIED,
};

/**
 * Characters of a message. Messages contain names and patterns of requests, and are sent in a
 * header, percent-encoded: clients accept 8 KiB of them, and some calls never end otherwise.
 */
const maxMessage = 700;

/**
 * The status of an error, with a message of limited length. `resource` is the full resource name
 * from the request: an engine knows only the table id.
 */
export function statusOf(error: unknown, resource?: string): StatusReport {
  const { code, message } = fullStatusOf(error, resource);
  return { code, message: shortened(message) };
}

/** The beginning of a long text, without half of a character at its end. */
function shortened(text: string): string {
  if (text.length <= maxMessage) return text;
  return `${text.slice(0, maxMessage - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

function fullStatusOf(error: unknown, resource: string | undefined): StatusReport {
  if (error instanceof StatusError) return { code: error.code, message: error.message };
  if (!isRowsmithError(error)) return { code: statusCode.INTERNAL, message: internalText(error) };
  const code = namedByClients[error.code] ?? error.grpcStatus;
  return { code, message: textOf(error, resource) };
}

/**
 * An error with a gRPC status for which RowsmithError has no code: a resource other than a table
 * that does not exist, or that already exists.
 */
export class StatusError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'StatusError';
  }
}

function internalText(error: unknown): string {
  if (error instanceof Error) return `Internal error: ${error.message}`;
  return 'Internal error';
}

function textOf({ code, message, details }: RowsmithError, resource: string | undefined): string {
  const { problem, property, family } = details;
  switch (code) {
    case 'TABLE_NOT_FOUND':
      return `Table not found: ${resource ?? String(details.table)}`;
    case 'TABLE_EXISTS':
      return `Table already exists: ${resource ?? String(details.table)}`;
    case 'FAMILY_NOT_FOUND':
      return `Requested column family not found: ${String(family)}`;
    default: {
      const text = problem ?? message;
      if (property === undefined || property === '') return text;
      return `${property}: ${text}`;
    }
  }
}
