/**
 * What import, export and migrate share: the entity and database they work on, formats, and runs
 * that a signal stops and `--resume` continues.
 */
import { type ErrorCode, isRowsmithError, suggestionText } from '../../base/index.js';
import { existsSync } from 'node:fs';
import { absoluteUrl } from '../../engines/index.js';
import type { EntityModel } from '../../entities/model/index.js';

import { open, type Database } from '../../entities/repository/index.js';
import { formatOfName, type RowFormat } from '../../tools/transfer/index.js';
import { StoppedError, UsageError } from '../command.js';
import type { Project } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { checkStored } from './open-stored.js';

/** A name of an entity: classes have names without dots and slashes, unlike files. */
const className = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/**
 * The model of the entity that the first argument of import or export names. Throws UsageError,
 * which lists the entities.
 */
export function findModel(
  { models }: Project,
  command: 'import' | 'export',
  name: string | undefined,
): EntityModel {
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return found;
  const names = models.map((model) => model.name);
  if (name === undefined)
    throw new UsageError(
      `no entity was named: rowsmith ${command} ENTITY [FILE]; ` +
        `the entities are ${names.join(', ')}`,
    );
  if (!className.test(name))
    throw new UsageError(
      `'${name}' is not an entity; name one before the file: rowsmith ${command} ENTITY ${name}; ` +
        `the entities are ${names.join(', ')}`,
    );
  throw new UsageError(
    `the project has no entity '${name}'; ${suggestionText(name, names, 'the entities are')}`,
  );
}

/**
 * Opens the database of `--url` or the config. With `stored` it must exist already: a misspelt
 * directory is an error and does not become a new, empty database. With `readOnly` another process
 * may have it open.
 */
export async function openDatabase(
  project: Project,
  url: string | undefined,
  folder: string,
  { stored = false, readOnly = false } = {},
): Promise<Database> {
  const target = databaseUrl(project, url, folder);
  if (stored) checkStored(target);
  return open(target, { entities: project.entities, readOnly, lint: false });
}

/** The url of `--url` or the config; a `file:` url is absolute. */
export function databaseUrl(
  project: Pick<Project, 'url'>,
  url: string | undefined,
  folder: string,
): string {
  if (url !== undefined) return absoluteUrl(url, folder);
  if (project.url !== undefined) return project.url;
  throw new UsageError('no database is named: give --url URL, or set url in the config');
}

/**
 * The format and compression that options give, or else the name of the file. `streamFormat` is the
 * default for standard input or output, `-`.
 */
export function chooseFormat(
  file: string,
  options: { readonly format?: string; readonly gzip?: boolean },
  streamFormat?: RowFormat,
): { readonly format: RowFormat; readonly gzip: boolean } {
  const named = formatOfName(file);
  const format = checkFormat(options.format) ?? named.format;
  const gzip = options.gzip ?? named.gzip;
  if (format !== undefined) return { format, gzip };
  if (file !== '-')
    throw new UsageError(`the format of ${file} is unknown: add --format jsonl or --format csv`);
  if (streamFormat === undefined)
    throw new UsageError(
      'the format of standard input is unknown: add --format jsonl or --format csv',
    );
  return { format: streamFormat, gzip };
}

function checkFormat(format: string | undefined): RowFormat | undefined {
  if (format === undefined || format === 'jsonl' || format === 'csv') return format;
  throw new UsageError(`--format takes jsonl or csv, not '${format}'`);
}

/** The value of `--delimiter`: a shell does not pass a tab easily. */
export function readDelimiter(text: string | undefined): string | undefined {
  if (text === 'tab' || text === '\\t') return '\t';
  if (text === undefined || text.length === 1) return text;
  throw new UsageError(`--delimiter takes one character or the word tab, not '${text}'`);
}

/** How to report that a run can be resumed. */
export interface Resumable {
  readonly terminal: Terminal;
  /** The file that keeps the position of the run; undefined if none does. */
  readonly state: string | undefined;
  /** How to resume, in a sentence. */
  readonly advice: string;
  /** Errors with this code cannot be resumed from: the input itself is at fault. */
  readonly unless?: ErrorCode;
}

/**
 * Runs with a signal that Ctrl-C and SIGTERM abort; a second one ends the process at once. Prints
 * the advice if the run fails and its state was kept.
 */
export async function resumable<T>(
  { terminal, state, advice, unless }: Resumable,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void =>
    controller.abort(new StoppedError(signal as StoppedError['signal']));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await run(controller.signal);
  } catch (error) {
    const final = unless !== undefined && isRowsmithError(error) && error.code === unless;
    if (state !== undefined && existsSync(state) && !final) terminal.note(advice);
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** A whole number of at least 1 from the command line. */
export function readCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--${option} takes a whole number above 0, not '${text}'`);
}
