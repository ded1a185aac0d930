/**
 * The program that runs a shard of the campaign, or one history, and prints its result as one line
 * of JSON: `campaign-process.cjs SHARD SHARDS`. describe-campaign.ts documents the environment
 * variables.
 */
import { readFileSync } from 'node:fs';
import { newCoverage, runCampaign } from './campaign.js';
import { openEnvironment, targetsOf, type TestEnvironment } from './environment.js';
import { generate } from './generate.js';
import { historyFromText, type History } from './operation.js';
import { runHistory, type Coverage } from './run-history.js';

/** Minimum number of operations of all shards together. */
const operations = Number(process.env.OPERATIONS ?? 4000);
/** Calls of each history. */
const calls = 60;

/** What the process prints. */
export interface ShardResult {
  readonly operations: number;
  readonly minOperations: number;
  /** Operations that no history contains. */
  readonly missingOperations: readonly string[];
  /** Methods and fields that no request contains. */
  readonly missingRequests: readonly string[];
}

/** The history that the environment variables select. */
function requestedHistory(): History | undefined {
  const { HISTORY: file, SEED: seed } = process.env;
  if (file !== undefined) return historyFromText(readFileSync(file, 'utf8'));
  if (seed === undefined || seed === 'new') return undefined;
  return generate(Number(seed), calls);
}

async function checkHistory(history: History, environment: TestEnvironment): Promise<void> {
  const targets = targetsOf(environment, history);
  const mismatch = await runHistory(history, targets, environment, newCoverage());
  if (mismatch === undefined) return;
  const { target, at, text } = mismatch;
  throw new Error(`${target.name} differs from the oracle at operation ${at}\n${text}`);
}

async function campaign(
  environment: TestEnvironment,
  shard: number,
  shards: number,
): Promise<ShardResult> {
  const minutes = Number(process.env.SOAK_MINUTES ?? '0');
  const minOperations = operations / shards;
  const usesNewSeeds = minutes > 0 || process.env.SEED === 'new';
  const start = usesNewSeeds ? Date.now() % 1_000_000_000 : Number(process.env.FIRST_SEED ?? 0);
  const firstSeed = start + shard * 500_000_000;
  const report = (text: string): void =>
    void process.stderr.write(`differential, shard ${shard + 1}: ${text}\n`);
  const started = Date.now();
  const isCovered = (coverage: Coverage): boolean =>
    coverage.operations.missing().length + environment.requestCoverage.missing().length === 0;
  const result = await runCampaign(
    { firstSeed, calls, operations: minOperations, millis: minutes * 60_000, isCovered },
    environment,
    minutes > 0 ? report : () => undefined,
  );
  const { requests, histories, lastSeed, coverage } = result;
  const kinds = [...new Set(environment.targets.map(({ kind }) => kind))];
  const neededRules = [...coverage.rules.needed]
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `  ${times} times: ${name}`);
  const unneededRules = coverage.rules.unneeded(kinds).map((name) => `  never needed: ${name}`);
  report(
    [
      `${result.operations} operations in ${requests} calls and ${histories} histories of seeds ${firstSeed} to ${lastSeed} agree on ${environment.targets.length} targets in ${Math.round((Date.now() - started) / 1000)} s; rules:`,
      ...neededRules,
      ...unneededRules,
      'lowest coverage:',
      ...coverage.operations.rarest(8).map((text) => `  ${text}`),
    ].join('\n'),
  );
  return {
    operations: result.operations,
    minOperations,
    missingOperations: coverage.operations.missing(),
    missingRequests: environment.requestCoverage.missing(),
  };
}

async function main(): Promise<void> {
  const [shard, shards] = process.argv.slice(2).map(Number);
  const history = requestedHistory();
  const environment = await openEnvironment();
  try {
    if (history !== undefined) await checkHistory(history, environment);
    else console.log(JSON.stringify(await campaign(environment, shard, shards)));
  } finally {
    await environment.close();
  }
}

// The emulator ends with this process, also when the test is interrupted.
process.once('SIGTERM', () => process.exit(1));
main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
