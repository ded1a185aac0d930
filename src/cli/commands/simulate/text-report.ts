/** The report of a simulation on a terminal. */
import { bytesText, countText, printable, spanText, type FaultText } from '../../../base/index.js';
import {
  countWords,
  counted,
  type DesignReport,
  needsText,
  nodesText,
  percent,
  type SimulationOptions,
  type SimulationReport,
  type WorkloadReport,
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
  const { storage, rows, historySeconds } = workload;
  const { months, meanRowBytes, maxRowBytes, maxCellBytes, retentionSeconds } = storage;
  terminal.print(style.bold(`${workload.name}: ${countText(rows, 'row')}`));
  const line = (name: string, text: string): void => terminal.print(`  ${name.padEnd(12)}${text}`);
  line('history', `written in ${spanText(historySeconds)}`);
  line(
    'rows',
    `${bytesText(meanRowBytes)} on average, the largest ${bytesText(maxRowBytes)} after a year; ` +
      `values up to ${bytesText(maxCellBytes)}`,
  );
  const kept =
    retentionSeconds === undefined
      ? 'rows are kept'
      : `rows are kept ${spanText(retentionSeconds)}`;
  line(
    'storage',
    `${[0, 3, 6, 12].map((month) => storageText(months[month])).join(', ')}; ${kept}`,
  );
  for (const cost of workload.writeCosts)
    line(cost.kind === 'row' ? 'write' : cost.kind, costText(cost));
  for (const { level, problem, fix } of workload.sizeFindings)
    printFinding(level, { problem, fix }, terminal);
  terminal.print();
}

type WriteCost = WorkloadReport['writeCosts'][number];

/** `byStatus: insert 1 write (90 B); update 1 read, 2 writes (120 B); 12 GiB now, ...`. */
function costText({ name, kind, insert, update, storedBytes }: WriteCost): string {
  const stored = storedBytes.map((bytes, month) => storageText({ month, bytes }));
  const what = kind === 'row' ? 'for tokens ' : '';
  return [
    `${name}: insert ${accessText(insert)}`,
    `update ${accessText(update)}`,
    ...(storedBytes.every((bytes) => bytes === 0) ? [] : [`${what}${stored[0]}, ${stored[12]}`]),
  ].join('; ');
}

function accessText({ reads, writes, writtenBytes }: WriteCost['insert']): string {
  const parts = [
    ...(reads === 0 ? [] : [counted(reads, 'read')]),
    ...(writes === 0 ? [] : [`${counted(writes, 'write')} (${bytesText(writtenBytes)})`]),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function storageText({
  month,
  bytes,
}: Pick<WorkloadReport['storage']['months'][number], 'month' | 'bytes'>): string {
  if (month === 0) return `${bytesText(bytes)} now`;
  return `${bytesText(bytes)} in ${countText(month, 'month')}`;
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
  for (const read of design.reads) {
    const requests = counted(read.shards, 'request');
    const scan = read.fullScan ? ', full scan' : '';
    const filters = read.filters.length === 0 ? '' : `, filtered by ${read.filters.join(', ')}`;
    line(
      'read',
      `${read.name}: ${requests}, ${counted(read.ranges, 'range')}, reads ${counted(read.rowsRead, 'row')} ` +
        `(${bytesText(read.bytesRead)}) to return ${countWords(read.rowsReturned)}${scan}${filters}`,
    );
  }
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
