/** Counts the results of checked databases. */
import type { CheckJob, CheckResult } from './child-check.js';
import type { Checker } from './processes.js';
import type { Tally } from './tally.js';

/**
 * Checks a database that must be whole. Returns the result if it is, and counts the faults
 * otherwise.
 */
export async function checkAndCount(
  checker: Checker,
  job: CheckJob,
  tally: Tally,
  name: string,
): Promise<CheckResult | undefined> {
  const result = await checker.check(job);
  if ('ended' in result) {
    tally.fault('ended processes', `${name}: ${result.ended}`);
    return undefined;
  }
  const { lost, wrong, errors } = result;
  countRows(result, tally, name);
  countErrors(errors, tally, name);
  return lost.length + wrong.length + errors.length === 0 ? result : undefined;
}

export function countRows(
  { lost, wrong }: Pick<CheckResult, 'lost' | 'wrong'>,
  tally: Tally,
  name: string,
): void {
  if (lost.length > 0) tally.fault('trials with lost rows', `${name}: ${lost.length}, ${lost[0]}`);
  if (wrong.length > 0)
    tally.fault('trials with wrong rows', `${name}: ${wrong.length}, ${wrong[0]}`);
}

/** Counts errors that must not occur, each kind once. An error is `STEP CODE PROBLEM`. */
export function countErrors(errors: readonly string[], tally: Tally, name: string): void {
  const kinds = new Map<string, string>();
  for (const error of [...errors].reverse()) kinds.set(errorKind(error), error);
  for (const [kind, error] of kinds) tally.fault(`trials with ${kind}`, `${name}: ${error}`);
}

function errorKind(error: string): string {
  if (error.includes('untyped:')) return 'untyped errors';
  return /[A-Z]+_[A-Z_]+/.exec(error)?.[0] ?? error;
}
