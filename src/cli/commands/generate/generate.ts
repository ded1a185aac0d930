/** `rowsmith generate`: files for other tools, from the entities. */
import { nearestName } from '../../../base/index.js';
/** `rowsmith generate`: files for other tools, from the entities. */
import { resolve } from 'node:path';
import { type Generator, generators } from '../../../codegen/index.js';
import { reservedOf } from '../../../schema/index.js';
import { readLock } from '../check.js';
import { shortPath } from '../../terminal/error-text.js';
import { loadProject } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { textDiff } from '../../terminal/text-diff.js';
import { exit, parseOptions, UsageError, type Command } from '../../command.js';
import { type Change, changesOf, type Output } from './change.js';
import { manifestName } from './manifest.js';
import { writeChanges } from './write-changes.js';

const width = Math.max(...generators.map(({ name }) => name.length));

const help = `Usage: rowsmith generate [NAME...] [options]

Writes what other tools read of the entities into the output folder of the config. Only files that differ are touched; files that an earlier
run wrote and nothing gives any more are removed; a file of yours is never overwritten. Without a name everything is generated:

${generators.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

  --check    Writes nothing; exits with 3 and shows the difference when a file is not what would be generated. For CI.
  --out DIR  Another output folder than that of the config.`;

/** The verb. */
export const generate: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const { values, positionals } = parseOptions(
      args,
      { check: { type: 'boolean' }, out: { type: 'string' } },
      true,
    );
    if (values.out === '') throw new UsageError('--out needs a folder');
    const chosen =
      positionals.length === 0 ? generators : [...new Set(positionals)].map(generatorOf);
    const project = await loadProject(context);
    const folder = values.out === undefined ? project.output : resolve(context.folder, values.out);
    const lock = readLock(project.lock);
    const output = new Map<string, Awaited<ReturnType<Generator['generate']>>>();
    for (const generator of chosen)
      output.set(
        generator.name,
        await generator.generate({
          models: project.models,
          url: project.url,
          reserved: (name) => reservedOf(lock, name),
        }),
      );
    const changes = changesOf(folder, output);
    return values.check === true
      ? check(changes, output, folder, terminal)
      : write(changes, output, folder, terminal);
  },
};

function generatorOf(name: string): Generator {
  const found = generators.find((generator) => generator.name === name);
  if (found !== undefined) return found;
  const names = generators.map((generator) => generator.name);
  const near = nearestName(name, names);
  throw new UsageError(
    `there is no generator '${name}'; ${near === undefined ? `there are ${names.join(', ')}` : `did you mean '${near}'?`}`,
  );
}

function write(
  changes: readonly Change[],
  output: Output,
  folder: string,
  terminal: Terminal,
): number {
  writeChanges(folder, changes);
  const marks = {
    missing: terminal.style.good('new    '),
    different: terminal.style.code('changed'),
    'left over': terminal.style.bad('removed'),
  };
  for (const { path, state } of changes) terminal.say(`${marks[state]}  ${path}`);
  const files = [...output.values()].flat().length;
  terminal.say(
    `${counted(files)} in ${shortPath(folder)}${changes.length === 0 ? ', all as they were' : ''}`,
  );
  terminal.data({
    folder,
    files,
    changes: changes.map(({ path, state }) => ({
      path,
      change: { missing: 'new', different: 'changed', 'left over': 'removed' }[state],
    })),
  });
  return exit.ok;
}

function counted(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

function check(
  changes: readonly Change[],
  output: Output,
  folder: string,
  terminal: Terminal,
): number {
  const files = [...output.values()].flat().length;
  terminal.data({
    folder,
    stale: changes.map((change) => ({
      path: change.path,
      state: change.state,
      difference: difference(change),
    })),
  });
  for (const change of changes) {
    terminal.say(terminal.style.bold(`${change.path}: ${change.state}`));
    for (const line of difference(change))
      terminal.say(
        `  ${line.startsWith('+') ? terminal.style.good(line) : line.startsWith('-') ? terminal.style.bad(line) : line}`,
      );
  }
  if (changes.length > 0) {
    // The manifest lists the files and is none of them; where it alone is stale, it is named.
    const stale = changes.filter(({ path }) => path !== manifestName).length;
    const what =
      stale === 0
        ? `${manifestName} in ${shortPath(folder)} is`
        : `${stale} of ${files} files in ${shortPath(folder)} ${stale === 1 ? 'is' : 'are'}`;
    terminal.say(
      `${what} not what the entities give: run rowsmith generate and commit what it writes`,
    );
    return exit.different;
  }
  terminal.say(
    `${counted(files)} in ${shortPath(folder)} ${files === 1 ? 'is' : 'are'} what the entities give`,
  );
  return exit.ok;
}

/** Empty where the state says all: a whole file would only be noise. */
function difference({ state, before, after }: Change): string[] {
  if (state !== 'different' || before === undefined || after === undefined) return [];
  // A file with a zero byte, or that is no UTF-8, is not shown as text.
  const [was, is] = [before.toString(), after.toString()];
  if (
    !Buffer.from(was).equals(before) ||
    !Buffer.from(is).equals(after) ||
    was.includes('\0') ||
    is.includes('\0')
  )
    return [`${before.length} bytes are there, ${after.length} would be generated`];
  return textDiff(was, is);
}
