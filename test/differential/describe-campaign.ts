/**
 * The campaign as a test. It is divided into shards, which jest runs in parallel: each is a file
 * with its own seeds and its own environment.
 *
 * - By default the seeds are always the same, so that a failure is caused by a change and not by
 *   chance.
 * - SEED=new uses new seeds; SOAK_MINUTES=60 runs new seeds for that long and reports progress
 *   every ten seconds.
 * - SEED=n runs the history of one seed, HISTORY=file the history in a file, in the first shard.
 */
import { readFileSync } from 'node:fs';
import { newCoverage, runCampaign } from './campaign.js';
import { openEnvironment, targetsOf, type TestEnvironment } from './environment.js';
import { generate } from './generate.js';
import { historyFromText, type History } from './operation.js';
import { runHistory } from './run-history.js';

/** Minimum number of operations of all shards together. */
const operations = 100_000;
/** Calls of each history. */
const calls = 60;

/** Runs a shard, numbered from 0. */
export function describeCampaign(shard: number, shards: number): void {
  const minutes = Number(process.env.SOAK_MINUTES ?? '0');
  const timeout = 1_800_000 + minutes * 60_000;
  const history = requestedHistory();
  if (history === undefined)
    test(
      'all targets agree with the oracle on random histories',
      () => withEnvironment((environment) => campaign(environment, shard, shards, minutes)),
      timeout,
    );
  else
    test(
      'all targets agree with the oracle on this history',
      async () => {
        if (shard === 0) await withEnvironment((environment) => checkHistory(history, environment));
      },
      timeout,
    );
}

/** The history that the environment variables select. */
function requestedHistory(): History | undefined {
  const { HISTORY: file, SEED: seed } = process.env;
  if (file !== undefined) return historyFromText(readFileSync(file, 'utf8'));
  if (seed === undefined || seed === 'new') return undefined;
  return generate(Number(seed), calls);
}

async function withEnvironment(
  work: (environment: TestEnvironment) => Promise<void>,
): Promise<void> {
  const environment = await openEnvironment();
  try {
    await work(environment);
  } finally {
    await environment.close();
  }
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
  minutes: number,
): Promise<void> {
  const minOperations = operations / shards;
  const usesNewSeeds = minutes > 0 || process.env.SEED === 'new';
  const firstSeed = (usesNewSeeds ? Date.now() % 1_000_000_000 : 0) + shard * 1_000_000_000;
  const report = (text: string): void =>
    void process.stderr.write(`differential, shard ${shard + 1}: ${text}\n`);
  const started = Date.now();
  const result = await runCampaign(
    { firstSeed, calls, operations: minOperations, millis: minutes * 60_000 },
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
  expect(result.operations).toBeGreaterThanOrEqual(minOperations);
  expect(coverage.operations.missing()).toEqual([]);
  expect(environment.requestCoverage.missing()).toEqual([]);
}
