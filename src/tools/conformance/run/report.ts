/** What a run on a service has found. */
import type { RequestTimes } from './request-times.js';

/**
 * The outcome of a case: `passed`; `differs`, with what was expected and found; `failed`, because
 * an error such as UNAVAILABLE says nothing about it; `leftOut`, because it cannot hold on a
 * service; `notRun`, because the run has ended before.
 */
export type CaseOutcome = 'passed' | 'differs' | 'failed' | 'leftOut' | 'notRun';

/** The result of a case. */
export interface CaseResult {
  readonly group: string;
  readonly title: string;
  readonly outcome: CaseOutcome;
  readonly ms?: number;
  /** Why the case was left out, failed, or was checked less strictly than on other engines. */
  readonly reason?: string | undefined;
  readonly expected?: string;
  readonly found?: string;
  /** The step that differs. */
  readonly step?: string | undefined;
  /** The stored name of the table. */
  readonly table?: string;
}

/** The results of a run. */
export interface ConformanceReport {
  /** In the order of the groups; each case once. */
  readonly results: readonly CaseResult[];
  /** Stored names of tables that exist, or may exist, after the run. */
  readonly leftTables: readonly string[];
  readonly requests: readonly RequestTimes[];
  readonly ms: number;
  /** What ended the run before its last case: an error, or the reason of the signal. */
  readonly error?: unknown;
}
