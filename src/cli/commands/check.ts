/** `rowsmith check`: compares the entities with the lock file of released declarations. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileFailed, countText, type FaultTexts } from '../../base/index.js';
import {
  assignedNumber,
  fieldNumbers,
  type FieldNumbers,
  unnumberedMessages,
} from '../../entities/model/index.js';
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
} from '../../tools/schema/index.js';
import { replaceFile } from '../../tools/transfer/index.js';
import { type CommandContext, defineCommand, flag, list, UsageError } from '../command.js';
import { loadProject, type Project } from '../project/load-project.js';
import { outdatedPrograms } from '../project/run-generators.js';
import { shortPath } from '../terminal/error-text.js';
import type { Style } from '../terminal/style.js';
import type { Terminal } from '../terminal/terminal.js';

interface Checked {
  readonly project: Project;
  readonly lock: Lock;
  readonly numbers: FieldNumbers;
  /** The entities import rowsmith.numbers.ts, or need no numbers from it. */
  readonly imported: boolean;
}

const options = {
  update: flag(
    'Record compatible changes, unless a change is rejected: write the lock (commit it), and ' +
      'rowsmith.numbers.ts for fields without a number',
  ),
  accept: list(
    'NAME',
    'With --update: also record this rejected change, by its printed name (Reading.key), for ' +
      'data that was never released or no longer exists',
  ),
};

/** The command. */
export const command = defineCommand({
  usage: '[--update [--accept NAME]...]',
  about: `Compares the entities with rowsmith.lock.json, the record of every released field number,
type, key and qualifier. Rejects changes that would misread stored bytes, each with a fix.
Names programs in other languages (rowsmith generate python, go, java) that are outdated.`,
  options,
  examples: [
    ['check', 'in CI'],
    ['check --update', 'records compatible changes'],
  ],
  exits: {
    different:
      'a change is rejected, the lock is out of date, the entities do not import their numbers, ' +
      'or a program in another language is outdated',
  },
  json: `{ lock: string, changes: { rule: string,
    verdict: 'compatible' | 'rejected', at: string, problem: string, reason: string, fix?: string }[],
    rejected: number, written: boolean,
    recorded: boolean, imported: boolean, outdated: string[] }`,
  async run({ values: { update, accept } }, { terminal, ...context }) {
    if (accept.length > 0 && !update) throw new UsageError(faults.acceptWithoutUpdate);
    const checked = await load(context);
    const { project, imported } = checked;
    const changes = checkEvolution(checked.lock, project.models);
    const rejectedAt = changes.filter(({ verdict }) => verdict === 'rejected').map(({ at }) => at);
    const unknown = accept.find((name) => !rejectedAt.includes(name));
    if (unknown !== undefined) throw new UsageError(faults.unknownChange(unknown));
    const rejected = rejectedAt.filter((at) => !accept.includes(at)).length;
    const stale = isStale(checked);
    const written = update && rejected === 0 && stale;
    const newNumbers = written && write(checked);
    const recorded = written || !stale;
    const outdated = await outdatedPrograms(project, checked.lock);
    terminal.printJson({
      ...{ lock: project.lock, changes, rejected, written },
      ...{ recorded, imported, outdated },
    });
    for (const change of changes) printChange(terminal, change, accept.includes(change.at));
    const outcome = { total: changes.length, rejected, stale, written, newNumbers, imported };
    terminal.print(outcomeText(project, outcome));
    printOutdated(terminal, project, outdated);
    const isComplete = (written || (recorded && imported)) && outdated.length === 0;
    return rejected > 0 || !isComplete ? 'different' : undefined;
  },
});

/** The project with its lock. Fields without a number are assigned one before models are built. */
async function load(context: Pick<CommandContext, 'folder' | 'config'>): Promise<Checked> {
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

/** The lock in a file; an empty lock if there is no file. Throws FILE_FAILED. */
export function readLock(file: string): Lock {
  if (!existsSync(file)) return emptyLock;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw fileFailed(file, faults.unreadableFile((cause as Error).message), cause);
  }
  return parseLock(text, file);
}

