/** Errors for requests that are rejected before they reach an engine. */
import { RowsmithError, type ProblemText } from '../../base/index.js';

/** INVALID_ARGUMENT for a field of a request; the text follows production's where it is known. */
export function requestError(property: string, fault: ProblemText): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', { property, problem: fault.problem });
}

/** UNSUPPORTED for a feature of the API that this server does not offer. */
export function unsupportedRequest(property: string, fault: ProblemText): RowsmithError {
  return new RowsmithError('UNSUPPORTED', { property, problem: fault.problem });
}

const constantErrors = new Map<string, RowsmithError>();

/**
 * `requestError` for a text that is constant, and for an error of one of the rows of a request: all
 * such errors are one object, because a request may be rejected 100,000 times.
 */
export function constantRequestError(property: string, { problem }: ProblemText): RowsmithError {
  const name = `${property}: ${problem}`;
  let error = constantErrors.get(name);
  if (error === undefined) constantErrors.set(name, (error = requestError(property, { problem })));
  return error;
}
