/** The report of a run, as Markdown that can be attached to an issue. */
import { isRowsmithError } from '../../../base/index.js';
import type { CaseResult, ConformanceReport } from '../../../tools/conformance/index.js';
import { installedVersion } from '../doctor/packages.js';
import { version } from '../../version.js';
import type { PlannedRun } from './announcement.js';
import { redactor } from './redact.js';
import { outcomeWords, shortened, summaryOf } from './terminal-report.js';

/** When and where a run was made. */
export interface Surroundings {
  readonly started: Date;
  /** The folder of the project. */
  readonly folder: string;
}

const maxShown = 2_000;
const clientPackage = '@google-cloud/bigtable';

/** The report before the first case: it remains if the process is killed. */
export function unfinishedReport(run: PlannedRun, surroundings: Surroundings): string {
  const result = `not finished: look for tables that begin with ${run.name}`;
  return document(heading(run, surroundings, result));
}

/** The report of a run. Ids of project, instance and app profile are replaced. */
export function markdownReport(
  run: PlannedRun,
  surroundings: Surroundings,
  report: ConformanceReport,
): string {
  const redact = redactor(run.service);
  const results = report.results.map((each) => redacted(each, redact));
  const facts = [
    tableRow('duration', `${(report.ms / 1000).toFixed(1)} s`),
    tableRow('tables left', report.leftTables.join(', ') || 'none'),
  ];
  if (report.error !== undefined) facts.push(tableRow('ended by', redact(errorLine(report.error))));
  return document([
    ...heading(run, surroundings, summaryOf(report)),
    ...facts,
    ...differences(results),
    ...caseTables(results),
    ...exceptions(results),
    ...latencies(report),
  ]);
}

function document(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function redacted(result: CaseResult, redact: (text: string) => string): CaseResult {
  const { reason, expected, found, step } = result;
  const texts = Object.entries({ reason, expected, found, step }).map(
    ([name, text]) => [name, text === undefined ? undefined : redact(text)] as const,
  );
  return { ...result, ...Object.fromEntries(texts) };
}

function heading(
  { service, history }: PlannedRun,
  { started, folder }: Surroundings,
  result: string,
): readonly string[] {
  const { emulator, appProfile } = service;
  const kind =
    emulator === undefined ? 'Cloud Bigtable' : 'an emulator or server (BIGTABLE_EMULATOR_HOST)';
  return [
    '# Conformance of a Bigtable instance',
    '',
    'Written by `rowsmith verify-live`. Ids of project, instance and app profile are left out.',
    '',
    '| | |',
    '|---|---|',
    tableRow('result', result),
    tableRow('target', kind),
    tableRow('app profile', appProfile === undefined ? 'default' : 'named in the url'),
    tableRow('rowsmith', version()),
    tableRow(clientPackage, installedVersion(folder, clientPackage) ?? 'unknown'),
    tableRow('Node', process.versions.node),
    tableRow('platform', `${process.platform} ${process.arch}`),
    tableRow('started', started.toISOString()),
    tableRow('random history', `seed ${history.seed}, ${history.operations} operations`),
  ];
}

/** What was expected and found, for each case that did not pass. */
function differences(results: readonly CaseResult[]): readonly string[] {
  const differing = results.filter(({ outcome }) => ['differs', 'failed'].includes(outcome));
  if (differing.length === 0) return [];
  const sections = differing.flatMap(({ title, reason, step, expected, found, outcome, table }) => {
    const lines = ['', `### ${title}`, ''];
    if (outcome === 'failed') return [...lines, `Failed: ${reason}`];
    const values = [`expected: ${expected}`, `found:    ${found}`];
    if (step !== undefined) values.unshift(step);
    lines.push('```text', ...values.map((text) => shortened(text, maxShown)), '```');
    return [...lines, '', `Table: ${table}`];
  });
  return ['', '## Differences and failures', ...sections];
}

function caseTables(results: readonly CaseResult[]): readonly string[] {
  const groups = [...new Set(results.map(({ group }) => group))];
  return groups.flatMap((group) => [
    '',
    `## ${group}`,
    '',
    '| Case | Result | ms |',
    '|---|---|---|',
    ...results
      .filter((each) => each.group === group)
      .map(({ title, outcome, ms }) =>
        tableRow(title, outcomeWords[outcome], ms === undefined ? '' : ms.toFixed(0)),
      ),
  ]);
}

/** Cases that were left out or checked less strictly, and why. */
function exceptions(results: readonly CaseResult[]): readonly string[] {
  const kinds = { leftOut: 'left out', passed: 'checked less strictly' } as const;
  const rows = results.flatMap(({ title, outcome, reason }) => {
    if (reason === undefined || (outcome !== 'leftOut' && outcome !== 'passed')) return [];
    return [tableRow(title, kinds[outcome], reason)];
  });
  if (rows.length === 0) return [];
  return ['', '## Exceptions', '', '| Case | How | Why |', '|---|---|---|', ...rows];
}

function latencies({ requests }: ConformanceReport): readonly string[] {
  if (requests.length === 0) return [];
  const rows = requests.map(({ kind, count, p50, p99 }) =>
    tableRow(kind, String(count), p50.toFixed(1), p99.toFixed(1)),
  );
  const head = ['| Requests | Count | p50, ms | p99, ms |', '|---|---|---|---|'];
  return ['', '## Latencies', '', ...head, ...rows];
}

function tableRow(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function errorLine(error: unknown): string {
  if (!isRowsmithError(error)) return String(error).replaceAll('\n', ' ');
  return [error.code, error.details.problem].filter((part) => part !== undefined).join(': ');
}
