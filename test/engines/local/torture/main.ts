/** The command that scripts/torture.mjs runs. */
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compactionSoak } from './compaction.js';
import { copies } from './copies.js';
import { corruption } from './corruption.js';
import { fullDisk } from './full-disk.js';
import { powerLoss } from './power.js';
import { races } from './races.js';
import { shimLibrary } from './shim.js';
import { killedSteps, stoppedSteps } from './steps.js';
import { storm } from './storm.js';
import type { ScenarioOptions, Tally } from './tally.js';

interface Scenario {
  readonly run: (options: ScenarioOptions) => Promise<Tally>;
  /** Trials unless --rounds says otherwise. */
  readonly rounds: number;
  readonly needsShim?: boolean;
}

const scenarios: Record<string, Scenario> = {
  storm: { run: storm, rounds: 400 },
  power: { run: powerLoss, rounds: 600, needsShim: true },
  corruption: { run: corruption, rounds: 3600 },
  'full-disk': { run: fullDisk, rounds: 100 },
  compact: { run: compactionSoak, rounds: 200 },
  steps: { run: killedSteps, rounds: 2000, needsShim: true },
  stops: { run: stoppedSteps, rounds: 2000, needsShim: true },
  copies: { run: copies, rounds: 100 },
  races: { run: races, rounds: 200 },
};

const usage = `Usage: node scripts/torture.mjs [${Object.keys(scenarios).join('|')}]...
  --rounds N   trials (full-disk: of each kind of limit)
  --seed N     seed of the first trial, to repeat one
  --only TEXT  full-disk and corruption: only trials with this in their description;
               steps and stops: the number of the call
  --keep DIR   copy directories with a fault to DIR
  --json       print the figures as JSON`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: '0' },
    only: { type: 'string' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(scenarios);
if (values.help || names.some((name) => !(name in scenarios))) {
  console.error(usage);
  process.exit(values.help ? 0 : 2);
}

/** The figures of one scenario as they are printed. */
interface Figures {
  scenario: string;
  trials: number;
  seconds: number;
  faults: Record<string, { count: number; first: string }>;
  notes: Record<string, number>;
}

const all: Figures[] = [];
for (const name of names) {
  const { run, rounds, needsShim = false } = scenarios[name];
  if (needsShim && shimLibrary() === undefined) continue;
  const tally = await run({
    rounds: Number(values.rounds ?? rounds),
    seed: Number(values.seed),
    only: values.only,
    onProgress: showProgress,
    keep,
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const { scenario, trials, seconds, faults, notes } = tally;
  const figures = {
    scenario,
    trials,
    seconds,
    faults: Object.fromEntries(faults),
    notes: Object.fromEntries(notes),
  };
  all.push(figures);
  if (!values.json) print(figures);
}
if (values.json) console.log(JSON.stringify(all, null, 2));
else printTable();
process.exitCode = all.some(({ faults }) => Object.keys(faults).length > 0) ? 1 : 0;

function faultCount(faults: Figures['faults']): number {
  return Object.values(faults).reduce((sum, { count }) => sum + count, 0);
}

function showProgress({ scenario, trials, faults, seconds }: Tally): void {
  const text = `${scenario}: ${trials} trials, ${faultCount(Object.fromEntries(faults))} faults, ${seconds} s`;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (trials % 100 === 0) console.error(text);
}

/** Faults and other counts of a scenario, with the first fault of each kind. */
function print({ scenario, faults, notes }: Figures): void {
  for (const [kind, { count, first }] of Object.entries(faults))
    console.log(
      `${scenario}: FAULT ${count} ${kind}\n  first: ${first.replaceAll('\n', '\n    ')}`,
    );
  for (const [kind, count] of Object.entries(notes)) console.log(`${scenario}: ${count} ${kind}`);
}

function printTable(): void {
  console.log(
    ['\nscenario', 'trials', 'faults', 'seconds'].map((text) => text.padEnd(12)).join(''),
  );
  for (const { scenario, trials, faults, seconds } of all) {
    const columns = [scenario, `${trials}`, `${faultCount(faults)}`, `${seconds}`];
    console.log(columns.map((text) => text.padEnd(12)).join(''));
  }
}

let kept = 0;
function keep(directory: string, name: string): void {
  if (values.keep === undefined || kept++ >= 10) return;
  mkdirSync(values.keep, { recursive: true });
  cpSync(directory, join(resolve(values.keep), name), { recursive: true });
}
