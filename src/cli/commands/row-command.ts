/**
 * What import, export and migrate share: the database of the project, the entity that is named,
 * formats, being stopped.
 */
import { absoluteUrl } from '../../engines/index.js';
import { nearestName } from '../../base/index.js';
/**
 * What import, export and migrate share: the database of the project, the entity that is named,
 * formats, being stopped.
 */
import { existsSync } from 'node:fs';
import type { ErrorCode } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import { isRowsmithError } from '../../protocol/index.js';
import { open, type Database } from '../../repository/index.js';
import { formatOfName, type RowFormat } from '../../transfer/index.js';
import { checkStored } from './open-stored.js';
import { type Project } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { Stopped, UsageError } from '../command.js';

/** The model of a named entity. */
export function modelNamed({ models }: Project, name: string | undefined): EntityModel {
  const names = models.map((model) => model.name);
  const found = models.find((model) => model.name === name);
  if (found !== undefined) return found;
  if (name === undefined) throw new UsageError(`name the entity: ${names.join(', ')}`);
  const near = nearestName(name, names);
  throw new UsageError(
    `the project has no entity '${name}'; ${near === undefined ? `it has ${names.join(', ')}` : `did you mean '${near}'?`}`,
  );
}

/**
 * Opens the database that --url or the config names. With `stored` the rows must be there already:
 * a misspelt directory is an error, and not a new, empty database.
 */
export async function openDatabase(
  project: Project,
  url: string | undefined,
  folder: string,
  { stored = false } = {},
): Promise<Database> {
  const named = url === undefined ? project.url : absoluteUrl(url, folder);
  if (named === undefined)
    throw new UsageError('say where the rows are: --url URL, or url in the config');
  if (stored) checkStored(named);
  return open(named, { entities: project.entities });
}

/** The format that --format says, or the name of the file. */
export function formatOf(
  file: string,
  format: string | undefined,
  gzip: boolean | undefined,
): { readonly format: RowFormat; readonly gzip: boolean } {
  const named = formatOfName(file);
  if (format !== undefined && format !== 'jsonl' && format !== 'csv')
    throw new UsageError(`--format takes jsonl or csv, not '${format}'`);
  const found = format ?? named.format;
  if (found === undefined)
    throw new UsageError(
      file === '-'
        ? 'say the format: --format jsonl or --format csv'
        : `the name of ${file} does not say the format: --format jsonl or --format csv`,
    );
  return { format: found, gzip: gzip ?? named.gzip };
}

/** How a run that can be gone on with is told. */
export interface Resumable {
  readonly terminal: Terminal;
  /** The file that keeps how far it is; undefined where nothing is kept. */
  readonly state: string | undefined;
  /** What to do to go on, in a sentence. */
  readonly advice: string;
  /** The failure by which nobody goes on: the input itself is at fault. */
  readonly unless?: ErrorCode;
}

/**
 * Runs with a signal that Ctrl-C and SIGTERM abort; a second one ends the process at once. Where it
 * fails and has kept its state, that is said.
 */
export async function resumable<T>(
  { terminal, state, advice, unless }: Resumable,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void =>
    controller.abort(new Stopped(signal as Stopped['signal']));
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

/** A whole number above 0 from the command line. */
export function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--${option} takes a whole number above 0, not '${text}'`);
}
