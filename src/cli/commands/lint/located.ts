/** Findings with their places. */
import type { LintFinding } from '../../../tools/lint/index.js';

/** A finding with the position of the declaration: `/project/src/reading.ts:9`. */
export type Located<F extends LintFinding = LintFinding> = F & {
  readonly position: string | undefined;
};
