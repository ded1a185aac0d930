/** What a run will do and about what it costs, before it asks. */
import { shortPath } from '../../terminal/error-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import { runCost, serviceGroups, type RandomHistory } from '../../../tools/conformance/index.js';
import { dropCommand, type Service } from './service.js';

/** A run that has not begun. */
export interface PlannedRun {
  readonly service: Service;
  /** The name of the run. */
  readonly name: string;
  readonly history: RandomHistory;
  readonly keep: boolean;
  /** The report. */
  readonly file: string;
  /** Tables of earlier runs. */
  readonly left: readonly string[];
}

const margin = 10;

/** The plan under --json. */
export function plannedJson({ name, file, history, left }: PlannedRun) {
  const { tables, tableChanges } = runCost;
  const cases = serviceGroups(history).flatMap((group) => group.cases).length;
  const requests = runCost.requests + history.operations;
  return { name, report: file, leftTables: left, cases, tables, tableChanges, requests };
}

/** Prints the plan. */
export function announce(run: PlannedRun, terminal: Terminal): void {
  const { service, file, left } = run;
  const { cases, tables, tableChanges, requests } = plannedJson(run);
  terminal.print(`${cases} conformance cases will run on ${serviceText(service)}.`);
  terminal.print();
  const then = run.keep ? 'and keeps them' : 'and drops each after its cases';
  const lines: Readonly<Record<string, readonly string[]>> = {
    Tables: [
      `creates up to ${tables}, ${then}: ${run.name}-1 and so on`,
      'other tables are listed, but neither read nor changed',
    ],
    Requests: [
      `about ${requests}, nearly all one after another, and ${tableChanges} changes of tables`,
      'less than 1 MB stored, and a few MB sent and received',
    ],
    Time: [timeOf(service)],
    Cost: costOf(service),
    Needs: ['roles/bigtable.admin on the instance'],
    Report: [`${shortPath(file)}, without the ids of project and instance`],
  };
  for (const [name, [first, ...rest]] of Object.entries(lines)) {
    terminal.print(`${terminal.style.bold(name)}${' '.repeat(margin - name.length)}${first}`);
    for (const line of rest) terminal.print(`${' '.repeat(margin)}${line}`);
  }
  if (left.length === 0) return;
  terminal.print();
  terminal.print('Tables that earlier runs have left, and how to drop them:');
  for (const table of left) terminal.print(`  ${dropCommand(service, table)}`);
}

/** `Cloud Bigtable: instance i of project p`. */
function serviceText({ project, instance, emulator }: Service): string {
  const where = project === undefined ? '' : ` of project ${project}`;
  const kind = emulator === undefined ? 'Cloud Bigtable' : `the server at ${emulator}`;
  return `${kind}: instance ${instance}${where}`;
}

function timeOf({ emulator }: Service): string {
  if (emulator !== undefined) return 'seconds';
  return 'one to five minutes, an estimate: changes of tables may take several seconds each';
}

function costOf({ emulator }: Service): readonly string[] {
  if (emulator !== undefined) return ['none: BIGTABLE_EMULATOR_HOST names a server'];
  return [
    'Bigtable bills nodes, storage and network, and no single requests',
    '(https://cloud.google.com/bigtable/pricing); the nodes run anyway, and the rest is negligible',
  ];
}
