/** `rowsmith init`: creates a project that runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve, relative } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../../base/index.js';
import { choice, defineCommand, withDefault } from '../../command.js';
import { configNames } from '../../project/find-config.js';
import type { Terminal } from '../../terminal/terminal.js';
import { isPublished, version } from '../../version.js';
import { type FileChange, writeChanges } from '../../../tools/output/index.js';
import { packageJson, readPackageJson } from './package-json.js';
import { type DecoratorKind, programPath, templateFiles, testPath } from './template-files.js';
import { newFile, planViteSetup, pluginLines, type ViteSetup } from './vite-setup.js';

const options = {
  decorators: withDefault(
    choice(
      'KIND',
      'For a new tsconfig.json: standard, or legacy (experimentalDecorators), which ' +
        'class-validator needs',
      ['standard', 'legacy'],
    ),
    'standard',
  ),
};

/** The command. */
export const command = defineCommand({
  usage: '[DIRECTORY] [--decorators standard|legacy]',
  about: `Creates a first entity, a config, and a program that saves and queries rows:
src/entities/reading.ts, rowsmith.config.ts, src/main.ts, tsconfig.json, .gitignore and
package.json. Keeps existing files; an existing package.json gets the scripts and packages it lacks.

In a project with Vite or Vitest it also sets up the plugin of rowsmith/vite, which compiles
decorators, and for Vitest src/reading.test.ts. If it cannot edit the config, it prints what to add.`,
  arguments: [{ name: 'DIRECTORY', kind: 'directory' }],
  options,
  examples: [
    ['init my-project', 'in a new folder'],
    ['init my-project --decorators legacy', 'for a project with experimentalDecorators'],
  ],
  json: `{ folder: string, written: string[], kept: string[], added: string[],
    toEdit: { file: string, add: string[] }[] }`,
  run({ values, positionals: [directory = '.'] }, { terminal, folder }) {
    const home = resolve(folder, directory);
    const config = configNames.find((name) => existsSync(join(home, name)));
    if (config !== undefined) {
      throw new RowsmithError('FILE_FAILED', {
        file: join(home, config),
        ...faults.existingConfig,
      });
    }
    const plan = planProject(home, values.decorators);
    writeChanges(home, plan.changes);
    report(terminal, plan, home, folder);
    return Promise.resolve(undefined);
  },
});

interface Plan {
  readonly changes: readonly FileChange[];
  /** What is to be known about a change, by path. */
  readonly notes: ReadonlyMap<string, string>;
  /** Files that exist already. */
  readonly kept: readonly string[];
  /** Entries added to package.json. */
  readonly added: readonly string[];
  /** Vite configs that the user has to edit. */
  readonly manual: readonly string[];
  /** What to run next. */
  readonly steps: readonly Step[];
}

type Step = readonly [command: string, about: string];

function planProject(home: string, decorators: DecoratorKind): Plan {
  const path = 'package.json';
  const file = join(home, path);
  const before = existsSync(file) ? readFileSync(file) : undefined;
  const json = readPackageJson(home, file, before?.toString());
  const vite = planViteSetup(home, json);
  const changes: FileChange[] = [];
  const kept: string[] = [];
  for (const [name, text] of templateFiles(decorators, vite.usesVitest)) {
    if (existsSync(join(home, name))) kept.push(name);
    else changes.push(newFile(name, text));
  }
  changes.push(...vite.changes);
  const isNew = (name: string): boolean => changes.some((change) => change.path === name);
  const scripts: Record<string, string> = {};
  if (isNew(programPath)) scripts.start = startScript(vite, json.type === 'module');
  if (isNew(testPath)) scripts.test = 'vitest run';
  const { text, added } = packageJson(json, before?.toString(), scripts);
  const after = Buffer.from(text);
  if (before === undefined) changes.push(newFile(path, text));
  else if (!before.equals(after)) changes.push({ path, state: 'different', before, after });
  const notes = new Map(vite.changes.map((change) => [change.path, 'compiles decorators']));
  if (before !== undefined) notes.set(path, added.join(', '));
  return {
    changes,
    notes,
    kept,
    added,
    manual: vite.manual,
    steps: nextSteps(home, scripts, added),
  };
}

/** Compiles and runs the program. Vite names its output after the kind of modules. */
function startScript({ usesVite }: ViteSetup, isModule: boolean): string {
  if (!usesVite) return 'tsc && node dist/src/main.js';
  const extension = isModule ? 'js' : 'mjs';
  return `vite build --ssr ${programPath} --outDir dist/server && node dist/server/main.${extension}`;
}

/** npm cannot install a version that it does not have, unless the package is there already. */
function installStep(home: string): Step {
  if (isPublished || existsSync(join(home, 'node_modules/rowsmith'))) return ['npm install', ''];
  return [
    `npm install PATH/rowsmith-${version()}.tgz`,
    'this version is not on npm yet: the README packs it',
  ];
}

function nextSteps(
  home: string,
  { start, test }: Readonly<Record<string, string>>,
  added: readonly string[],
): readonly Step[] {
  const steps: Step[] = [installStep(home)];
  const command = (name: string, script: string): string =>
    added.includes(`scripts.${name}`) ? `npm ${name}` : `npx ${script}`;
  if (start !== undefined)
    steps.push([command('start', start), 'saves twelve readings in ./data and queries them']);
  if (test !== undefined) steps.push([command('test', test), `runs ${testPath}`]);
  steps.push(
    ['npx rowsmith describe', 'prints what is stored where'],
    ['npx rowsmith generate', 'generates files for other tools in ./generated'],
  );
  return steps;
}

function report(terminal: Terminal, plan: Plan, home: string, folder: string): void {
  const { changes, notes, kept, added, manual } = plan;
  const { style } = terminal;
  const written = changes.map(({ path }) => path);
  const toEdit = manual.map((file) => ({ file, add: pluginLines }));
  terminal.printJson({ folder: home, written, kept, added, toEdit });
  for (const { path, state } of changes) {
    const word = state === 'missing' ? style.good('new    ') : style.code('changed');
    const note = notes.get(path);
    terminal.print(`${word}  ${path}${note === undefined ? '' : `: ${note}`}`);
  }
  for (const path of kept) terminal.print(`${style.dim('kept   ')}  ${path}`);
  for (const { file, add } of toEdit) {
    terminal.print(`\nAdd the plugin that compiles decorators to ${file}:`);
    for (const line of add) terminal.print(`  ${style.code(line)}`);
  }
  let { steps } = plan;
  if (home !== folder) steps = [[`cd ${relative(folder, home)}`, ''], ...steps];
  const width = Math.max(...steps.map(([command]) => command.length));
  terminal.print('\nNext:');
  for (const [command, about] of steps) {
    const padding = ' '.repeat(width - command.length);
    terminal.print(`  ${style.code(command)}${padding}  ${style.dim(about)}`.trimEnd());
  }
}

const faults = {
  existingConfig: {
    problem: 'the project already has a config',
    fix: 'run rowsmith describe to print the entities of the project; nothing was written',
  },
} satisfies FaultTexts;
