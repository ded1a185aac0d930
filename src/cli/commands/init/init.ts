/** `rowsmith init`: a project that runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RowsmithError } from '../../../errors.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Change } from '../generate/change.js';
import { writeChanges } from '../generate/write-changes.js';
import { configNames } from '../../project/find-config.js';
import type { Terminal } from '../../terminal/terminal.js';
import { exit, parseOptions, UsageError, type Command } from '../../command.js';
import { packageJson } from './package-json.js';
import { type Dialect, templateFiles } from './template-files.js';

const help = `Usage: rowsmith init [DIRECTORY] [--decorators standard|legacy]

Writes a first entity, a config, and a program that saves and queries: src/entities/reading.ts, rowsmith.config.ts, src/main.ts, tsconfig.json,
.gitignore and package.json. Files that are there stay as they are; an existing package.json only gets the scripts and packages it lacks.

  --decorators KIND  standard (default), or legacy: experimentalDecorators, which class-validator needs. For a new tsconfig.json.`;

/** The verb. */
export const init: Command = {
  help,
  async run(args, { terminal, folder }) {
    const {
      values: { decorators = 'standard' },
      positionals,
    } = parseOptions(args, { decorators: { type: 'string' } }, true);
    if (decorators !== 'standard' && decorators !== 'legacy')
      throw new UsageError(`--decorators takes standard or legacy, not '${decorators}'`);
    if (positionals.length > 1) throw new UsageError('init takes one directory');
    const home = resolve(folder, positionals[0] ?? '.');
    const config = configNames.find((name) => existsSync(join(home, name)));
    if (config !== undefined) {
      throw new RowsmithError('FILE_FAILED', {
        file: join(home, config),
        problem: 'the project has a config already',
        fix: 'nothing was written; rowsmith describe shows what is there',
      });
    }
    const { changes, kept, added } = plan(home, decorators);
    writeChanges(home, changes);
    tell(terminal, { changes, kept, added }, home, home === folder);
    return exit.ok;
  },
};

interface Plan {
  readonly changes: readonly Change[];
  /** Files that were there. */
  readonly kept: readonly string[];
  /** What package.json gets. */
  readonly added: readonly string[];
}

function plan(home: string, dialect: Dialect): Plan {
  const changes: Change[] = [];
  const kept: string[] = [];
  for (const [path, text] of templateFiles(dialect)) {
    if (existsSync(join(home, path))) kept.push(path);
    else changes.push({ path, state: 'missing', before: undefined, after: Buffer.from(text) });
  }
  const file = join(home, 'package.json');
  const existing = existsSync(file) ? readFileSync(file) : undefined;
  const { text, added } = packageJson(home, file, existing?.toString());
  const after = Buffer.from(text);
  if (existing?.equals(after) !== true)
    changes.push({
      path: 'package.json',
      state: existing === undefined ? 'missing' : 'different',
      before: existing,
      after,
    });
  return { changes, kept, added };
}

function tell(
  terminal: Terminal,
  { changes, kept, added }: Plan,
  home: string,
  here: boolean,
): void {
  const { style } = terminal;
  terminal.data({ folder: home, written: changes.map(({ path }) => path), kept, added });
  for (const { path, state } of changes)
    terminal.say(
      `${state === 'missing' ? style.good('new    ') : style.code('changed')}  ${path}${state === 'missing' ? '' : `: ${added.join(', ')}`}`,
    );
  for (const path of kept) terminal.say(`${style.dim('kept   ')}  ${path}`);
  const next = [
    ...(here ? [] : [[`cd ${shortPath(home)}`, '']]),
    ['npm install', ''],
    [
      added.includes('scripts.start') ? 'npm start' : 'npx tsc && node dist/src/main.js',
      'saves twelve readings into ./data and queries them',
    ],
    ['npx rowsmith describe', 'what is stored where'],
    ['npx rowsmith generate', 'what other tools read, into ./generated'],
  ];
  const width = Math.max(...next.map(([command]) => command.length));
  terminal.say('\nNext:');
  for (const [command, about] of next)
    terminal.say(
      `  ${style.code(command)}${' '.repeat(width - command.length)}  ${style.dim(about)}`.trimEnd(),
    );
}
