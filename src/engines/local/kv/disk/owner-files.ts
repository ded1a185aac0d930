/** The owner files of a directory: claiming it for this process, and releasing it. */
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { RowsmithError } from '../../../../errors.js';
import { claimSteps, type OwnerFiles, type OwnerState } from './claim-steps.js';
import { isNewOwner, newOwnerName, ownerName, ownerNumber } from './file-names.js';
import { currentProcess, livenessOf, type ProcessIdentity } from './process-identity.js';

/** The content of an owner file. */
interface OwnerRecord extends ProcessIdentity {
  readonly released: boolean;
}

/** Milliseconds between two looks at a file that another process is writing, and their number. */
const waitMs = 20;
const maxWaits = 100;

/** This process' ownership of a directory. */
export interface Ownership {
  readonly number: number;
  /** Lets other processes open the directory. */
  release(): void;
  /** `release`, and leaves no owner file where there was none: for a directory left unchanged. */
  withdraw(): void;
}

/**
 * Makes this process the owner of an existing directory; DATABASE_IN_USE while there is another.
 */
export async function claimDirectory(directory: string): Promise<Ownership> {
  const token = `${process.pid}-${randomBytes(8).toString('hex')}`;
  const files = new DirectoryOwners(directory, token);
  const steps = claimSteps(files, maxWaits);
  let step = steps.next();
  while (step.done !== true) {
    if (step.value === 'wait') await new Promise((resolve) => void setTimeout(resolve, waitMs));
    step = steps.next();
  }
  if (typeof step.value !== 'number') throw inUseError(directory, step.value.heldBy);
  const number = step.value;
  return {
    number,
    release: () => files.release(number),
    // Only the first file of all: see claim-steps.ts for why others must remain.
    withdraw: () => (number === 1 ? files.remove(number) : files.release(number)),
  };
}

/** DATABASE_IN_USE: the owner file with this number names a process that may be running. */
export function inUseError(directory: string, number: number): RowsmithError {
  const file = ownerName(number);
  const record = readRecord(join(directory, file));
  if (record === undefined) {
    const fix = 'close it there first, or open it again';
    return new RowsmithError('DATABASE_IN_USE', { directory, file, fix });
  }
  const { pid } = record;
  if (livenessOf(record) === 'unknown') {
    return new RowsmithError('DATABASE_IN_USE', {
      directory,
      file,
      pid,
      problem: `process ${pid} of another container has it open`,
      fix: `close it there first; if that container has ended, delete '${file}'`,
    });
  }
  const fix =
    pid === process.pid
      ? 'close the other database of this process first'
      : `close it in process ${pid} first, or open it with { readOnly: true }`;
  return new RowsmithError('DATABASE_IN_USE', { directory, pid, fix });
}

/** Number of the owner file whose process may be running; undefined when nobody has it open. */
export function runningOwner(directory: string): number | undefined {
  const files = new DirectoryOwners(directory, '');
  const highest = Math.max(0, ...files.list());
  return highest > 0 && files.read(highest) === 'running' ? highest : undefined;
}

/** The content of the file while the process holds the directory, and afterwards. */
function recordText(): { readonly held: string; readonly released: string } {
  const text = JSON.stringify(currentProcess()).slice(0, -1);
  // Of the same length, so that a release needs no space on the disk.
  return { held: `${text},"released":false}`, released: `${text},"released":true }` };
}

function readRecord(path: string): OwnerRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as OwnerRecord;
    return typeof record.pid === 'number' ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Owner files on disk. */
class DirectoryOwners implements OwnerFiles {
  readonly #directory: string;
  readonly #newFile: string;
  readonly #text = recordText();
  /** False where the file system has no hard links. */
  #hasLinks = true;

  constructor(directory: string, token: string) {
    this.#directory = directory;
    this.#newFile = newOwnerName(token);
  }

  list(): number[] {
    return readdirSync(this.#directory)
      .map((name) => ownerNumber(name))
      .filter((number) => number !== undefined);
  }

  read(number: number): OwnerState {
    const path = this.#path(ownerName(number));
    const record = readRecord(path);
    if (record === undefined) return existsSync(path) ? 'unreadable' : 'missing';
    if (record.released) return 'ended';
    return livenessOf(record) === 'ended' ? 'ended' : 'running';
  }

  create(number: number): boolean {
    const path = this.#path(ownerName(number));
    if (!this.#hasLinks) return createEmpty(path);
    const written = this.#path(this.#newFile);
    try {
      writeFileSync(written, this.#text.held);
      linkSync(written, path);
      return true;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      // Another process was quicker, or has become the owner and removed the written file.
      if (code === 'EEXIST' || code === 'ENOENT') return false;
      if (!noLinkCodes.has(code)) throw error;
      this.#hasLinks = false;
      return createEmpty(path);
    } finally {
      rmSync(written, { force: true });
    }
  }

  fill(number: number): void {
    if (!this.#hasLinks) overwrite(this.#path(ownerName(number)), this.#text.held);
  }

  remove(number: number): void {
    rmSync(this.#path(ownerName(number)), { force: true });
  }

  removeUnfinished(): void {
    for (const name of readdirSync(this.#directory))
      if (isNewOwner(name)) rmSync(this.#path(name), { force: true });
  }

  release(number: number): void {
    overwrite(this.#path(ownerName(number)), this.#text.released);
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** What file systems without hard links answer. */
const noLinkCodes = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

function createEmpty(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Writes over the beginning of a file in place; does nothing where it was deleted. */
function overwrite(path: string, text: string): void {
  let handle: number;
  try {
    handle = openSync(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    writeSync(handle, text, 0);
  } finally {
    closeSync(handle);
  }
}
