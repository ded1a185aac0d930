/** Errors for responses that violate the protocol. */
import { RowsmithError, type FaultTexts, type ProblemText } from '../../base/index.js';

/** STORAGE_FAILED for a response that no correct server sends. */
export function responseError({ problem }: ProblemText, cause?: unknown): RowsmithError {
  const fix = "report it to the server's operator; reading again is safe";
  return new RowsmithError('STORAGE_FAILED', faults.protocolViolation(problem, fix), { cause });
}

const faults = {
  protocolViolation: (problem: string, fix: string) => ({
    problem: `the server's response violates the protocol: ${problem}`,
    fix,
  }),
} satisfies FaultTexts;
