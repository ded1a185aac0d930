/** The package as published, built outside the dist/ folder of the repository. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

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
    env: { ...process.env, NODE_OPTIONS: undefined, FORCE_COLOR: undefined, ...env },
  });
  return { status, output: `${stdout}${stderr}${error === undefined ? '' : String(error)}` };
}

/**
 * Builds into a new folder under .tmp/ (inside the repository, so that its dependencies resolve)
 * and returns the folder.
 */
export function buildPackage(): string {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/package-'));
  try {
    const built = run(root, process.execPath, ['scripts/build.mjs', folder]);
    if (built.status !== 0) throw new Error(`The package does not build:\n${built.output}`);
    for (const name of ['package.json', 'README.md', 'LICENSE']) {
      if (existsSync(join(root, name))) copyFileSync(join(root, name), join(folder, name));
    }
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
