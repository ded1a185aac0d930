/**
 * The campaigns: long random tests, each of at most an hour. `npm run test:all` runs all of them,
 * `-- NAME...` some. `--list` prints their names, `--json` the results as JSON.
 *
 * Their cases depend on the commit; SEED=n selects others. A campaign that has passed at this commit
 * is not run again (`--again` does), and one that was interrupted goes on at its first step that has
 * not passed, unless the working tree has changes. The last result of each is recorded in
 * test/campaigns/RESULTS.md, output in .tmp/campaigns. `--slice` runs a small part of each, as CI
 * does, and records nothing; `--part 2/3` the second of three parts of them. It writes suites that
 * failed to the file FAILED_SUITES; with ONLY_SUITES it runs these once more, one after the other.
 *
 * `--limit SECONDS` ends a campaign after that time, `--jobs N` runs N at a time. For tests of this
 * script: `--root DIRECTORY` is another repository, `--campaigns FILE` has other campaigns.
 */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { textOf } from './campaigns/counts.mjs';
import { writeFailures } from './campaigns/failures.mjs';
import { Journal } from './campaigns/journal.mjs';
import { record } from './campaigns/record.mjs';
import { Report } from './campaigns/report.mjs';
import { recordFile, revisionOf, seedOf } from './campaigns/revision.mjs';
import { runCampaign } from './campaigns/run-campaign.mjs';
import { itemsOf, parsePart } from './parts.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    slice: { type: 'boolean', default: false },
    part: { type: 'string', default: '1/1' },
    again: { type: 'boolean', default: false },
    limit: { type: 'string' },
    jobs: { type: 'string' },
    root: { type: 'string', default: join(here, '..') },
    campaigns: { type: 'string', default: join(here, 'campaigns/list.mjs') },
  },
});
/** Seconds for a campaign, and for its slice. */
const [maxSeconds, maxSliceSeconds] = [3600, 600];

/** @type {{ campaigns: import('./campaigns/steps.mjs').Campaign[] }} */
const { campaigns: all } = await import(pathToFileURL(resolve(values.campaigns)).href);
const unknown = positionals.filter((name) => !all.some((each) => each.name === name));
if (unknown.length > 0) {
  console.error(`no campaign '${unknown[0]}': ${all.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
if (values.list) {
  for (const { name, minutes, about } of chosenCampaigns())
    console.log(`${name.padEnd(14)} ${String(minutes).padStart(3)} min  ${about}`);
} else {
  process.exitCode = await main();
}

function chosenCampaigns() {
  const named = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  // Sections of .ci/run of their own run the other slices.
  const own = named.filter(({ section }) => !values.slice || section === undefined);
  return itemsOf(own, parsePart(values.part));
}

async function main() {
  const root = resolve(values.root);
  const folder = join(root, '.tmp/campaigns');
  const isSlice = values.slice;
  const { FAILED_SUITES, ONLY_SUITES } = process.env;
  const isRepeat = isSlice && ONLY_SUITES !== undefined;
  const interruption = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(name, () => interruption.abort());

  const revision = revisionOf(root);
  const seed = seedOf(revision.commit, process.env.SEED);
  const report = new Report(values.json);
  const waiting = chosenCampaigns();
  const dirty = revision.isDirty ? ', dirty: nothing is resumed' : '';
  report.print(
    `${waiting.length} campaigns${isSlice ? ', slices' : ''} at ${revision.commit.slice(0, 12)}${dirty}. SEED=${seed} repeats them.`,
  );
  const context = {
    ...{ root, folder, revision, seed, isSlice, isRepeat, report },
    again: values.again,
    maxSeconds: Number(values.limit ?? (isSlice ? maxSliceSeconds : maxSeconds)),
    signal: interruption.signal,
    journal: new Journal(join(folder, 'steps.jsonl')),
  };
  /** @type {import('./campaigns/run-campaign.mjs').Outcome[]} */
  const outcomes = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (interruption.signal.aborted) return;
      const outcome = await runCampaign(next, context);
      if (!isRepeat || outcome.steps.length > 0) outcomes.push(outcome);
      if (!isSlice) recordOutcome(root, outcome);
    }
  };
  // Whole campaigns one after the other: most of them use both cores.
  const jobs = Number(values.jobs ?? (isSlice && !isRepeat ? 2 : 1));
  await Promise.all(Array.from({ length: jobs }, work));
  report.end();
  if (isSlice && !isRepeat) writeFailures(FAILED_SUITES, outcomes);
  return summarize(outcomes, revision, seed, report, interruption.signal.aborted);
}

/** @param {string} root @param {import('./campaigns/run-campaign.mjs').Outcome} outcome */
function recordOutcome(root, outcome) {
  const { state } = outcome;
  if (state === 'interrupted' || state === 'passed before') return;
  const names = all.map(({ name }) => name);
  record(join(root, recordFile), names, { ...outcome, state });
}

/**
 * Prints the result. Returns the exit code.
 *
 * @param {import('./campaigns/run-campaign.mjs').Outcome[]} outcomes
 * @param {import('./campaigns/revision.mjs').Revision} revision @param {number} seed
 * @param {Report} report @param {boolean} isInterrupted
 */
function summarize(outcomes, revision, seed, report, isInterrupted) {
  report.print('');
  for (const { name, state, seconds, counts } of outcomes) {
    const minutes = `${(seconds / 60).toFixed(1)} min`;
    report.print(
      `${state.padEnd(13)} ${name.padEnd(14)} ${minutes.padStart(9)}  ${textOf(counts)}`,
    );
  }
  if (values.json)
    console.log(
      JSON.stringify({ ...revision, seed, node: process.version, campaigns: outcomes }, null, 2),
    );
  if (isInterrupted) {
    report.print('Interrupted. The same command goes on where it was.');
    return 130;
  }
  return outcomes.some(({ state }) => state === 'failed' || state === 'timed out') ? 1 : 0;
}
