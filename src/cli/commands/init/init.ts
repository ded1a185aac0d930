/** `rowsmith init`: creates a project that runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RowsmithError } from '../../../errors.js';
import { exit, parseOptions, textOption, UsageError, type Command } from '../../command.js';
import { configNames } from '../../project/find-config.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import type { Change } from '../generate/change.js';
import { writeChanges } from '../generate/write-changes.js';
import { packageJson } from './package-json.js';
import { type DecoratorKind, templateFiles } from './template-files.js';

const help = `Usage: rowsmith init [DIRECTORY] [--decorators standard|legacy]

Creates a first entity, a config, and a program that saves and queries rows:
src/entities/reading.ts, rowsmith.config.ts, src/main.ts, tsconfig.json, .gitignore and
package.json. Existing files are kept; an existing package.json gets only the scripts and packages
it lacks.

  --decorators KIND  For a new tsconfig.json: standard (default), or legacy
                     (experimentalDecorators), which class-validator needs`;

/** The command. */
export const init: Command = {
  help,
  async run(args, { terminal, folder }) {
    const { values, positionals } = parseOptions(args, { decorators: textOption }, true);
    const { decorators = 'standard' } = values;
    if (decorators !== 'standard' && decorators !== 'legacy')
      throw new UsageError(`--decorators takes standard or legacy, not '${decorators}'`);
    if (positionals.length > 1) throw new UsageError('init takes one directory');
    const home = resolve(folder, positionals[0] ?? '.');
    const config = configNames.find((name) => existsSync(join(home, name)));
    if (config !== undefined) {
      throw new RowsmithError('FILE_FAILED', {
        file: join(home, config),
        problem: 'the project already has a config',
        fix: 'nothing was written; rowsmith describe prints the entities of the project',
      });
    }
    const plan = planProject(home, decorators);
    writeChanges(home, plan.changes);
    report(terminal, plan, home, folder);
    return exit.ok;
  },
};

interface Plan {
  readonly changes: readonly Change[];
  /** Files that exist already. */
  readonly kept: readonly string[];
  /** Entries added to package.json. */
  readonly added: readonly string[];
}

function planProject(home: string, decorators: DecoratorKind): Plan {
  const changes: Change[] = [];
  const kept: string[] = [];
  for (const [path, text] of templateFiles(decorators)) {
    if (existsSync(join(home, path))) kept.push(path);
    else changes.push({ path, state: 'missing', before: undefined, after: Buffer.from(text) });
  }
  const path = 'package.json';
  const file = join(home, path);
  const before = existsSync(file) ? readFileSync(file) : undefined;
  const { text, added } = packageJson(home, file, before?.toString());
  const after = Buffer.from(text);
  if (before === undefined) changes.push({ path, state: 'missing', before, after });
  else if (!before.equals(after)) changes.push({ path, state: 'different', before, after });
  return { changes, kept, added };
}

function report(
  terminal: Terminal,
  { changes, kept, added }: Plan,
  home: string,
  folder: string,
): void {
  const { style } = terminal;
  terminal.printJson({ folder: home, written: changes.map(({ path }) => path), kept, added });
  for (const { path, state } of changes) {
    if (state === 'missing') terminal.print(`${style.good('new    ')}  ${path}`);
    else terminal.print(`${style.code('changed')}  ${path}: ${added.join(', ')}`);
  }
  for (const path of kept) terminal.print(`${style.dim('kept   ')}  ${path}`);
  const steps = nextSteps(home, folder, added);
  const width = Math.max(...steps.map(([command]) => command.length));
  terminal.print('\nNext:');
  for (const [command, about] of steps) {
    const padding = ' '.repeat(width - command.length);
    terminal.print(`  ${style.code(command)}${padding}  ${style.dim(about)}`.trimEnd());
  }
}

type Step = readonly [command: string, about: string];

function nextSteps(home: string, folder: string, added: readonly string[]): readonly Step[] {
  const start = added.includes('scripts.start') ? 'npm start' : 'npx tsc && node dist/src/main.js';
  const steps: Step[] = [
    ['npm install', ''],
    [start, 'saves twelve readings in ./data and queries them'],
    ['npx rowsmith describe', 'prints what is stored where'],
    ['npx rowsmith generate', 'generates files for other tools in ./generated'],
  ];
  if (home === folder) return steps;
  return [[`cd ${shortPath(home)}`, ''], ...steps];
}
