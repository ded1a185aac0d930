/** `rowsmith import`: writes rows from JSON Lines or CSV. */
import { resolve } from 'node:path';
import { countText } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type { Database } from '../../entities/repository/index.js';
import {
  importRows,
  importStateFile,
  type ImportOptions,
  type ImportResult,
} from '../../tools/transfer/index.js';
import {
  defineCommand,
  exit,
  flag,
  list,
  text,
  UsageError,
  type OptionValues,
} from '../command.js';
import { inputFile, outputFile } from '../files.js';
import { loadProject } from '../project/load-project.js';
import { shortPath } from '../terminal/error-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { noteMissing } from './open-stored.js';
import {
  chooseFormat,
  databaseUrl,
  findModel,
  openDatabase,
  readCount,
  readDelimiter,
  resumable,
} from './row-command.js';

/** Reasons that are printed, the most frequent first. */
const maxReasons = 10;

const options = {
  format: text('FORMAT', 'jsonl or csv. Default: by the file name (.jsonl, .ndjson, .csv)', [
    'jsonl',
    'csv',
  ]),
  gzip: flag('The input is compressed. Default if the file name ends with .gz'),
  delimiter: text('CHAR', 'CSV: the character between fields, or the word tab. Default: a comma'),
  map: list(
    'NAME=PROPERTY',
    'CSV: the property of a column that has another name in the file. Repeatable',
  ),
  zone: text(
    'ZONE',
    'Zone of timestamps without one (2026-11-20 09:30:00): UTC or an offset ' +
      'such as +02:00. Default: they are rejected',
  ),
  'max-record': text(
    'N',
    'CSV: longest record over several lines, in characters, before its quote ' +
      'counts as not closed. Default: 1048576',
  ),
  rejects: text('FILE', 'File for bad lines. Default: FILE.rejects.jsonl beside the input', 'file'),
  'max-rejects': text('N', 'Stop after more than N bad lines'),
  resume: flag('Continue a stopped import of this file'),
  'ignore-unknown': flag('Ignore names that are not properties of the entity'),
  'no-validate': flag('Do not check the rules of class-validator'),
  url: text('URL', 'The database. Default: url of the config'),
};

/** The command. */
export const importCommand = defineCommand({
  usage: 'ENTITY [FILE] [options]',
  about: `Writes one row for each line. Without FILE, or with -, it reads standard input. A line
sets the cells it names; the other cells of the row stay unchanged. Bad lines are written to a
separate file with their numbers and reasons, the other lines are imported, and the exit code is 4.
docs/guide/import-export.md describes the text form of each type.`,
  arguments: [
    { name: 'ENTITY', kind: 'entity' },
    { name: 'FILE', kind: 'file' },
  ],
  options,
  async run({ values, positionals }, { terminal, folder, config }) {
    const [name, file = '-'] = positionals;
    const project = await loadProject({ folder, config });
    const model = findModel(project, 'import', name);
    if (file === '-' && values.resume === true)
      throw new UsageError('--resume needs a file: standard input cannot be read again');
    const maxRejected = readMaxRejected(values['max-rejects']);
    const csv = csvOptions(values);
    const form = chooseFormat(file, values);
    const path = file === '-' ? undefined : inputFile(folder, file);
    const rejects = rejectsFile(folder, file, values.rejects);
    noteMissing(terminal, databaseUrl(project, values.url, folder), 'import');
    await using db = await openDatabase(project, values.url, folder);
    const options: ImportOptions = {
      ...form,
      rejects,
      maxRejected,
      ...csv,
      zone: values.zone,
      resume: values.resume,
      ignoreUnknown: values['ignore-unknown'],
      validate: values['no-validate'] !== true,
    };
    const result = await importFrom(db, model, path, options, terminal);
    const partial = result.rejected > 0;
    terminal.printJson({
      entity: model.name,
      file,
      ...form,
      ...result,
      rejects: partial ? rejects : undefined,
    });
    if (!partial) return exit.ok;
    noteRejects(terminal, result, rejects);
    return exit.partial;
  },
});

function csvOptions(
  values: OptionValues<typeof options>,
): Pick<ImportOptions, 'delimiter' | 'columns' | 'maxRecordLength'> {
  return {
    delimiter: readDelimiter(values.delimiter),
    columns: readColumns(values.map),
    maxRecordLength: readCount('max-record', values['max-record']),
  };
}

/** The name of the column is everything before the last `=`, which no property contains. */
function readColumns(pairs: readonly string[] | undefined): ImportOptions['columns'] {
  if (pairs === undefined) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.lastIndexOf('=');
      if (end > 0 && end < pair.length - 1) return [pair.slice(0, end), pair.slice(end + 1)];
      throw new UsageError(`--map takes NAME=PROPERTY, not '${pair}'`);
    }),
  );
}

function readMaxRejected(text: string | undefined): number | undefined {
  if (text === '0') return 0;
  return readCount('max-rejects', text);
}

/** Undefined for standard input without `--rejects`: bad lines are only counted. */
function rejectsFile(folder: string, file: string, rejects: string | undefined) {
  if (rejects !== undefined) return outputFile(folder, rejects);
  if (file === '-') return undefined;
  return `${resolve(folder, file)}.rejects.jsonl`;
}

/** Imports with a progress bar; without a path, from standard input. */
async function importFrom(
  db: Database,
  model: EntityModel,
  path: string | undefined,
  options: ImportOptions,
  terminal: Terminal,
): Promise<ImportResult> {
  const bar = terminal.progress(model.name);
  const state = path === undefined ? undefined : importStateFile(path);
  const advice = 'The rows written so far are kept: --resume continues the import.';
  let fromEarlierRuns = 0;
  try {
    const result = await resumable({ terminal, state, advice, unless: 'FILE_FAILED' }, (signal) =>
      importRows(db.engine, model, path ?? process.stdin, {
        ...options,
        signal,
        onProgress: (progress) => {
          fromEarlierRuns = progress.fromEarlierRuns;
          bar.update(progress.written, { fraction: progress.fraction, fromEarlierRuns });
        },
      }),
    );
    bar.done(result.written, fromEarlierRuns);
    return result;
  } catch (error) {
    bar.clear();
    throw error;
  }
}

function noteRejects(
  terminal: Terminal,
  { rejected, reasons }: ImportResult,
  file: string | undefined,
): void {
  const where = file === undefined ? '' : ` written to ${shortPath(file)}`;
  terminal.note(`${countText(rejected, 'bad line')}${where}:`);
  for (const { reason, lines } of reasons.slice(0, maxReasons))
    terminal.note(`  ${lines} x ${reason}`);
}
