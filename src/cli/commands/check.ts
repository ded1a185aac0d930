/** `rowsmith check`: the entities against the lock of what was released. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  assignedNumber,
  fieldNumbers,
  type FieldNumbers,
  unnumberedMessages,
} from '../../model/index.js';
import {
  assignNumbers,
  checkEvolution,
  emptyLock,
  type EvolutionChange,
  type Lock,
  lockText,
  nextLock,
  numbersModule,
  parseLock,
} from '../../schema/index.js';
import { fileFailed, replaceFile } from '../../transfer/index.js';
import { shortPath } from '../terminal/error-text.js';
import { loadProject, type Project } from '../project/load-project.js';
import type { Terminal } from '../terminal/terminal.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith check [--update [--accept NAME]...]

Compares the entities with rowsmith.lock.json, which records every field number, type, key and qualifier that was released, and refuses what would
misread stored bytes, each with the reason and the way out. Exit code 3 when something is refused, when the lock does not record the entities, or when they
do not import the numbers they were given.

  --update           Record what is compatible: writes the lock (commit it), and rowsmith.numbers.ts where fields are declared without a number.
                     Nothing is written while anything is refused.
  --accept NAME      With --update: record this refused change as well; NAME as it is printed (Reading.key, telemetry.Status.3). For data
                     that was never released, or that is gone.`;

interface Checked {
  readonly project: Project;
  readonly lock: Lock;
  readonly numbers: FieldNumbers;
  /**
   * The entities have all their numbers without this command: they import rowsmith.numbers.ts, or
   * need none.
   */
  readonly imported: boolean;
}

/** The verb. */
export const check: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const { values } = parseOptions(args, {
      update: { type: 'boolean' },
      accept: { type: 'string', multiple: true },
    });
    const { update = false, accept = [] } = values;
    if (accept.length > 0 && !update)
      throw new UsageError('--accept records a change, and goes with --update');
    const { project, lock, numbers, imported } = await load(context);
    const changes = checkEvolution(lock, project.models);
    const refused = changes.filter(
      ({ verdict, at }) => verdict === 'refused' && !accept.includes(at),
    );
    const strange = accept.find(
      (name) => !changes.some(({ verdict, at }) => verdict === 'refused' && at === name),
    );
    if (strange !== undefined) throw new UsageError(`--accept ${strange} names no refused change`);
    const stale =
      !existsSync(project.lock) ||
      lockText(nextLock(lock, project.models)) !== lockText(lock) ||
      !numbersAreWritten(project, numbers);
    const written = update && refused.length === 0 && stale;
    const newNumbers = written && !numbersAreWritten(project, numbers);
    if (written) write(project, lock, numbers);
    terminal.data({
      lock: project.lock,
      changes,
      refused: refused.length,
      written,
      recorded: written || !stale,
      imported,
    });
    tell(terminal, project, changes, accept, { stale, written, newNumbers, imported });
    return refused.length > 0 || (!written && (stale || !imported)) ? exit.different : exit.ok;
  },
};

/** The project with its lock. Fields without a number get theirs before models are built. */
async function load(context: {
  readonly folder: string;
  readonly config: string | undefined;
}): Promise<Checked> {
  let lock = emptyLock;
  let numbers: FieldNumbers = {};
  let imported = true;
  const project = await loadProject(context, (entities, file) => {
    lock = readLock(file);
    const unnumbered = unnumberedMessages(entities);
    numbers = assignNumbers(lock, unnumbered);
    imported = unnumbered.every(({ name, properties }) =>
      properties.every((property) => assignedNumber(name, property) !== undefined),
    );
    fieldNumbers(numbers);
  });
  return { project, lock, numbers, imported };
}

/** The lock in a file; an empty one where there is none. Throws FILE_FAILED. */
export function readLock(file: string): Lock {
  if (!existsSync(file)) return emptyLock;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw fileFailed(
      file,
      `it cannot be read: ${(cause as Error).message}`,
      'make it readable',
      cause,
    );
  }
  return parseLock(text, file);
}

function numbersFile({ lock }: Project): string {
  return join(dirname(lock), 'rowsmith.numbers.ts');
}

function numbersAreWritten(project: Project, numbers: FieldNumbers): boolean {
  if (Object.keys(numbers).length === 0) return true;
  const file = numbersFile(project);
  return existsSync(file) && readFileSync(file, 'utf8') === numbersModule(numbers);
}

function write(project: Project, lock: Lock, numbers: FieldNumbers): void {
  // The lock last: as long as it is the old one, the numbers are assigned again alike.
  if (!numbersAreWritten(project, numbers))
    replaceFile(numbersFile(project), numbersModule(numbers));
  replaceFile(project.lock, lockText(nextLock(lock, project.models)));
}

interface Outcome {
  /** The lock or the numbers are not those of the entities. */
  readonly stale: boolean;
  readonly written: boolean;
  /** rowsmith.numbers.ts is among what was written. */
  readonly newNumbers: boolean;
  readonly imported: boolean;
}

function tell(
  terminal: Terminal,
  project: Project,
  changes: readonly EvolutionChange[],
  accepted: readonly string[],
  { stale, written, newNumbers, imported }: Outcome,
): void {
  const { style } = terminal;
  for (const { verdict, at, problem, reason, fix } of changes) {
    const mark =
      verdict === 'compatible'
        ? style.good('ok      ')
        : accepted.includes(at)
          ? style.dim('accepted')
          : style.bad('refused ');
    terminal.say(`${mark} ${style.bold(at)}: ${problem}`);
    if (verdict === 'compatible') continue;
    terminal.say(`         ${reason}`);
    terminal.say(`         ${fix}`);
  }
  const file = shortPath(project.lock);
  const count = changes.filter(
    ({ verdict, at }) => verdict === 'refused' && !accepted.includes(at),
  ).length;
  if (count > 0)
    terminal.say(
      `${count} of ${changes.length} changes would misread stored bytes; nothing was written.`,
    );
  else if (newNumbers)
    terminal.say(
      `${file} and ${shortPath(numbersFile(project))} are written; commit both, and import the numbers beside the entities.`,
    );
  else if (written) terminal.say(`${file} is written; commit it.`);
  else if (stale)
    terminal.say(
      `${file} does not record the entities as they are: run rowsmith check --update, and commit it.`,
    );
  else if (!imported)
    terminal.say(
      `${file} records the entities, which lack their numbers: import ${shortPath(numbersFile(project))} beside them.`,
    );
  else terminal.say(`${file} records the entities as they are.`);
}
