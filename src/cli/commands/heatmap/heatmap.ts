/** `rowsmith heatmap`: where tables are read and written over time, and what to change. */
import { bytesText, countText, isRowsmithError } from '../../../base/index.js';
import {
  heatFindings,
  heatGrid,
  type HeatFinding,
  heatLimits,
  type HeatMetric,
  heatMetrics,
  hotTabletFindings,
  KeyNames,
  readRecordingBytes,
  storageSections,
  type StorageSection,
  type TableAccess,
  tabletSkew,
} from '../../../tools/heat/index.js';
import { type EntityModel, storedModels } from '../../../entities/model/index.js';
import { type CommandInput, defineCommand, exit, flag, text, UsageError } from '../../command.js';
import { inputFile, outputFile, readInput, writeOutput } from '../../files.js';
import { loadProject, type Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openStored, storedTables } from '../open-stored.js';
import { databaseUrl, readCount } from '../row-command.js';
import { heatPage } from './heat-page.js';
import { heatTable, type HeatTable } from './heat-table.js';
import { readHotTablets } from './hot-tablets.js';
import { terminalPicture } from './terminal-picture.js';

const options = {
  storage: flag('The sizes of the sections of stored tables, from samples of their keys'),
  url: text('URL', 'The database of --storage. Default: url of the config'),
  table: text('NAME', 'Only this table', 'table'),
  metric: text(
    'METRIC',
    'What is drawn: operations (default), reads, writes or bytes',
    heatMetrics,
  ),
  nodes: text(
    'N',
    'Nodes of the cluster, to which places of sequential writes are compared. Default: 3',
  ),
  width: text(
    'N',
    'Width of the printed picture in columns. Default: the width of the terminal, or 100',
  ),
  html: text(
    'FILE',
    'Also write the heat map as a page for browsers: one file, no requests',
    'file',
  ),
};