/** The lock or the numbers on disk do not match the entities. */
function isStale({ project, lock, numbers }: Checked): boolean {
  return (
    !existsSync(project.lock) ||
    lockText(nextLock(lock, project.models)) !== lockText(lock) ||
    !numbersAreWritten(project, numbers)
  );
}

function numbersFile({ lock }: Project): string {
  return join(dirname(lock), 'rowsmith.numbers.ts');
}

function numbersAreWritten(project: Project, numbers: FieldNumbers): boolean {
  if (Object.keys(numbers).length === 0) return true;
  const file = numbersFile(project);
  return existsSync(file) && readFileSync(file, 'utf8') === numbersModule(numbers);
}

/** Writes the lock, and the numbers if they are new; returns whether they are. */
function write({ project, lock, numbers }: Checked): boolean {
  const newNumbers = !numbersAreWritten(project, numbers);
  // The lock is written last: while it is the old one, a new run assigns the same numbers.
  if (newNumbers) replaceFile(numbersFile(project), numbersModule(numbers));
  replaceFile(project.lock, lockText(nextLock(lock, project.models)));
  return newNumbers;
}

interface Outcome {
  /** All changes. */
  readonly total: number;
  /** Changes that are rejected and were not accepted. */
  readonly rejected: number;
  readonly stale: boolean;
  readonly written: boolean;
  /** rowsmith.numbers.ts was written too. */
  readonly newNumbers: boolean;
  readonly imported: boolean;
}

function printChange(
  terminal: Terminal,
  { verdict, at, problem, reason, fix }: EvolutionChange,
  accepted: boolean,
): void {
  const mark = changeMark(terminal.style, verdict, accepted);
  terminal.print(`${mark} ${terminal.style.bold(at)}: ${problem}`);
  if (verdict === 'compatible') return;
  terminal.print(`         ${reason}`);
  terminal.print(`         ${fix}`);
}

function printOutdated(terminal: Terminal, { output }: Project, outdated: readonly string[]): void {
  if (outdated.length === 0) return;
  for (const path of outdated) terminal.print(`${terminal.style.bad('outdated')} ${path}`);
  const files = countText(outdated.length, 'file');
  terminal.print(
    `${files} in ${shortPath(output)} not as the entities are: run rowsmith generate, and commit ` +
      'what it writes.',
  );
}

function changeMark(style: Style, verdict: EvolutionChange['verdict'], accepted: boolean): string {
  if (verdict === 'compatible') return style.good('ok      ');
  if (accepted) return style.dim('accepted');
  return style.bad('rejected');
}

function outcomeText(project: Project, outcome: Outcome): string {
  const lock = shortPath(project.lock);
  const numbers = shortPath(numbersFile(project));
  if (outcome.rejected > 0)
    return (
      `${outcome.rejected} of ${countText(outcome.total, 'change')} would misread stored bytes; ` +
      'nothing was written.'
    );
  if (outcome.newNumbers)
    return (
      `${lock} and ${numbers} are written; commit both, and import the numbers beside the ` +
      'entities.'
    );
  if (outcome.written) return `${lock} is written; commit it.`;
  if (outcome.stale)
    return (
      `${lock} does not record the current entities: run rowsmith check --update, and ` +
      'commit it.'
    );
  if (!outcome.imported)
    return (
      `${lock} records the entities, but they lack their numbers: import ${numbers} beside ` +
      'them.'
    );
  return `${lock} records the current entities.`;
}

const faults = {
  acceptWithoutUpdate: { problem: '--accept records a change', fix: 'add --update' },
  unknownChange: (unknown: string) => ({ problem: `--accept ${unknown} names no rejected change` }),
  unreadableFile: (message: string) => ({
    problem: `it cannot be read: ${message}`,
    fix: 'make the file readable',
  }),
} satisfies FaultTexts;
