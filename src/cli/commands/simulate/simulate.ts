/** `rowsmith simulate`: what a table would look like with its rows and traffic. */
import {
  simulate as runSimulation,
  simulationDefaults,
  type SimulationOptions,
} from '../../../simulate/index.js';
import { exit, parseOptions, textOption, UsageError, type Command } from '../../command.js';
import { outputFile } from '../../files.js';
import { loadWorkloads } from '../../project/load-workloads.js';
import { readCount } from '../row-command.js';
import { writeHeatPage } from './heat-html.js';
import { jsonReport } from './json-report.js';
import { printReport } from './text-report.js';

const grouped = (value: number): string => value.toLocaleString('en-US');

const help = `Usage: rowsmith simulate [FILE] [options]

Simulates the table of a workload, which FILE exports (defineWorkload) or the config lists: heat
map, tablets and nodes, sizes, storage over a year, what reads and derived rows cost. One workload
is compared with other keys of its entity, several with each other. Ends with a recommendation. No
database is used; up to 1e12 rows are simulated from a sample.

  --workload NAME      Only the workload of this name
  --rows N             Rows in the table, instead of the declared number
  --nodes N            Nodes of the cluster. Default: ${simulationDefaults.nodes}
  --minutes N          Minutes of traffic. Default: ${simulationDefaults.minutes}
  --sample N           Rows in the sample. Default: ${grouped(simulationDefaults.sampleRows)}
  --node-operations N  Rows that a node serves each second. Default: ${grouped(simulationDefaults.nodeOperations)}
  --tablet-bytes N     Size at which a tablet is split. Default: 1 GiB
  --html FILE          Write the heat maps to a page, which needs no network
  --seed N             The same seed gives the same report. Default: ${simulationDefaults.seed}`;

const maxSample = 1_000_000;
const maxMinutes = 1_440;
const maxNodes = 1_000;

/** The command. */
export const simulate: Command = {
  help,
  async run(args, { terminal, folder, config }) {
    const { values, positionals } = parseOptions(
      args,
      {
        workload: textOption,
        rows: textOption,
        nodes: textOption,
        minutes: textOption,
        sample: textOption,
        'node-operations': textOption,
        'tablet-bytes': textOption,
        seed: textOption,
        html: textOption,
      },
      true,
    );
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UsageError('simulate takes one file');
    const options = readOptions(values);
    const html = values.html === undefined ? undefined : outputFile(folder, values.html);
    const loads = await loadWorkloads(
      { folder, config },
      { file, name: values.workload, rows: readRows(values.rows) },
    );
    const report = await runSimulation(loads, options);
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
};

function readOptions(values: Readonly<Record<string, string | undefined>>): SimulationOptions {
  const limited = (name: string, max: number, fallback: number): number => {
    const count = readCount(name, values[name]) ?? fallback;
    if (count <= max) return count;
    throw new UsageError(`--${name} takes at most ${grouped(max)}`);
  };
  return {
    seed: readSeed(values.seed) ?? simulationDefaults.seed,
    nodes: limited('nodes', maxNodes, simulationDefaults.nodes),
    minutes: limited('minutes', maxMinutes, simulationDefaults.minutes),
    sampleRows: limited('sample', maxSample, simulationDefaults.sampleRows),
    nodeOperations: limited('node-operations', 1e9, simulationDefaults.nodeOperations),
    tabletBytes: limited('tablet-bytes', 1e15, simulationDefaults.tabletBytes),
    start: simulationDefaults.start,
  };
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
