/** `rowsmith import`: writes rows from JSON Lines or CSV. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { countText, durationText, isRowsmithError, type FaultTexts } from '../../../base/index.js';
import { type EntityModel, maxAgeOf } from '../../../entities/model/index.js';
import { type Database, open } from '../../../entities/repository/index.js';
import {
  importRows,
  importStateFile,
  type ImportOptions,
  type ImportResult,
} from '../../../tools/transfer/index.js';
import { count, defineCommand, flag, list, text, urlOption, UsageError } from '../../command.js';
import { inputFile, outputFile } from '../../files.js';
import { loadProject } from '../../project/load-project.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import { databaseUrl, noteMissing } from '../database.js';
import { findEntity } from '../entity.js';
import { longRun } from '../long-run.js';
import { chooseFormat, fileOptions } from './files.js';

/** Reasons that are printed, the most frequent first. */
const maxReasons = 10;

const options = {
  format: fileOptions.format,
  gzip: flag('The input is compressed. Default if the file name ends with .gz'),
  delimiter: fileOptions.delimiter,
  map: list(
    'NAME=PROPERTY',
    'CSV: the property of a column with another name. Repeatable',
    undefined,
    columnOf,
  ),
  zone: text(
    'ZONE',
    'Zone of timestamps without one: UTC or an offset such as +02:00. Default: they are rejected',
  ),
  'cell-times': text(
    'PROPERTY',
    'Timestamps of cells without one: this Date segment or column. Default: the time of the ' +
      'import, unless the entity declares another',
  ),
  'max-record': count(
    'N',
    'CSV: characters of a record before its quote counts as not closed. Default: 1048576',
  ),
  rejects: text('FILE', 'File for bad lines. Default: FILE.rejects.jsonl beside the input', 'file'),
  'max-rejects': count('N', 'Stop after more than N bad lines', { min: 0 }),
  resume: flag('Continue a stopped import of this file'),
  'ignore-unknown': flag('Ignore names that are not properties of the entity'),
  'no-validate': flag('Do not check schemas and the rules of class-validator'),
  url: urlOption,
};

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY [FILE] [options]',
  about: `Writes one row for each line of FILE, or of standard input. A line sets the cells it
names; other cells of the row stay. Bad lines go to a separate file, with their numbers and reasons.
docs/guide/import-export.md describes the text form of each type.`,
  arguments: [
    { name: 'ENTITY', kind: 'entity' },
    { name: 'FILE', kind: 'file' },
  ],
  options,
  examples: [
    ['import Order orders.jsonl', 'a row for each line'],
    ['import Order orders.csv --map order=n --max-rejects 100', 'a column with another name'],
  ],
  exits: {
    partial: 'bad lines were written to a file',
    stopped: 'what was written is kept, and --resume continues',
  },
  json: `{ entity: string, file: string, format: 'jsonl' | 'csv', gzip: boolean,
    written: number, rejected: number, expired: number,
    keptLonger?: { property: string, lines: number }, reasons: { reason: string, lines: number }[],
    resumedAfter: number, rejects?: string }`,
  async run({ values, positionals }, context) {
    const { terminal, folder } = context;
    const [name, file = '-'] = positionals;
    const project = await loadProject(context);
    const model = findEntity(project, name, context.usage);
    if (file === '-' && values.resume) throw new UsageError(faults.resumeStandardInput);
    const { format, gzip } = chooseFormat(file, values);
    const path = file === '-' ? undefined : inputFile(folder, file);
    const rejects = rejectsFile(folder, file, values.rejects);
    const columns = values.map.length > 0 ? Object.fromEntries(values.map) : undefined;
    const url = databaseUrl(project, values.url, folder);
    noteMissing(terminal, url, context.name);
    await using db = await open(url, { entities: project.entities, lint: false });
    const { maxRejects: maxRejected, maxRecord: maxRecordLength, ignoreUnknown, resume } = values;
    const { delimiter, zone, cellTimes, noValidate } = values;
    const form = { format, gzip, delimiter, columns, zone, cellTimes, maxRecordLength };
    const how = { rejects, maxRejected, resume, ignoreUnknown, validate: !noValidate };
    const result = await importFrom(db, model, path, { ...form, ...how }, terminal);
    const isPartial = result.rejected > 0;
    const bad = isPartial ? rejects : undefined;
    terminal.printJson({ entity: model.name, file, format, gzip, ...result, rejects: bad });
    noteAges(terminal, model, result);
    if (!isPartial) return undefined;
    noteRejects(terminal, result, rejects);
    return 'partial';
  },
});

/** The name of the column is everything before the last `=`, which no property contains. */
function columnOf(pair: string, flagName: string): readonly [name: string, property: string] {
  const end = pair.lastIndexOf('=');
  if (end > 0 && end < pair.length - 1) return [pair.slice(0, end), pair.slice(end + 1)];
  throw new UsageError(faults.notAMapping(flagName, pair));
}

/** Undefined for standard input without `--rejects`: bad lines are only counted. */
function rejectsFile(folder: string, file: string, rejects: string | undefined) {
  if (rejects !== undefined) return outputFile(folder, rejects);
  if (file === '-') return undefined;
  return `${resolve(folder, file)}.rejects.jsonl`;
}

/** Imports with a progress bar; without a path, from standard input. */
function importFrom(
  db: Database,
  model: EntityModel,
  path: string | undefined,
  options: ImportOptions,
  terminal: Terminal,
): Promise<ImportResult> {
  // A fault of the input itself stays: continuing fails at the same line.
  const advice = (error: unknown) =>
    path !== undefined &&
    existsSync(importStateFile(path)) &&
    !(isRowsmithError(error) && error.code === 'FILE_FAILED')
      ? 'The rows written so far are kept: --resume continues the import.'
      : undefined;
  return longRun(terminal, { name: model.name, advice }, async (bar, signal) => {
    let fromEarlierRuns = 0;
    const onProgress: ImportOptions['onProgress'] = (progress) => {
      fromEarlierRuns = progress.fromEarlierRuns;
      bar.update(progress.written, { fraction: progress.fraction, fromEarlierRuns });
    };
    const all = { ...options, signal, onProgress };
    const result = await importRows(db.engine, model, path ?? process.stdin, all);
    bar.done(result.written, fromEarlierRuns);
    return result;
  });
}

/** Rows that are older than their families keep them. */
function noteAges(terminal: Terminal, model: EntityModel, result: ImportResult): void {
  const { expired, keptLonger } = result;
  const ages = new Set([...model.table.families.values()].map(({ gc }) => maxAgeOf(gc)));
  ages.delete(Infinity);
  const kept = [...ages].map((age) => durationText(age / 1000)).join(' or ');
  if (expired > 0) {
    terminal.note(
      `${countText(expired, 'line')} written with cells older than the maxAge of their families ` +
        `(${kept}): no read finds these cells`,
    );
  }
  if (keptLonger === undefined) return;
  const { property, lines } = keptLonger;
  terminal.note(
    `${countText(lines, 'line')} with '${property}' older than the maxAge of their families ` +
      `(${kept}), which counts from this import: delete these rows and import them again with ` +
      `--cell-times ${property}, to count from '${property}'`,
  );
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

const faults = {
  resumeStandardInput: { problem: '--resume needs a file: standard input cannot be read again' },
  notAMapping: (flagName: string, pair: string) => ({
    problem: `${flagName} takes NAME=PROPERTY, not '${pair}'`,
  }),
} satisfies FaultTexts;
