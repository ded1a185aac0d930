/** Refusals of answers: what a server may not send. */
import { RowsmithError } from '../errors.js';

/** STORAGE_FAILED for an answer that breaks the rules of the API. */
export function responseError(problem: string, cause?: unknown): RowsmithError {
  const fix = 'report it to whoever runs the server; reading again is safe';
  return new RowsmithError(
    'STORAGE_FAILED',
    { problem: `the server answered against the protocol: ${problem}`, fix },
    { cause },
  );
}