/** The command. */
export const heatmap = defineCommand({
  usage: '(FILE | --storage) [options]',
  about: `Prints where the rows of tables are read and written over time, and what to change about
their keys. FILE is a recording of accesses (recordAccess, rowsmith serve --record), which may still
be written, or the output of: gcloud bigtable hot-tablets list CLUSTER --instance=I --format=json.
Keys are decoded by the entities of the project; without a config they are printed as bytes.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  closing: 'Exit code 4: the recording is cut off or damaged, and was read up to there.',
  async run(input, { terminal, folder, config }) {
    const call = readCall(input, terminal);
    const project = await projectOf(folder, config, terminal);
    const models = storedModels(project?.models ?? []);
    if (call.storage) return new StorageReport(call, models, terminal).run(project, folder);
    const path = inputFile(folder, call.file!);
    // Before anything is printed.
    if (call.html !== undefined) outputFile(folder, call.html);
    const bytes = await readInput(path);
    // JSON begins with a bracket; no recording does.
    if (/^\s*[[{]/.test(bytes.subarray(0, 100).toString('latin1')))
      return printHotTablets(readHotTablets(bytes.toString(), path), call, models, terminal);
    return printRecording(bytes, call, models, terminal, folder);
  },
});

interface Call {
  readonly file: string | undefined;
  readonly storage: boolean;
  readonly url: string | undefined;
  readonly table: string | undefined;
  readonly metric: HeatMetric;
  readonly nodes: number | undefined;
  readonly width: number;
  readonly html: string | undefined;
}

function readCall({ values, positionals }: CommandInput<typeof options>, terminal: Terminal): Call {
  const { storage = false, url, table, metric = 'operations', html } = values;
  const file = positionals.at(0);
  if ((file === undefined) !== storage) throw new UsageError('name one file, or give --storage');
  if (!heatMetrics.includes(metric as HeatMetric))
    throw new UsageError(`--metric takes ${heatMetrics.join(', ')}, not '${metric}'`);
  if (storage && html !== undefined)
    throw new UsageError('--html draws recordings: leave out --storage');
  if (!storage && url !== undefined) throw new UsageError('--url is an option of --storage');
  if (html === '') throw new UsageError('--html needs a file');
  const nodes = readCount('nodes', values.nodes);
  const width = readCount('width', values.width) ?? (terminal.isForPeople ? terminal.width : 100);
  return { file, storage, url, table, metric: metric as HeatMetric, nodes, width, html };
}

/** The project, if there is a config: keys can be shown without one, too. */
async function projectOf(
  folder: string,
  config: string | undefined,
  terminal: Terminal,
): Promise<Project | undefined> {
  try {
    return await loadProject({ folder, config });
  } catch (error) {
    const isMissing =
      isRowsmithError(error) &&
      error.code === 'INVALID_CONFIG' &&
      error.details.directory !== undefined;
    if (!isMissing || config !== undefined) throw error;
    terminal.note('No config was found, so keys are not decoded; --config FILE names one.');
    return undefined;
  }
}

async function printRecording(
  bytes: Uint8Array,
  { file, table, metric, nodes, width, html }: Call,
  models: readonly EntityModel[],
  terminal: Terminal,
  folder: string,
): Promise<number> {
  const { log, warning } = readRecordingBytes(bytes, file!);
  if (warning !== undefined) terminal.note(`Warning: ${warning}`);
  const chosen = log.tables.filter((each) => table === undefined || each.table === table);
  if (chosen.length === 0) {
    const names = log.tables.map((each) => each.table);
    if (table !== undefined && names.length > 0)
      throw new UsageError(`${file} has no table '${table}'; it has ${names.join(', ')}`);
    if (warning === undefined)
      terminal.note('Nothing was recorded yet: a window is written when it ends, after a minute.');
  }
  const findings = heatFindings({ ...log, tables: chosen }, { models, nodes });
  const tables = chosen.flatMap((access) => {
    const grid = heatGrid(access, log.windowMs);
    const names = new KeyNames(access.table, models);
    return grid === undefined ? [] : [heatTable(grid, names)];
  });
  terminal.printJson({ source: file, tables: tables.map(sparseTable), findings });
  for (const each of tables) printTable(each, metric, width, terminal);
  const unjudged = unjudgedText(chosen);
  printFindings(findings, terminal, unjudged);
  if (models.length > 0) for (const each of tables) noteUndecoded(each, terminal);
  if (html !== undefined) {
    const page = {
      title: `Heat map of ${file}`,
      source: sourceText(file!, tables),
      tables,
      findings,
      unjudged,
    };
    await writeOutput(outputFile(folder, html), heatPage(page));
    terminal.note(`Written: ${html}`);
  }
  return warning === undefined ? exit.ok : exit.partial;
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

function printTable(table: HeatTable, metric: HeatMetric, width: number, terminal: Terminal): void {
  const entities = new Set(table.buckets.flatMap(({ entity }) => entity ?? []));
  const named = entities.size === 0 ? '' : `: ${[...entities].join(', ')}`;
  terminal.print(terminal.style.bold(`${table.table}${named}`));
  for (const line of terminalPicture(table, metric, width, terminal.style)) terminal.print(line);
  terminal.print();
}

/** Says that too little was recorded to judge; undefined if there is enough. */
function unjudgedText(tables: readonly TableAccess[]): string | undefined {
  const { minSamples } = heatLimits;
  const windows = tables.flatMap((table) => table.windows);
  if (windows.some(({ samples }) => samples.length >= minSamples)) return undefined;
  return `Too little to judge: no window has ${minSamples} recorded operations on a table.`;
}

function printFindings(
  findings: readonly HeatFinding[],
  terminal: Terminal,
  unjudged?: string,
): void {
  const { style } = terminal;
  for (const { level, table, entity, segment, problem, fix } of findings) {
    const subject = [entity ?? table, segment].filter((part) => part !== undefined).join('.');
    const styled = level === 'error' ? style.bad(level) : style.bold(level);
    terminal.print(`${styled}  ${subject}: ${problem}`);
    terminal.print(`    ${style.good('change:')} ${fix}`);
  }
  if (unjudged !== undefined) terminal.print(unjudged);
  else if (findings.length === 0) terminal.print('No findings.');
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
  { html, table }: Pick<Call, 'html' | 'table'>,
  models: readonly EntityModel[],
  terminal: Terminal,
): number {
  if (html !== undefined) throw new UsageError('--html draws recordings, not hot tablets');
  const tablets = all.filter((each) => table === undefined || each.table === table);
  const findings = hotTabletFindings(tablets, (table) => new KeyNames(table, models));
  terminal.printJson({ tablets: tablets.length, findings });
  terminal.print(`${countText(tablets.length, 'hot tablet')}.`);
  printFindings(findings, terminal);
  return exit.ok;
}

/** `--storage`. */
class StorageReport {
  readonly #call: Call;
  readonly #models: readonly EntityModel[];
  readonly #terminal: Terminal;

  constructor(call: Call, models: readonly EntityModel[], terminal: Terminal) {
    this.#call = call;
    this.#models = models;
    this.#terminal = terminal;
  }

  async run(project: Project | undefined, folder: string): Promise<number> {
    const url = databaseUrl({ url: project?.url }, this.#call.url, folder);
    const engine = await openStored(url);
    try {
      const tables = this.#chosen(await storedTables(engine, url));
      const reports = [];
      for (const table of tables)
        reports.push({ table, sections: storageSections(await engine.sampleRowKeys(table)) });
      const findings = reports.flatMap(({ table, sections }) =>
        tabletSkew(table, sections, new KeyNames(table, this.#models)),
      );
      this.#print(reports, findings);
      return exit.ok;
    } finally {
      await engine.close();
    }
  }

  #chosen(stored: readonly string[]): readonly string[] {
    const { table } = this.#call;
    if (table !== undefined) {
      if (stored.includes(table)) return [table];
      throw new UsageError(`there is no table '${table}'; the tables are ${stored.join(', ')}`);
    }
    const declared = new Set(this.#models.map((model) => model.table.name));
    return declared.size === 0 ? stored : stored.filter((name) => declared.has(name));
  }

  #print(
    reports: readonly { readonly table: string; readonly sections: readonly StorageSection[] }[],
    findings: readonly HeatFinding[],
  ): void {
    const terminal = this.#terminal;
    terminal.printJson({
      tables: reports.map(({ table, sections }) => {
        const names = new KeyNames(table, this.#models);
        return {
          table,
          sections: sections.map(({ end, bytes }) => ({ end: names.text(end), bytes })),
        };
      }),
      findings,
    });
    for (const { table, sections } of reports) {
      terminal.print(terminal.style.bold(`${table}: ${countText(sections.length, 'section')}`));
      const names = new KeyNames(table, this.#models);
      const greatest = sections.reduce((most, { bytes }) => Math.max(most, bytes), 1);
      for (const { end, bytes } of sections.slice(0, 40)) {
        const bar = '█'.repeat(Math.max(1, Math.round((bytes / greatest) * 30)));
        const to = end.length === 0 ? 'the end' : names.text(end);
        terminal.print(
          `${terminal.style.shade(bar.padEnd(30), bytes / greatest)}  ${bytesText(bytes)} to ${to}`,
        );
      }
      if (sections.length > 40) terminal.print(`and ${sections.length - 40} more`);
    }
    printFindings(findings, terminal);
  }
}
