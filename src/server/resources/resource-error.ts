/** Errors about instances, clusters and app profiles, for which RowsmithError has no codes. */
import { StatusError, statusCode } from '../../engines/protocol/index.js';

/** ALREADY_EXISTS. `kind` is the message name of the resource, such as `Cluster`. */
export function alreadyExistsError(kind: string, name: string): StatusError {
  return new StatusError(statusCode.ALREADY_EXISTS, `${kind} already exists: ${name}`);
}

/** NOT_FOUND. `kind` is the message name of the resource, such as `Cluster`. */
export function notFoundError(kind: string, name: string): StatusError {
  return new StatusError(statusCode.NOT_FOUND, `${kind} not found: ${name}`);
}

/** FAILED_PRECONDITION: the state of other resources forbids the call. */
export function preconditionError(message: string): StatusError {
  return new StatusError(statusCode.FAILED_PRECONDITION, message);
}

/** ABORTED: the etag of a request differs from the resource, which was changed meanwhile. */
export function etagError(kind: string, name: string): StatusError {
  return new StatusError(
    statusCode.ABORTED,
    `${kind} ${name} was changed: the request has another etag. Read it again, and retry.`,
  );
}
