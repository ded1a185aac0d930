/** `rowsmith generate`: generates files for other tools from the entities. */
import { resolve } from 'node:path';
import { countText, suggestionText, type FaultTexts } from '../../../base/index.js';
import { type Generator, generators } from '../../../tools/codegen/index.js';
import { defineCommand, flag, text, UsageError } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Style } from '../../terminal/style.js';
import type { Terminal } from '../../terminal/terminal.js';
import { textDiff } from '../../terminal/text-diff.js';
import { readLock } from '../check.js';
import {
  type FileChange,
  changesOf,
  manifestName,
  writeChanges,
} from '../../../tools/output/index.js';
import { runGenerators, usualGenerators } from '../../project/run-generators.js';

const width = Math.max(...generators.map(({ name }) => name.length));

const options = {
  check: flag('Write nothing; show the files that differ. For CI'),
  'unsafe-writers': flag(
    'In other languages: also write rows that only TypeScript keeps consistent, with the reason ' +
      'as a comment',
  ),
  out: text('DIRECTORY', 'Output folder, instead of the one in the config', 'directory'),
};

/** The command. */
export const command = defineCommand({
  usage: '[NAME...] [options]',
  about: `Generates files for other tools in the output folder of the config. Writes files that differ,
and removes files of earlier runs that are no longer generated. Without NAME all generators run,
but languages only once they were named:

${generators.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}`,
  arguments: [{ name: 'NAME', repeatable: true, kind: generators.map(({ name }) => name) }],
  options,
  examples: [
    ['generate', 'all files'],
    ['generate sql terraform --out deploy', 'the files of two generators, in another folder'],
    ['generate proto python', 'keys, readers and writers in Python'],
    ['generate proto java', 'the same in Java'],
    ['generate --check', 'in CI'],
  ],
  exits: { different: '--check: a file is out of date' },
  json: {
    '': `{ folder: string, files: number,
      changes: { path: string, change: 'new' | 'changed' | 'removed' }[] }`,
    '--check': `{ folder: string, stale: { path: string,
      state: 'missing' | 'different' | 'left over', difference: string[] }[] }`,
  },
  async run({ values, positionals }, { terminal, ...context }) {
    const named = positionals.map(findGenerator);
    const project = await loadProject(context);
    const folder = resolve(context.folder, values.out ?? project.output);
    const chosen = named.length === 0 ? usualGenerators(folder) : new Set(named);
    const output = await runGenerators([...chosen], project, {
      lock: readLock(project.lock),
      unsafeWriters: values.unsafeWriters,
    });
    const files = [...output.values()].flat().length;
    const result: Result = { folder, files, changes: changesOf(folder, output) };
    if (values.check) return check(result, terminal);
    write(result, terminal);
  },
});

function findGenerator(name: string): Generator {
  const found = generators.find((generator) => generator.name === name);
  if (found !== undefined) return found;
  const names = generators.map((generator) => generator.name);
  throw new UsageError(faults.unknownGenerator(name, names));
}

interface Result {
  /** The output folder; absolute. */
  readonly folder: string;
  /** Number of generated files, without the manifest. */
  readonly files: number;
  readonly changes: readonly FileChange[];
}

/** The change that writing makes, as --json names it. */
const jsonChange = { missing: 'new', different: 'changed', 'left over': 'removed' } as const;

function write({ folder, files, changes }: Result, terminal: Terminal): void {
  writeChanges(folder, changes);
  const { style } = terminal;
  const marks = {
    missing: style.good('new    '),
    different: style.code('changed'),
    'left over': style.bad('removed'),
  };
  for (const { path, state } of changes) terminal.print(`${marks[state]}  ${path}`);
  let summary = `${countText(files, 'file')} in ${shortPath(folder)}`;
  if (changes.length === 0) summary += ', none changed';
  terminal.print(summary);
  terminal.printJson({
    folder,
    files,
    changes: changes.map(({ path, state }) => ({ path, change: jsonChange[state] })),
  });
}

function check(result: Result, terminal: Terminal): 'different' | undefined {
  const { folder, changes } = result;
  terminal.printJson({
    folder,
    stale: changes.map((change) => ({
      path: change.path,
      state: change.state,
      difference: difference(change),
    })),
  });
  for (const change of changes) {
    terminal.print(terminal.style.bold(`${change.path}: ${change.state}`));
    for (const line of difference(change)) terminal.print(`  ${coloured(line, terminal.style)}`);
  }
  terminal.print(checkSummary(result));
  return changes.length > 0 ? 'different' : undefined;
}

function checkSummary({ folder, files, changes }: Result): string {
  const where = `in ${shortPath(folder)}`;
  if (changes.length === 0) return `${countText(files, 'file')} ${where}, up to date`;
  const advice = 'run rowsmith generate and commit the files it writes';
  // The manifest is not counted as a file; if only the manifest is stale, it is named.
  const stale = changes.filter(({ path }) => path !== manifestName).length;
  if (stale === 0) return `${manifestName} ${where} is out of date: ${advice}`;
  return `${stale} of ${countText(files, 'file')} ${where} out of date: ${advice}`;
}

function coloured(line: string, style: Style): string {
  if (line.startsWith('+')) return style.good(line);
  if (line.startsWith('-')) return style.bad(line);
  return line;
}

/** The changed lines of a file. Empty for missing and left over files: their state is enough. */
function difference({ state, before, after }: FileChange): string[] {
  if (state !== 'different' || before === undefined || after === undefined) return [];
  if (!isText(before) || !isText(after))
    return [`${before.length} bytes exist, ${after.length} would be generated`];
  return textDiff(before.toString(), after.toString());
}

/** UTF-8 without zero bytes. */
function isText(content: Buffer): boolean {
  return !content.includes(0) && Buffer.from(content.toString()).equals(content);
}

const faults = {
  unknownGenerator: (name: string, names: readonly string[]) => ({
    problem: `there is no generator '${name}'`,
    fix: suggestionText(name, names, 'the generators are'),
  }),
} satisfies FaultTexts;
