/** Errors for responses that violate the protocol. */
import { RowsmithError } from '../../base/index.js';

/** STORAGE_FAILED for a response that no correct server sends. */
export function responseError(problem: string, cause?: unknown): RowsmithError {
  const fix = "report it to the server's operator; reading again is safe";
  return new RowsmithError(
    'STORAGE_FAILED',
    { problem: `the server's response violates the protocol: ${problem}`, fix },
    { cause },
  );
}
