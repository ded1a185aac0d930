/**
 * Results that several test files need and that take long to make, such as the built package. They
 * are kept in .tmp/cache under a hash of everything they are made from.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const cache = join(root, '.tmp/cache');
/** Number of results of one name that are kept. */
const maxKept = 3;
/** Milliseconds after which a lock no longer counts. */
const maxLockAge = 600_000;

/**
 * The folder with the result `name`, which is made from these files and folders of the repository.
 * If they have changed, `make` fills a new folder; other processes wait for it. Nothing is kept if
 * it throws. Callers must not change the folder.
 */
export function cached(
  name: string,
  inputs: readonly string[],
  make: (folder: string) => void,
): string {
  mkdirSync(cache, { recursive: true });
  for (;;) {
    const hash = hashOf(inputs);
    const folder = join(cache, `${name}-${hash}`);
    withLock(`${folder}.lock`, () => {
      if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
      else makeFolder(folder, make);
    });
    removeOld(name);
    // Otherwise a file was edited meanwhile, and the result may have been made from either version.
    if (hashOf(inputs) === hash) return folder;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A hash of the contents of files and folders of the repository, in hexadecimal. */
function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.version} ${process.platform}`);
  for (const path of paths) addFile(hash, path);
  return hash.digest('hex').slice(0, 20);
}

function addFile(hash: Hash, path: string): void {
  const absolute = join(root, path);
  if (!existsSync(absolute)) {
    hash.update(`${path}\0missing\0`);
  } else if (statSync(absolute).isDirectory()) {
    for (const name of readdirSync(absolute).sort()) addFile(hash, `${path}/${name}`);
  } else {
    const content = readFileSync(absolute);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
}

/** Fills another folder first, so that no one sees an incomplete result. */
function makeFolder(folder: string, make: (folder: string) => void): void {
  const making = mkdtempSync(`${folder}.making-`);
  try {
    make(making);
    if (!existsSync(folder)) renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Removes all results of this name except for the results used last. */
function removeOld(name: string): void {
  const results = readdirSync(cache)
    .filter((each) => each.startsWith(`${name}-`) && /-[0-9a-f]{20}$/.test(each))
    .map((each) => ({ each, used: statSync(join(cache, each)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { each } of results.slice(maxKept))
    rmSync(join(cache, each), { recursive: true, force: true });
}

/** Runs `work` while this process holds the lock file, so that the same is not made twice. */
function withLock(lock: string, work: () => void): void {
  while (!acquire(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    // A process that was killed leaves its lock.
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > maxLockAge) return true;
    const pid = Number(readFileSync(lock, 'utf8'));
    // An empty lock is just being written.
    if (pid !== 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
