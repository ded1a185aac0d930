/** `rowsmith export`: writes the rows of an entity as JSON Lines or CSV. */
import { existsSync } from 'node:fs';
import { countText, type FaultTexts } from '../../../base/index.js';
import {
  exportRows,
  exportStateFile,
  type ExportOptions,
  type ExportResult,
} from '../../../tools/transfer/index.js';
import {
  type CommandContext,
  defineCommand,
  flag,
  list,
  type OptionValues,
  count,
  urlOption,
  UsageError,
} from '../../command.js';
import { outputFile } from '../../files.js';
import { loadProject } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { databaseUrl, openDatabase } from '../database.js';
import { findEntity } from '../entity.js';
import { longRun } from '../long-run.js';
import { LeftOutRows, leftOutShape, noteLeftOut } from '../rows/undecodable/left-out.js';
import { exportQuery } from './export-query.js';
import { chooseFormat, fileOptions } from './files.js';

const options = {
  format: fileOptions.format,
  gzip: flag('Compress. Default if the file name ends with .gz'),
  delimiter: fileOptions.delimiter,
  plain: flag('Values only, without timestamps and older versions'),
  'guard-formulas': flag(
    'CSV: an apostrophe, which an import keeps, before fields that spreadsheets evaluate',
  ),
  prefix: list('SEG=VAL', 'Only rows with this value of a leading segment; repeatable', 'segment'),
  where: list(
    'CONDITION',
    'Only rows that meet it: NAME=VALUE, or != > >= < <= or ^= (starts with); NAME: has a value; ' +
      '!NAME: has none. Repeatable: all must hold, of several NAME= one',
    'condition',
  ),
  limit: count('ROWS', 'At most so many'),
  resume: flag('Continue a stopped export with the same options'),
  url: urlOption,
};

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY [FILE] [options]',
  about: `Writes the rows of the entity, or those that a query finds, as lines with keys and columns
by name, to FILE or standard output. On a terminal, control characters are escaped. FILE appears
when it is complete. Importing it restores the rows with timestamps and older versions.
docs/guide/import-export.md describes the text form of each type.`,
  arguments: [
    { name: 'ENTITY', kind: 'entity' },
    { name: 'FILE', kind: 'file' },
  ],
  options,
  examples: [
    ['export Order orders.jsonl.gz', 'all rows, compressed'],
    ['export Order open.csv --where status=open --plain', 'some rows, for a spreadsheet'],
    ['export Order --prefix shop=oslo', 'the rows of a prefix, to standard output'],
  ],
  exits: { stopped: 'what was written is kept, and --resume continues' },
  json: `{ entity: string, file: string, format: 'jsonl' | 'csv', gzip: boolean, rows: number,
    undeclaredCells: number, resumedAfter: number, undecodable?: ${leftOutShape} }`,
  async run({ values, positionals }, context) {
    const { terminal, folder } = context;
    const [name, file = '-'] = positionals;
    const project = await loadProject(context);
    const model = findEntity(project, name, context.usage);
    const { form, path } = target(file, values, context);
    const url = databaseUrl(project, values.url, folder);
    await using db = await openDatabase(project, url, { readOnly: true });
    const query = exportQuery(db, model, values);
    const { delimiter, plain, guardFormulas, resume } = values;
    const options = { ...form, delimiter, plain, guardFormulas, resume };
    const to = path ?? terminal.dataOutput(form.format) ?? process.stdout;
    const result = await exportTo(terminal, model.name, path, (hooks) =>
      query === undefined
        ? exportRows(db.engine, model, to, { ...options, ...hooks })
        : exportRows(query, to, { ...options, ...hooks }),
    );
    if (result.undeclaredCells > 0)
      terminal.note(
        `${countText(result.undeclaredCells, 'cell')} not declared by ${model.name} ` +
          'were not exported.',
      );
    const undecodable = await new LeftOutRows(project).find(db.engine, { model });
    noteLeftOut(terminal, undecodable, model);
    terminal.printJson({ entity: model.name, file, ...form, ...result, undecodable });
  },
});

/** The form of the output, and the file; undefined for standard output. Throws UsageError. */
function target(
  file: string,
  values: OptionValues<typeof options>,
  { terminal, folder }: CommandContext,
) {
  if (file === '-' && values.resume) throw new UsageError(faults.resumeStandardOutput);
  if (file === '-' && terminal.json) throw new UsageError(faults.jsonWithRows);
  const form = chooseFormat(file, values, 'jsonl');
  if (values.guardFormulas && form.format !== 'csv') throw new UsageError(faults.guardWithoutCsv);
  if (file !== '-') return { form, path: outputFile(folder, file) };
  if (form.gzip && terminal.dataOutput(form.format) !== undefined)
    throw new UsageError(faults.compressedToTerminal);
  return { form, path: undefined };
}

type Hooks = Pick<ExportOptions, 'signal' | 'onProgress'>;

/** Exports with a bar; without a path, to standard output. */
function exportTo(
  terminal: Terminal,
  name: string,
  path: string | undefined,
  write: (hooks: Hooks) => Promise<ExportResult>,
): Promise<ExportResult> {
  const advice = () =>
    path !== undefined && existsSync(exportStateFile(path))
      ? 'The rows written so far are kept: --resume continues the export.'
      : undefined;
  return longRun(terminal, { name, advice }, async (bar, signal) => {
    const onProgress: Hooks['onProgress'] = ({ rows, fraction, fromEarlierRuns }) =>
      bar.update(rows, { fraction, fromEarlierRuns, estimated: true });
    const result = await write({ signal, onProgress });
    bar.done(result.rows, result.resumedAfter);
    return result;
  });
}

const faults = {
  resumeStandardOutput: {
    problem: '--resume needs a file: how much of standard output arrived is not known',
  },
  jsonWithRows: {
    problem: '--json and rows on standard output exclude each other',
    fix: 'name a file',
  },
  guardWithoutCsv: { problem: '--guard-formulas needs --format csv' },
  compressedToTerminal: {
    problem: 'compressed rows cannot be shown on a terminal',
    fix: 'name a file',
  },
} satisfies FaultTexts;
