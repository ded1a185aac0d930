/**
 * Runs the histories of consecutive seeds on all targets until enough operations have run. The
 * first failure is shrunk and reported.
 */
import { RuleUsage } from './check-target.js';
import { targetsOf, type TestEnvironment } from './environment.js';
import { generate } from './generate.js';
import { OperationCoverage } from './operation-coverage.js';
import { historyText, operationCount, type History } from './operation.js';
import { runHistory, type Coverage, type Mismatch } from './run-history.js';
import { shrink } from './shrink.js';

/** Number of histories that run at the same time. */
const concurrency = 12;
/** Milliseconds between reports of progress. */
const progressInterval = 10_000;

/**
 * A campaign ends after the given number of operations and the given time, whichever is later. While
 * its coverage is incomplete it goes on, up to `maxOperations`.
 */
export interface Campaign {
  readonly firstSeed: number;
  /** Calls of each history. */
  readonly calls: number;
  /** MutateRows counts as one operation for each row, every other call as one. */
  readonly operations: number;
  readonly millis: number;
  readonly isCovered: (coverage: Coverage) => boolean;
}

export interface CampaignResult {
  readonly operations: number;
  /** Calls, each sent to every target. */
  readonly requests: number;
  readonly histories: number;
  /** The last seed that was started. */
  readonly lastSeed: number;
  readonly coverage: Coverage;
}

export const newCoverage = (): Coverage => ({
  rules: new RuleUsage(),
  operations: new OperationCoverage(),
});

/**
 * The rarest operation is in one of forty histories, or 7,500 operations. A short campaign with
 * other seeds than usual may have to go on for long until it has seen it.
 */
const maxOperations = 300_000;

/** Runs the campaign. Rejects with a description of the first mismatch and how to reproduce it. */
export async function runCampaign(
  campaign: Campaign,
  environment: TestEnvironment,
  onProgress: (text: string) => void,
): Promise<CampaignResult> {
  const coverage = newCoverage();
  const started = Date.now();
  let [seed, operations, requests, histories, reported] = [campaign.firstSeed, 0, 0, 0, started];
  let failure: Failure | undefined;
  const needsMore = (): boolean => {
    if (operations < campaign.operations || Date.now() - started < campaign.millis) return true;
    const max = Math.max(maxOperations, 3 * campaign.operations);
    return operations < max && !campaign.isCovered(coverage);
  };
  const runHistories = async (): Promise<void> => {
    while (failure === undefined && needsMore()) {
      const current = seed++;
      const history = generate(current, campaign.calls);
      const targets = targetsOf(environment, history);
      const mismatch = await runHistory(history, targets, environment, coverage);
      if (mismatch !== undefined) {
        failure ??= { seed: current, history, mismatch };
        return;
      }
      for (const operation of history.operations) operations += operationCount(operation);
      requests += history.operations.length;
      histories++;
      if (Date.now() - reported < progressInterval) continue;
      reported = Date.now();
      onProgress(
        `${operations} operations in ${histories} histories, seeds ${campaign.firstSeed} to ${current}, ${Math.round((reported - started) / 1000)} s, ${megabytes()} MB`,
      );
    }
  };
  // Errors are expected responses here, and capturing their stacks would dominate the run time.
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    await Promise.all(Array.from({ length: concurrency }, runHistories));
  } finally {
    Error.stackTraceLimit = limit;
  }
  if (failure !== undefined) throw new Error(await failureMessage(failure, environment));
  return { operations, requests, histories, lastSeed: seed - 1, coverage };
}

const megabytes = (): number => Math.round(process.memoryUsage().rss / 1_048_576);

interface Failure {
  readonly seed: number;
  readonly history: History;
  readonly mismatch: Mismatch;
}

/** Shrinks the history, and describes how to reproduce the mismatch. */
async function failureMessage(
  { seed, history, mismatch }: Failure,
  environment: TestEnvironment,
): Promise<string> {
  const { target, at } = mismatch;
  const [oracle] = targetsOf(environment, history);
  const rerun = async (candidate: History): Promise<Mismatch | undefined> => {
    await environment.restartEmulator();
    return runHistory(candidate, [oracle, target], environment, newCoverage());
  };
  const truncated = { ...history, operations: history.operations.slice(0, at + 1) };
  const wholeHistory = `To run the whole history:\n  SEED=${seed} npx jest test/differential`;
  if ((await rerun(truncated)) === undefined)
    return `${target.name} differs from the oracle, but not when the history is run again. ${wholeHistory}
The history up to the mismatch:
${historyText(truncated)}
The mismatch:
${mismatch.text}`;
  const smallest = await shrink(
    truncated,
    async (candidate) => (await rerun(candidate)) !== undefined,
  );
  const last = (await rerun(smallest)) ?? mismatch;
  return `${target.name} differs from the oracle. ${wholeHistory}
The smallest history that fails; replay it from a file with HISTORY=file npx jest test/differential:
${historyText(smallest)}
The mismatch:
${last.text}`;
}
