/** The package as published, built outside the dist/ folder of the repository. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from './build-cache.js';

export const root = join(__dirname, '../..');

export interface ProcessResult {
  readonly status: number | null;
  /** Standard output and standard error, in this order. */
  readonly output: string;
}

/** Runs a program and waits for its end; does not throw if it fails. */
export function run(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): ProcessResult {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 500_000,
    env: { ...processEnv(), ...env },
  });
  return { status, output: `${stdout}${stderr}${error === undefined ? '' : String(error)}` };
}

/** The environment of programs: that of Jest's process, without what changes Node or the output. */
export function processEnv(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: undefined, FORCE_COLOR: undefined };
}

/** Everything that the package and its dependencies are made from. */
const inputs = [
  'src',
  'decorators',
  'scripts/build.mjs',
  'scripts/bundle-declarations.mjs',
  'package.json',
  'package-lock.json',
  'README.md',
  'LICENSE',
  'tsconfig.base.json',
  'tsconfig.esm.json',
  'test/support/built-package.ts',
  'node_modules/typescript/package.json',
  'node_modules/esbuild/package.json',
];

/**
 * Builds into a new folder under .tmp/ (inside the repository, so that its dependencies resolve)
 * and returns the folder. Test files share one build of the same sources.
 */
export function buildPackage(): string {
  const built = builtPackage();
  const folder = mkdtempSync(join(root, '.tmp/package-'));
  cpSync(built, folder, { recursive: true });
  return folder;
}

function builtPackage(): string {
  return cached('package', inputs, (folder) => {
    // `npm run types` checks the types.
    succeed(root, process.execPath, ['scripts/build.mjs', folder, '--noCheck']);
    for (const name of ['package.json', 'README.md', 'LICENSE'])
      if (existsSync(join(root, name))) copyFileSync(join(root, name), join(folder, name));
  });
}

/** Installs the packed package with its dependencies into a folder with a package.json. */
export function installPackage(project: string): void {
  const installed = cached('installed', inputs, (folder) => {
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    succeed(builtPackage(), 'npm', pack);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball';
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    // `npm ci` in the repository has put the packages into npm's cache.
    succeed(folder, 'npm', [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      join(folder, tarball),
    ]);
  });
  cpSync(join(installed, 'node_modules'), join(project, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

function succeed(cwd: string, command: string, args: readonly string[]): void {
  const { status, output } = run(cwd, command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}
