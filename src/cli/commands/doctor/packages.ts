/** Node and the packages of a project. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../version.js';
import { type Finding, ok, problem, warning } from './finding.js';

const minNode = 20;

/** The version of Node. */
export function examineNode(running = process.versions.node): Finding {
  if (Number.parseInt(running, 10) >= minNode) return ok('node', `Node ${running}`);
  return problem(
    'node',
    `Node ${running} is older than ${minNode}.0`,
    `install Node ${minNode} or newer: https://nodejs.org`,
  );
}

/** The copies of rowsmith that modules of the project may get. */
export function examineCopies(folder: string): readonly Finding[] {
  const copies = new Map<string, string>();
  for (const modules of nodeModules(folder)) {
    for (const home of [modules, ...nestedModules(modules)]) {
      const file = join(home, 'rowsmith/package.json');
      if (existsSync(file)) copies.set(realpathSync(file), versionOf(file) ?? 'of no version');
    }
  }
  const found = [...copies].map(([file, copy]) => `${copy} in ${dirname(file)}`);
  if (copies.size === 0)
    return [problem('rowsmith', `not installed in ${folder} or above`, 'npm install rowsmith')];
  if (copies.size > 1)
    return [
      problem(
        'rowsmith',
        `${copies.size} copies: ${found.join('; ')}. Entities declared with one are unknown to the other`,
        'npm dedupe, or give all packages that depend on rowsmith the same version',
      ),
    ];
  const [installed] = copies.values();
  if (installed === version()) return [ok('rowsmith', found[0])];
  return [
    warning(
      'rowsmith',
      `this command is version ${version()}, the project has ${found[0]}`,
      'use the command of the project: npx rowsmith',
    ),
  ];
}

/** The optional packages that are installed, and whether rowsmith supports their versions. */
export function examinePeers(folder: string, needed: readonly string[]): readonly Finding[] {
  const manifest = nodeModules(folder)
    .map((modules) => join(modules, 'rowsmith/package.json'))
    .find((file) => existsSync(file));
  if (manifest === undefined) return [];
  const { peerDependencies = {} } = readJson(manifest) as {
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  return Object.entries(peerDependencies).flatMap(([name, range]) => {
    const file = manifestOf(folder, name);
    const install = `npm install '${name}@${range}'`;
    if (file === undefined)
      return needed.includes(name)
        ? [problem(name, 'not installed, and this project needs it', install)]
        : [];
    const installed = versionOf(file);
    if (installed !== undefined && satisfies(installed, range))
      return [ok(name, `${name} ${installed}`)];
    return [problem(name, `version ${installed ?? 'unknown'} is not ${range}`, install)];
  });
}

/** The version of a package that modules of a folder get; undefined if there is none. */
export function installedVersion(folder: string, name: string): string | undefined {
  const file = manifestOf(folder, name);
  return file === undefined ? undefined : versionOf(file);
}

function manifestOf(folder: string, name: string): string | undefined {
  return nodeModules(folder)
    .map((modules) => join(modules, name, 'package.json'))
    .find((file) => existsSync(file));
}

/** Whether a version is in a range of comparators such as `>=6.5.1 <8` or `^1.12.0`. */
export function satisfies(installed: string, range: string): boolean {
  return range.split(' ').every((comparator) => {
    const [, operator = '', bound = ''] = /^(\^|>=|<)(.*)$/.exec(comparator) ?? [];
    const difference = compareVersions(installed, bound);
    if (operator === '<') return difference < 0;
    if (operator === '>=') return difference >= 0;
    return difference >= 0 && numbersOf(installed)[0] === numbersOf(bound)[0];
  });
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(text: string): readonly number[] {
  return text.split('-')[0].split('.').map(Number);
}

/** The node_modules of a folder and of the folders above it. */
function nodeModules(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    found.push(join(at, 'node_modules'));
    if (dirname(at) === at) return found;
  }
}

/** The node_modules of packages in a node_modules. */
function nestedModules(modules: string): readonly string[] {
  const list = (folder: string): readonly string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  return list(modules)
    .flatMap((name) =>
      name.startsWith('@') ? list(join(modules, name)).map((each) => join(name, each)) : [name],
    )
    .map((name) => join(modules, name, 'node_modules'));
}

function versionOf(file: string): string | undefined {
  const { version: found } = readJson(file) as { readonly version?: unknown };
  return typeof found === 'string' ? found : undefined;
}

function readJson(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    return {};
  }
}
