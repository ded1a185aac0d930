/** Refusals of requests that are wrong before any engine sees them. */
import { RowsmithError } from '../errors.js';

/** INVALID_ARGUMENT for a field of a request, in production's words where they are known. */
export function requestError(property: string, problem: string): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', { property, problem });
}

/** UNSUPPORTED for a feature of the API that this server does not offer. */
export function unsupportedRequest(property: string, problem: string): RowsmithError {
  return new RowsmithError('UNSUPPORTED', { property, problem });
}
