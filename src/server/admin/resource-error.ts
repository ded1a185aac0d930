/** Errors about instances, clusters and app profiles, for which RowsmithError has no codes. */
import { StatusError, statusCode } from '../../protocol/index.js';

/** ALREADY_EXISTS. `kind` is the message name of the resource, such as `Cluster`. */
export function alreadyExistsError(kind: string, name: string): StatusError {
  return new StatusError(statusCode.ALREADY_EXISTS, `${kind} already exists: ${name}`);
}

/** NOT_FOUND. `kind` is the message name of the resource, such as `Cluster`. */
export function notFoundError(kind: string, name: string): StatusError {
  return new StatusError(statusCode.NOT_FOUND, `${kind} not found: ${name}`);
}
