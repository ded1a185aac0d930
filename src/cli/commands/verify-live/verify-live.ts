/** `rowsmith verify-live`: runs the conformance tests on a live instance. */
import { openEngine } from '../../../engines/index.js';
import { type ConformanceReport, verifyService } from '../../../tools/conformance/index.js';
import {
  type CommandContext,
  count,
  defineCommand,
  flag,
  StoppedError,
  text,
  withDefault,
} from '../../command.js';
import { outputFile, writeOutput } from '../../files.js';
import { finishWithoutReader } from '../../terminal/closed-output.js';
import { shortPath } from '../../terminal/error-text.js';
import { patience, storedTables } from '../database.js';
import { assertReachable } from '../reachable.js';
import { stoppable } from '../long-run.js';
import { isAgreed, readConsent } from '../rows/change/confirm.js';
import { announce, plannedJson, type PlannedRun } from './announcement.js';
import { markdownReport, type Surroundings, unfinishedReport } from './markdown-report.js';
import { dropCommand, explained, leftTables, runName, type Service, serviceOf } from './service.js';
import { printResult, summaryOf } from './terminal-report.js';

const options = {
  report: text('FILE', 'The report. Default: rowsmith-verify-DATE-ID.md in this folder', 'file'),
  keep: flag('Keep the tables'),
  seed: withDefault(count('N', 'The seed of the random numbers', { min: 0 }), 1),
  operations: withDefault(
    count('N', 'Number of random operations', {
      max: 100_000,
    }),
    200,
  ),
  yes: flag('Write without a question; needed where nobody can be asked'),
  'dry-run': flag('Say what it would do; create nothing'),
};

/** The command. */
export const command = defineCommand({
  usage: 'URL [options]',
  about: `Runs the conformance tests, and random operations compared with the engine in memory, on a
Bigtable instance: bigtable://project/instance, or the server of BIGTABLE_EMULATOR_HOST. Says what
it will do and about what that costs, and asks. Uses its own tables, and drops them, also after a
failure or Ctrl-C. Writes a report for an issue, without the ids of project, instance and app
profile. The report says which cases a service cannot pass, and why.`,
  arguments: [{ name: 'URL' }],
  options,
  examples: [
    ['verify-live bigtable://project/instance', 'asks, runs all cases, writes the report'],
    ['verify-live bigtable://project/instance --dry-run', 'only says what it would do'],
    ['verify-live bigtable://project/instance --yes --report report.md', 'in CI'],
  ],
  exits: {
    different: 'a case differs',
    partial: 'a case could not be judged, or tables are left',
    stopped: 'the tables were dropped, and the report so far was written',
  },
  json: {
    '': `{ report: string, seconds: number, leftTables: string[], cases: { group: string,
    title: string, outcome: 'passed' | 'differs' | 'failed' | 'leftOut' | 'notRun', ms?: number,
    reason?: string, expected?: string, found?: string, step?: string, table?: string }[],
    requests: { kind: string, count: number, p50: number, p99: number }[] }`,
    '--dry-run': `{ name: string, report: string, leftTables: string[], cases: number, tables: number,
    tableChanges: number, requests: number }`,
  },
  async run({ values, positionals: [url] }, context) {
    const { folder, terminal } = context;
    const service = serviceOf(url, process.env);
    const consent = readConsent(values, context);
    const name = runName(new Date());
    const run: PlannedRun = {
      service,
      name,
      history: { seed: values.seed, operations: values.operations },
      keep: values.keep,
      file: outputFile(folder, values.report ?? `${name}.md`),
      left: leftTables(await tablesOf(service)),
    };
    announce(run, terminal);
    if (consent.dryRun) terminal.printJson(plannedJson(run));
    if (!(await isAgreed(terminal, consent, 'Create these tables and run the cases?')))
      return undefined;
    const report = await verify(run, context);
    return outcomeOf(run, report, context);
  },
});

/** The names of all tables. Rejects if the service cannot be used. */
async function tablesOf({ url }: Service): Promise<readonly string[]> {
  await assertReachable(url);
  const engine = await openEngine(url, { bigtable: patience });
  try {
    return await storedTables(engine, url);
  } catch (error) {
    throw explained(error);
  } finally {
    await engine.close();
  }
}

/** Runs the cases, and writes the report before and after them. */
async function verify(
  run: PlannedRun,
  { folder, terminal }: CommandContext,
): Promise<ConformanceReport> {
  const { service, name: prefix, history, keep, file } = run;
  // Its tables have to be dropped.
  finishWithoutReader();
  const surroundings: Surroundings = { started: new Date(), folder };
  await writeOutput(file, unfinishedReport(run, surroundings));
  const report = await stoppable(terminal, undefined, (signal) =>
    verifyService({
      open: () => openEngine(service.url, { bigtable: patience }),
      prefix,
      history,
      keep,
      signal,
      onResult: (result) => printResult(terminal, result),
    }),
  );
  await writeOutput(file, markdownReport(run, surroundings, report));
  return report;
}

/** Prints the summary; returns how the command ends. Throws the error that ended the run. */
function outcomeOf(
  { service, file, keep }: PlannedRun,
  report: ConformanceReport,
  { terminal }: CommandContext,
) {
  const { results, leftTables: left, requests, ms, error } = report;
  terminal.print();
  terminal.print(`${summaryOf(report)}, in ${(ms / 1000).toFixed(1)} s`);
  terminal.note(`Report: ${shortPath(file)}`);
  if (left.length > 0) {
    terminal.note(keep ? 'The tables were kept. To drop them:' : 'Tables are left. To drop them:');
    for (const table of left) terminal.note(`  ${dropCommand(service, table)}`);
  }
  const isStopped = error instanceof StoppedError;
  if (error !== undefined && !isStopped) throw explained(error);
  const seconds = ms / 1000;
  terminal.printJson({ report: file, seconds, leftTables: left, cases: results, requests });
  if (isStopped) return error.signal;
  if (results.some(({ outcome }) => outcome === 'differs')) return 'different';
  const isIncomplete = results.some(({ outcome }) => outcome === 'failed');
  return isIncomplete || (left.length > 0 && !keep) ? 'partial' : undefined;
}
