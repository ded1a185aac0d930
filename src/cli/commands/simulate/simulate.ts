/** `rowsmith simulate`: what a table would look like with its rows and traffic. */
import type { FaultTexts } from '../../../base/index.js';
import {
  type EntityLoad,
  simulate as runSimulation,
  simulationDefaults as defaults,
} from '../../../tools/simulate/index.js';
import {
  choice,
  count,
  defineCommand,
  parsed,
  text,
  UsageError,
  withDefault,
} from '../../command.js';
import { conclusionOf, designMaps, heatPage } from '../../../tools/page/index.js';
import { outputFile, writeOutput } from '../../files.js';
import { loadWorkloads } from '../../project/load-workloads.js';
import { jsonReport } from './json-report.js';
import { printReport } from './text-report.js';

const options = {
  workload: text('NAME', 'Only the workload of this name'),
  rows: parsed('N', 'Rows in the table. Default: as declared', rowsOf),
  nodes: withDefault(count('N', 'Nodes of the cluster', { max: 1_000 }), defaults.nodes),
  // Tablets are placed by the minute before: the load of a single one cannot be measured.
  minutes: withDefault(count('N', 'Minutes of traffic', { min: 2, max: 1_440 }), defaults.minutes),
  sample: withDefault(count('N', 'Rows in the sample', { max: 1_000_000 }), defaults.sampleRows),
  storage: withDefault(choice('KIND', 'Storage of the nodes', ['ssd', 'hdd']), defaults.storage),
  target: withDefault(
    count('N', 'Percent of a node that may be in use', { max: 100 }),
    100 * defaults.target,
  ),
  'tablet-bytes': withDefault(
    count('N', 'Size at which a tablet is split'),
    defaults.tabletBytes,
    '1 GiB',
  ),
  html: text('FILE', 'Write the heat maps to a page, which needs no network', 'file'),
  seed: withDefault(count('N', 'The seed of the random numbers', { min: 0 }), defaults.seed),
};

/** The command. */
export const command = defineCommand({
  usage: '[FILE] [options]',
  about: `Simulates the table of a workload (defineWorkload), which FILE exports or the config
lists: heat map, tablets and nodes, storage over a year, the cost of reads and derived rows.
Compares one workload with other keys of its entity, several with each other, and ends with a
recommendation. Needs no database; samples up to 1e12 rows.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  examples: [
    ['simulate', 'the workloads of the config'],
    ['simulate workload.js --rows 1e6 --html heat.html', 'a file, and a page with heat maps'],
  ],
  json: `{ options: SimulationOptions, workloads: (Omit<WorkloadReport, 'designs'> & { designs:
    (Omit<DesignReport, 'model' | 'access' | 'exampleKeys'> & { exampleKeys: string[] })[] })[],
    recommendation: SimulationReport['recommendation'] }`,
  async run({ values, positionals: [file] }, { terminal, folder, config }) {
    const html = values.html === undefined ? undefined : outputFile(folder, values.html);
    const { workload: name, rows } = values;
    const loads = await loadWorkloads({ folder, config }, { file, name, rows });
    checkSameData(loads);
    const { seed, nodes, minutes, sample: sampleRows, storage, tabletBytes } = values;
    const target = values.target / 100;
    const settings = { seed, nodes, minutes, sampleRows, storage, target, tabletBytes };
    const report = await runSimulation(loads, { ...settings, start: defaults.start });
    terminal.printJson(jsonReport(report));
    printReport(report, terminal);
    if (html !== undefined) {
      const names = report.workloads.map((workload) => workload.name).join(', ');
      const page = {
        title: `Heat map of ${names}, simulated`,
        source: `${minutes} minutes of traffic, as its workload declares it`,
        conclusion: conclusionOf(report),
        maps: designMaps(report),
      };
      await writeOutput(html, heatPage(page));
      terminal.note(`Written: ${values.html!}`);
    }
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
  throw new UsageError(faults.differentData(first.name, other.name, names));
}

/** A number of rows; also `1e9`. */
function rowsOf(given: string, flagName: string): number {
  if (/^\d+(e\d{1,2})?$/.test(given) && Number(given) > 0) return Number(given);
  throw new UsageError(faults.notAWholeNumber(flagName, given));
}

const faults = {
  differentData: (firstName: string, otherName: string, names: string) => ({
    problem: `${firstName} and ${otherName} differ in their rows or rates: they are not designs of the same data`,
    fix: `choose one by --workload NAME of ${names}`,
  }),
  notAWholeNumber: (flagName: string, given: string) => ({
    problem: `${flagName} takes a whole number above 0, such as 1e9, not '${given}'`,
  }),
} satisfies FaultTexts;
