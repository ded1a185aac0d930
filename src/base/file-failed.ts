/** Errors of files outside of the database. */
import { RowsmithError } from './errors.js';
import type { FaultText } from './faults.js';

/** A FILE_FAILED error: the file, what is wrong with it, and what to do. */
export function fileFailed(file: string, fault: FaultText, cause?: unknown): RowsmithError {
  return new RowsmithError(
    'FILE_FAILED',
    { file, problem: fault.problem, fix: fault.fix },
    { cause },
  );
}
