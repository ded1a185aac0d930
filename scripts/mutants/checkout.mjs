/** Copies of the checkout, in which sources are changed. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Copies the files that Git has or would add into `.tmp/mutants/N`, the first folder that no running
 * process uses. Folders are used again because Jest's cache knows them by their paths.
 *
 * @param {string} root @returns {string}
 */
export function copyCheckout(root) {
  const folder = claimFolder(join(root, '.tmp/mutants'));
  const { stdout, status } = spawnSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  if (status !== 0) throw new Error(`${root} is no checkout of Git`);
  for (const name of readdirSync(folder)) {
    if (name !== '.tmp') rmSync(join(folder, name), { recursive: true });
  }
  for (const name of stdout.split('\0')) {
    const from = join(root, name);
    // Git lists deleted files as well.
    if (name !== '' && existsSync(from))
      cpSync(from, join(folder, name), { preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** @param {string} parent */
function claimFolder(parent) {
  mkdirSync(parent, { recursive: true });
  for (let i = 0; ; i++) {
    const owner = join(parent, `${i}.pid`);
    if (existsSync(owner) && isRunning(Number(readFileSync(owner, 'utf8')))) continue;
    rmSync(owner, { force: true });
    try {
      writeFileSync(owner, `${process.pid}`, { flag: 'wx' });
    } catch {
      // Another process was quicker.
      continue;
    }
    process.once('exit', () => rmSync(owner, { force: true }));
    const folder = join(parent, `${i}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs a function while a file of the copy has other text. */
/**
 * @template T
 * @param {string} path @param {string} text @param {() => Promise<T>} run @returns {Promise<T>}
 */
export async function withText(path, text, run) {
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  try {
    return await run();
  } finally {
    writeFileSync(path, original);
  }
}
