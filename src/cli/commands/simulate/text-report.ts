/** The report of a simulation on a terminal. */
import { countText, printable, type FaultText } from '../../../base/index.js';
import {
  countWords,
  type DesignReport,
  needsText,
  nodesText,
  percent,
  readCostText,
  type SimulationOptions,
  type SimulationReport,
  type WorkloadReport,
  workloadTexts,
} from '../../../tools/simulate/index.js';
import type { Terminal } from '../../terminal/terminal.js';
import { heatPicture } from './heat-picture.js';

/** Prints the whole report. */
export function printReport(report: SimulationReport, terminal: Terminal): void {
  const { style } = terminal;
  for (const workload of report.workloads) {
    printWorkload(workload, terminal);
    for (const design of workload.designs) printDesign(design, report.options, terminal);
    for (const { name, pattern } of workload.leftOut)
      terminal.print(
        `${style.bold(name)}  not compared: '${pattern}' would return its rows in another order`,
      );
    if (workload.leftOut.length > 0) terminal.print();
  }
  const { design, reasons } = report.recommendation;
  const shown = design === undefined ? style.bad('none') : style.good(design);
  terminal.print(`${style.bold('Recommendation:')} ${shown}`);
  for (const reason of reasons) terminal.print(`  ${reason}`);
}

function printWorkload(workload: WorkloadReport, terminal: Terminal): void {
  const { style } = terminal;
  terminal.print(style.bold(`${workload.name}: ${countText(workload.rows, 'row')}`));
  for (const { name, text } of workloadTexts(workload))
    terminal.print(`  ${name.padEnd(12)}${text}`);
  for (const { level, problem, fix } of workload.sizeFindings)
    printFinding(level, { problem, fix }, terminal);
  terminal.print();
}

function printDesign(design: DesignReport, options: SimulationOptions, terminal: Terminal): void {
  const { style } = terminal;
  const { tablets, busiestNodeLoad, needs, storedBytes, growth } = design;
  terminal.print(`${style.bold(design.name)}  ${style.code(printable(design.exampleKeys[0]))}`);
  const line = (name: string, text: string): void => terminal.print(`  ${name.padEnd(12)}${text}`);
  const owner = tablets.busiestOwner === 'row' ? '' : `, of ${tablets.busiestOwner},`;
  const busiest = `the busiest${owner} has ${percent(tablets.busiestTablet)} of the load`;
  const least = tablets.isEven ? 'at least ' : '';
  const more =
    growth < 1 ? 'too much for a node' : `which can grow ${least}${countWords(growth)} times`;
  line('tablets', `${countWords(tablets.bySize)} by size; ${busiest}, ${more}`);
  const { storage, nodes } = options;
  const load = `at ${percent(busiestNodeLoad)} of its capacity`;
  const { work, derivedWork } = needs[storage];
  const derived =
    derivedWork === 0 ? '' : `, ${nodesText(derivedWork)} of them for indexes, rollups and copies`;
  line(
    'load',
    `${nodesText(work)}${derived}; the busiest of ${nodes} has ${percent(tablets.busiestNode)} of it, ` +
      `${percent(tablets.busiestWriteNode)} of the writes: ` +
      (busiestNodeLoad > options.target ? style.bad(load) : style.good(load)),
  );
  const target = `at up to ${percent(options.target)} of a node`;
  line('needs', `${needsText(needs[storage], storage, storedBytes)}, ${target}`);
  for (const read of design.reads) line('read', `${read.name}: ${readCostText(read)}`);
  for (const { level, problem, fix } of design.findings)
    printFinding(level, { problem, fix }, terminal);
  line(
    'heat',
    style.dim('keys from top to bottom, with their operations; minutes from left to right'),
  );
  for (const picture of heatPicture(design)) terminal.print(`  ${picture}`);
  terminal.print();
}

function printFinding(level: string, { problem, fix }: FaultText, terminal: Terminal): void {
  const { style } = terminal;
  const shown = level === 'info' ? style.dim(level) : style.bad(level);
  terminal.print(`  ${shown}  ${problem}`);
  terminal.print(`    ${fix}`);
}
