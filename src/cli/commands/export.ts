/** `rowsmith export`: writes the rows of an entity as JSON Lines or CSV. */
import { countText } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type { Database } from '../../entities/repository/index.js';
import {
  exportRows,
  exportStateFile,
  type ExportableQuery,
  type ExportOptions,
  type ExportResult,
} from '../../tools/transfer/index.js';
import { defineCommand, exit, flag, list, text, UsageError } from '../command.js';
import { outputFile } from '../files.js';
import { loadProject } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { exportQuery } from './export-query.js';
import { chooseFormat, findModel, openDatabase, readDelimiter, resumable } from './row-command.js';

const options = {
  format: text('FORMAT', 'jsonl or csv. Default: by the file name (.jsonl, .ndjson, .csv)', [
    'jsonl',
    'csv',
  ]),
  gzip: flag('Compress. Default if the file name ends with .gz'),
  delimiter: text('CHAR', 'CSV: the character between fields, or the word tab. Default: a comma'),
  plain: flag('Values only, without timestamps and older versions, for other programs'),
  'guard-formulas': flag(
    'CSV: an apostrophe before fields that begin with = + - @, a tab or a ' +
      'carriage return, which spreadsheets evaluate. An import does not remove it',
  ),
  prefix: list(
    'SEG=VAL',
    'Only rows with these values in their first segments; once for each segment',
    'segment',
  ),
  where: list(
    'CONDITION',
    'Only rows that meet it: NAME=VALUE, or with != > >= < <= or ^= (starts ' +
      'with); NAME: has a value; !NAME: has none. Several must all hold, except ' +
      'that several values of one NAME= are alternatives. All rows of the prefix ' +
      'are read',
    'condition',
  ),
  limit: text('ROWS', 'At most so many rows'),
  resume: flag('Continue a stopped export to this file; the options must be the same'),
  url: text('URL', 'The database. Default: url of the config'),
};

/** The command. */
export const exportCommand = defineCommand({
  usage: 'ENTITY [FILE] [options]',
  about: `Writes every row of the entity as one line, with keys and columns by name, or the rows
that a query finds. Without FILE, or with -, it writes to standard output; on a terminal, control
characters in the data are escaped. FILE appears only when it is complete; until then the position
of the export is kept beside it. Importing the file restores the rows with timestamps and older
versions. docs/guide/import-export.md describes the text form of each type.`,
  arguments: [
    { name: 'ENTITY', kind: 'entity' },
    { name: 'FILE', kind: 'file' },
  ],
  options,
  async run({ values, positionals }, { terminal, folder, config }) {
    const [name, file = '-'] = positionals;
    const project = await loadProject({ folder, config });
    const model = findModel(project, 'export', name);
    if (file === '-') checkStandardOutput(terminal, values.resume);
    const form = chooseFormat(file, values, 'jsonl');
    if (values['guard-formulas'] === true && form.format !== 'csv')
      throw new UsageError('--guard-formulas needs --format csv');
    const path = file === '-' ? undefined : outputFile(folder, file);
    await using db = await openDatabase(project, values.url, folder, {
      stored: true,
      readOnly: true,
    });
    const { plain, resume, 'guard-formulas': guardFormulas } = values;
    const delimiter = readDelimiter(values.delimiter);
    const options = { ...form, delimiter, plain, guardFormulas, resume };
    const query = exportQuery(db, model, values);
    const result = await exportTo({ db, model, query }, path, options, terminal);
    if (result.undeclaredCells > 0)
      terminal.note(
        `${countText(result.undeclaredCells, 'cell')} not declared by ${model.name} ` +
          'were not exported.',
      );
    terminal.printJson({ entity: model.name, file, ...form, ...result });
    return exit.ok;
  },
});

function checkStandardOutput(terminal: Terminal, resume: boolean | undefined): void {
  if (resume === true)
    throw new UsageError('--resume needs a file: how much of standard output arrived is not known');
  if (terminal.json)
    throw new UsageError('--json and rows on standard output exclude each other: name a file');
}

/** The rows to export: the rows of the query, or all. */
interface Exported {
  readonly db: Database;
  readonly model: EntityModel;
  readonly query: ExportableQuery | undefined;
}

/** Exports with a progress bar; without a path, to standard output. */
async function exportTo(
  { db, model, query }: Exported,
  path: string | undefined,
  options: ExportOptions,
  terminal: Terminal,
): Promise<ExportResult> {
  const bar = terminal.progress(model.name);
  const advice = 'The rows written so far are kept: --resume continues the export.';
  const screen = terminal.dataOutput(options.format);
  if (path === undefined && screen !== undefined && options.gzip === true)
    throw new UsageError('compressed rows cannot be shown on a terminal: name a file');
  const state = path === undefined ? undefined : exportStateFile(path);
  const to = path ?? screen ?? process.stdout;
  const write = (all: ExportOptions): Promise<ExportResult> =>
    query === undefined ? exportRows(db.engine, model, to, all) : exportRows(query, to, all);
  try {
    const result = await resumable({ terminal, state, advice }, (signal) =>
      write({
        ...options,
        signal,
        onProgress: (progress) =>
          bar.update(progress.rows, {
            fraction: progress.fraction,
            fromEarlierRuns: progress.fromEarlierRuns,
            estimated: true,
          }),
      }),
    );
    bar.done(result.rows, result.resumedAfter);
    return result;
  } catch (error) {
    bar.clear();
    throw error;
  }
}
