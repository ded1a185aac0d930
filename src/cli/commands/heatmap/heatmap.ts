/** `rowsmith heatmap`: where tables are read and written over time, and what to change. */
import { countText, isRowsmithError, type FaultTexts } from '../../../base/index.js';
import {
  type AccessLog,
  heatFindings,
  type HeatMetric,
  heatMetrics,
  hotTabletFindings,
  KeyNames,
  nodeProfiles,
  readRecordingBytes,
  secondsOfRow,
  type StorageKind,
} from '../../../tools/heat/index.js';
import { type EntityModel, storedModels } from '../../../entities/model/index.js';
import {
  choice,
  type CommandContext,
  count,
  defineCommand,
  flag,
  type OptionValues,
  text,
  urlOption,
  UsageError,
  withDefault,
} from '../../command.js';
import { inputFile, outputFile, readInput, writeOutput } from '../../files.js';
import { loadProject, type Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { findingsJson, printFindings } from './findings.js';
import {
  type HeatMap,
  heatMaps,
  heatPage,
  type HeatTable,
  unjudgedText,
} from '../../../tools/page/index.js';
import { readHotTablets } from './hot-tablets.js';
import { reportStorage } from './storage.js';
import { terminalPicture } from './terminal-picture.js';

const storageKinds: readonly StorageKind[] = ['ssd', 'hdd'];

const options = {
  storage: flag('Sizes of the sections of stored tables, from samples of keys'),
  url: urlOption,
  table: text('NAME', 'Only this table', 'table'),
  metric: withDefault(
    choice('METRIC', 'What is drawn: operations, reads, writes or bytes', heatMetrics),
    'operations',
  ),
  nodes: count('N', 'Nodes of the cluster. Default: 3'),
  disks: withDefault(choice('KIND', 'Storage of the nodes', storageKinds), 'ssd'),
  width: count('N', 'Columns of the printed picture. Default: the width of the terminal, or 100'),
  html: text('FILE', 'Write the heat map to a page, which needs no network', 'file'),
};

/** The command. */
export const command = defineCommand({
  usage: '(FILE | --storage) [options]',
  about: `Prints where the rows of tables are read and written over time, and what to change about
their keys. FILE is a recording (recordAccess, rowsmith serve --record), which may still be written,
or the output of: gcloud bigtable hot-tablets list CLUSTER --instance=I --format=json. Without a
config, keys are printed as bytes.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  examples: [
    ['heatmap access.heat --html heat.html', 'a recording, in the terminal and as a page'],
    ['heatmap --storage --table orders', 'the sizes of parts of a stored table'],
  ],
  exits: { partial: 'the recording is cut off or damaged' },
  json: {
    '': `{ source: string, findings: HeatFinding[], tables: { table: string, start: number,
      columnMs: number, columns: number, buckets: { key: string, entity?: string,
      segments: [name: string, value: string][], rows: number }[],
      cells: [column: number, bucket: number, reads: number, writes: number, bytes: number][] }[] }`,
    '--storage': `{ tables: { table: string, sections: { end: string, bytes: number }[] }[],
      findings: HeatFinding[] }`,
    'hot tablets': '{ tablets: number, findings: HeatFinding[] }',
  },
  async run({ values, positionals: [file] }, context) {
    if ((file === undefined) !== values.storage) throw new UsageError(faults.noFile);
    if (values.storage && values.html !== undefined) throw new UsageError(faults.htmlOfStorage);
    if (!values.storage && values.url !== undefined) throw new UsageError(faults.urlWithoutStorage);
    const project = await projectOf(context);
    const models = storedModels(project?.models ?? []);
    if (file === undefined) return reportStorage(project, models, values, context);
    const path = inputFile(context.folder, file);
    // Before anything is printed.
    if (values.html !== undefined) outputFile(context.folder, values.html);
    const bytes = await readInput(path);
    // JSON begins with a bracket; no recording does.
    if (/^\s*[[{]/.test(bytes.subarray(0, 100).toString('latin1')))
      return printHotTablets(readHotTablets(bytes.toString(), path), values, models, context);
    return printRecording(bytes, { file, models, ...values }, context);
  },
});

/** The project, if there is a config: keys can be shown without one, too. */
async function projectOf(context: CommandContext): Promise<Project | undefined> {
  try {
    return await loadProject(context);
  } catch (error) {
    const isMissing =
      isRowsmithError(error) &&
      error.code === 'INVALID_CONFIG' &&
      error.details.directory !== undefined;
    if (!isMissing || context.config !== undefined) throw error;
    context.terminal.note('No config was found, so keys are not decoded; --config FILE names one.');
    return undefined;
  }
}

type Values = OptionValues<typeof options>;

interface Recording extends Values {
  readonly file: string;
  readonly models: readonly EntityModel[];
}

async function printRecording(
  bytes: Uint8Array,
  { file, models, table, metric, nodes, disks, width, html }: Recording,
  { terminal, folder }: CommandContext,
): Promise<'partial' | undefined> {
  const { log, warning } = readRecordingBytes(bytes, file);
  if (warning !== undefined) terminal.note(`Warning: ${warning}`);
  const chosen = log.tables.filter((each) => table === undefined || each.table === table);
  const names = log.tables.map((each) => each.table);
  if (chosen.length === 0 && table !== undefined && names.length > 0)
    throw new UsageError(faults.unknownTable(file, table, names.join(', ')));
  if (chosen.length === 0 && warning === undefined)
    terminal.note('Nothing was recorded yet: a window is written when it ends, after a minute.');
  const access: AccessLog = { ...log, tables: chosen };
  const secondsOf = secondsOfRow(nodeProfiles[disks]);
  const findings = heatFindings(access, { models, nodes, secondsOf });
  const maps = heatMaps({ access, findings, models }).map((map) => ({
    ...map,
    unjudged: unjudgedText(chosen.find((each) => each.table === map.name)!),
  }));
  const tables = maps.map((map) => map.table);
  const json = findingsJson(findings);
  terminal.printJson({ source: file, tables: tables.map(sparseTable), findings: json });
  const columns = width ?? (terminal.isForPeople ? terminal.width : 100);
  for (const each of maps) printMap(each, metric, columns, terminal);
  if (models.length > 0) for (const each of tables) noteUndecoded(each, terminal);
  if (html !== undefined) {
    const page = { title: `Heat map of ${file}`, source: sourceText(file, tables), maps };
    await writeOutput(outputFile(folder, html), heatPage(page));
    terminal.note(`Written: ${html}`);
  }
  return warning === undefined ? undefined : 'partial';
}

function sourceText(file: string, tables: readonly HeatTable[]): string {
  const total = tables.reduce(
    (sum, { values }) => sum + values.operations.reduce((all, each) => all + each, 0),
    0,
  );
  return `${file}: ${countText(Math.round(total), 'operation')} on ${countText(tables.length, 'table')}`;
}

/** Cells with operations only: `[column, bucket, reads, writes, bytes]`. */
function sparseTable({ values, ...table }: HeatTable): object {
  const cells: (readonly number[])[] = [];
  for (const [index, operations] of values.operations.entries()) {
    if (operations === 0) continue;
    const bucket = index % table.buckets.length;
    const column = Math.floor(index / table.buckets.length);
    cells.push([column, bucket, values.reads[index], values.writes[index], values.bytes[index]]);
  }
  return { ...table, cells };
}

/** A table with its totals and findings. */
function printMap(
  { table, findings, unjudged }: HeatMap,
  metric: HeatMetric,
  width: number,
  terminal: Terminal,
): void {
  const entities = new Set(table.buckets.flatMap(({ entity }) => entity ?? []));
  const named = entities.size === 0 ? '' : `: ${[...entities].join(', ')}`;
  terminal.print(terminal.style.bold(`${table.table}${named}`));
  for (const line of terminalPicture(table, metric, width, terminal.style)) terminal.print(line);
  printFindings(findings, terminal, unjudged);
  terminal.print();
}

function noteUndecoded({ table, buckets }: HeatTable, terminal: Terminal): void {
  const unknown = buckets.filter(({ entity }) => entity === undefined);
  if (unknown.length === 0) return;
  terminal.note(
    `${table}: no entity of the project decodes ${countText(unknown.length, 'range')} of ` +
      `${buckets.length}, the first at ${unknown[0].key}. They are shown as bytes; add the entity ` +
      'that writes them to the config.',
  );
}

function printHotTablets(
  all: ReturnType<typeof readHotTablets>,
  { html, table }: Pick<Values, 'html' | 'table'>,
  models: readonly EntityModel[],
  { terminal }: CommandContext,
): undefined {
  if (html !== undefined) throw new UsageError(faults.htmlOfTablets);
  const tablets = all.filter((each) => table === undefined || each.table === table);
  const findings = hotTabletFindings(tablets, (name) => new KeyNames(name, models));
  terminal.printJson({ tablets: tablets.length, findings });
  terminal.print(`${countText(tablets.length, 'hot tablet')}.`);
  printFindings(findings, terminal);
}

const faults = {
  noFile: { problem: 'name one file, or give --storage' },
  htmlOfStorage: { problem: '--html draws recordings', fix: 'leave out --storage' },
  urlWithoutStorage: { problem: '--url is an option of --storage' },
  unknownTable: (file: string, table: string, list: string) => ({
    problem: `${file} has no table '${table}'; it has ${list}`,
  }),
  htmlOfTablets: { problem: '--html draws recordings, not hot tablets' },
} satisfies FaultTexts;
