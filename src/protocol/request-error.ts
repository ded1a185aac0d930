/** Errors for requests that are rejected before they reach an engine. */
import { RowsmithError } from '../errors.js';

/** INVALID_ARGUMENT for a field of a request; the text follows production's where it is known. */
export function requestError(property: string, problem: string): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', { property, problem });
}

/** UNSUPPORTED for a feature of the API that this server does not offer. */
export function unsupportedRequest(property: string, problem: string): RowsmithError {
  return new RowsmithError('UNSUPPORTED', { property, problem });
}
