/** Errors of a project's config and of the modules it names. */
import { RowsmithError, type FaultText } from '../../base/index.js';

/** INVALID_CONFIG for a file, with or without a position: `rowsmith.config.ts:3:1`. */
export function configError(file: string, fault: FaultText, cause?: unknown): RowsmithError {
  return new RowsmithError(
    'INVALID_CONFIG',
    { file, problem: fault.problem, fix: fault.fix },
    { cause },
  );
}
