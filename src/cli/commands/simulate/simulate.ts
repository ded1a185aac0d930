/** `rowsmith simulate`: what a table would look like with its rows and traffic. */
import {
  type EntityLoad,
  simulate as runSimulation,
  simulationDefaults,
  type SimulationOptions,
} from '../../../tools/simulate/index.js';
import { defineCommand, exit, type OptionValues, text, UsageError } from '../../command.js';
import { outputFile } from '../../files.js';
import { loadWorkloads } from '../../project/load-workloads.js';
import { readCount } from '../row-command.js';
import { writeHeatPage } from './heat-html.js';
import { jsonReport } from './json-report.js';
import { printReport } from './text-report.js';

const grouped = (value: number): string => value.toLocaleString('en-US');

const options = {
  workload: text('NAME', 'Only the workload of this name'),
  rows: text('N', 'Rows in the table, instead of the declared number'),
  nodes: text('N', `Nodes of the cluster. Default: ${simulationDefaults.nodes}`),
  minutes: text('N', `Minutes of traffic. Default: ${simulationDefaults.minutes}`),
  sample: text('N', `Rows in the sample. Default: ${grouped(simulationDefaults.sampleRows)}`),
  'node-operations': text(
    'N',
    `Rows that a node serves each second. Default: ${grouped(simulationDefaults.nodeOperations)}`,
  ),
  'tablet-bytes': text('N', 'Size at which a tablet is split. Default: 1 GiB'),
  html: text('FILE', 'Write the heat maps to a page, which needs no network', 'file'),
  seed: text('N', `The same seed gives the same report. Default: ${simulationDefaults.seed}`),
};

const maxSample = 1_000_000;
const minMinutes = 2;
const maxMinutes = 1_440;
const maxNodes = 1_000;

/** The command. */
export const simulate = defineCommand({
  usage: '[FILE] [options]',
  about: `Simulates the table of a workload, which FILE exports (defineWorkload) or the config
lists: heat map, tablets and nodes, sizes, storage over a year, what reads and derived rows cost.
One workload is compared with other keys of its entity, several with each other. Ends with a
recommendation. No database is used; up to 1e12 rows are simulated from a sample.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  async run({ values, positionals }, { terminal, folder, config }) {
    const file = positionals.at(0);
    const settings = readOptions(values);
    const html = values.html === undefined ? undefined : outputFile(folder, values.html);
    const loads = await loadWorkloads(
      { folder, config },
      { file, name: values.workload, rows: readRows(values.rows) },
    );
    checkSameData(loads);
    const report = await runSimulation(loads, settings);
    terminal.printJson(jsonReport(report));
    printReport(report, terminal);
    if (html !== undefined) {
      const maps = report.workloads.flatMap(({ name, designs }) =>
        designs.map((design) => ({ ...design, label: `${name}, ${design.name}` })),
      );
      await writeHeatPage(html, 'simulated traffic', maps);
      terminal.note(`Written: ${values.html!}`);
    }
    return exit.ok;
  },
});

/** Only workloads of the same data can be designs of one table. */
function checkSameData(loads: readonly EntityLoad[]): void {
  const [first, ...others] = loads;
  const other = others.find(
    (load) =>
      load.rows !== first.rows ||
      load.writesPerSecond !== first.writesPerSecond ||
      load.readsPerSecond !== first.readsPerSecond,
  );
  if (other === undefined) return;
  const names = loads.map(({ name }) => name).join(', ');
  throw new UsageError(
    `${first.name} and ${other.name} differ in their rows or rates, so that they are no designs of ` +
      `the same data: choose one by --workload NAME of ${names}`,
  );
}

function readOptions(values: OptionValues<typeof options>): SimulationOptions {
  const limited = (name: keyof typeof options, max: number, fallback: number): number => {
    const count = readCount(name, values[name]) ?? fallback;
    if (count <= max) return count;
    throw new UsageError(`--${name} takes at most ${grouped(max)}`);
  };
  return {
    seed: readSeed(values.seed) ?? simulationDefaults.seed,
    nodes: limited('nodes', maxNodes, simulationDefaults.nodes),
    minutes: readMinutes(limited('minutes', maxMinutes, simulationDefaults.minutes)),
    sampleRows: limited('sample', maxSample, simulationDefaults.sampleRows),
    nodeOperations: limited('node-operations', 1e9, simulationDefaults.nodeOperations),
    tabletBytes: limited('tablet-bytes', 1e15, simulationDefaults.tabletBytes),
    start: simulationDefaults.start,
  };
}

/** Tablets are placed by the minute before: the load of a single one cannot be measured. */
function readMinutes(minutes: number): number {
  if (minutes >= minMinutes) return minutes;
  throw new UsageError(`--minutes takes at least ${minMinutes}`);
}

/** A number of rows; also `1e9`. */
function readRows(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(e\d{1,2})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--rows takes a whole number above 0, such as 1e9, not '${text}'`);
}

/** A seed: a whole number. */
export function readSeed(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--seed takes a whole number, not '${text}'`);
}
