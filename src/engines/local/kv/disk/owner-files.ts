/** The owner files of a directory: claiming it for this process, and releasing it. */
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { claimSteps, type OwnerFiles, type OwnerState } from './claim-steps.js';
import { defaultTuning, type OwnerSigns } from './disk-tuning.js';
import { isNewOwner, newOwnerName, ownerName, ownerNumber } from './file-names.js';
import { currentProcess, livenessOf, type ProcessIdentity } from './process-identity.js';
import { storageError } from './storage-error.js';

const unwrittenReleasesKey = Symbol.for('rowsmith.unwritten-releases');

/** The content of an owner file. */
interface OwnerRecord extends ProcessIdentity {
  readonly released: boolean;
}

/** Milliseconds between two looks at a file that another process is writing, and their number. */
const waitMs = 20;
const maxWaits = 100;

/** This process' ownership of a directory. */
export interface Ownership {
  /**
   * Throws DATABASE_IN_USE if another process has taken the directory over, because this one was
   * stopped for long. To be called before each write.
   */
  check(): void;
  /** Lets other processes open the directory. */
  release(): void;
  /** `release`, and leaves no owner file where there was none: for a directory left unchanged. */
  withdraw(): void;
}

/**
 * Makes this process the owner of an existing directory; DATABASE_IN_USE while there is another.
 */
export async function claimDirectory(
  directory: string,
  signs: OwnerSigns = defaultTuning.signs,
): Promise<Ownership> {
  const token = `${process.pid}-${randomBytes(8).toString('hex')}`;
  const files = new DirectoryOwners(directory, token, signs);
  const steps = claimSteps(files, maxWaits);
  try {
    let step = steps.next();
    while (step.done !== true) {
      if (step.value === 'wait') await new Promise((resolve) => void setTimeout(resolve, waitMs));
      step = steps.next();
    }
    if (typeof step.value !== 'number') throw inUseError(directory, step.value.heldBy);
    return new OwnedDirectory(directory, files, step.value, signs);
  } catch (error) {
    files.abandon();
    throw error;
  }
}

class OwnedDirectory implements Ownership {
  /** When the last sign was given, as performance.now(). */
  #lastSign = performance.now();
  #isLost = false;
  readonly #timer: NodeJS.Timeout;

  readonly #directory: string;
  readonly #files: DirectoryOwners;
  readonly #number: number;
  readonly #lateMs: number;

  constructor(directory: string, files: DirectoryOwners, number: number, signs: OwnerSigns) {
    this.#directory = directory;
    this.#files = files;
    this.#number = number;
    this.#lateMs = signs.late;
    this.#timer = setInterval(() => this.#giveSign(), signs.interval).unref();
  }

  check(): void {
    if (performance.now() - this.#lastSign > this.#lateMs) this.#giveSign();
    if (!this.#isLost) return;
    throw new RowsmithError('DATABASE_IN_USE', {
      directory: this.#directory,
      ...faults.takenOver,
    });
  }

  release(): void {
    clearInterval(this.#timer);
    if (!this.#isLost) this.#files.release(this.#number);
  }

  withdraw(): void {
    clearInterval(this.#timer);
    this.#files.withdraw(this.#number);
  }

  /**
   * The sign comes first: a process that claims the directory looks for it once more after it has
   * created its file.
   */
  #giveSign(): void {
    if (this.#isLost) return;
    const isGiven = this.#files.touch(this.#number);
    this.#isLost = this.#files.isSucceeded(this.#number);
    if (this.#isLost) clearInterval(this.#timer);
    else if (isGiven) this.#lastSign = performance.now();
  }
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
  const isForeign = livenessOf(record) === 'unknown';
  const owner = isForeign ? `process ${pid} of another container` : `process ${pid}`;
  const fix =
    pid === process.pid && !isForeign
      ? 'close the other database of this process first, or open it once for all with shared()'
      : `close it in ${owner} first, or open it with { readOnly: true }`;
  const shell = { fix: `close it in ${owner} first; commands that only read need not wait` };
  return new RowsmithError('DATABASE_IN_USE', { directory, pid, fix, shell });
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
  readonly #signs: OwnerSigns;
  readonly #text = recordText();
  /** The file that this process has created. */
  #created: number | undefined = undefined;
  /** False where the file system has no hard links. */
  #hasLinks = true;
  /** Times of files of processes that cannot be seen, and when they were first read. */
  readonly #times = new Map<number, { readonly time: number; readonly since: number }>();

  constructor(directory: string, token: string, signs: OwnerSigns) {
    this.#directory = directory;
    this.#signs = signs;
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
    if (record.released || unwrittenReleases.has(releaseName(path, record))) return 'ended';
    const liveness = livenessOf(record);
    return liveness === 'unknown' ? this.#observe(number, path) : liveness;
  }

  create(number: number): boolean {
    const isCreated = this.#create(this.#path(ownerName(number)));
    if (isCreated) this.#created = number;
    return isCreated;
  }

  #create(path: string): boolean {
    if (!this.#hasLinks) return createEmpty(path);
    const written = this.#path(this.#newFile);
    try {
      // Flushed, since after a power loss an empty file looks as if it were being written.
      writeFileSync(written, this.#text.held, { flush: true });
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
      removeQuietly(written);
    }
  }

  fill(number: number): void {
    if (!this.#hasLinks) overwrite(this.#path(ownerName(number)), this.#text.held);
  }

  remove(number: number): void {
    rmSync(this.#path(ownerName(number)), { force: true });
    if (number === this.#created) this.#created = undefined;
  }

  removeUnfinished(): void {
    for (const name of readdirSync(this.#directory))
      if (isNewOwner(name)) rmSync(this.#path(name), { force: true });
  }

  /** Gives the file a new time; false if that is not possible. */
  touch(number: number): boolean {
    const now = new Date();
    try {
      utimesSync(this.#path(ownerName(number)), now, now);
      return true;
    } catch {
      return false;
    }
  }

  /** True when there is a newer owner. */
  isSucceeded(number: number): boolean {
    try {
      return Math.max(...this.list()) > number;
    } catch {
      // The directory was deleted.
      return false;
    }
  }

  /**
   * If the file cannot be written, because the disk is full or has failed, other processes wait for
   * the end of this one, which itself may open the directory again.
   */
  release(number: number): void {
    const path = this.#path(ownerName(number));
    try {
      overwrite(path, this.#text.released);
    } catch (error) {
      unwrittenReleases.add(releaseName(path, currentProcess()));
      throw storageError(error, path);
    }
  }

  /**
   * Removes the file if it is the first of all: claim-steps.ts says why other files must remain.
   */
  withdraw(number: number): void {
    try {
      if (number === 1) return this.remove(number);
    } catch {
      // It is marked instead.
    }
    this.release(number);
  }

  /** Withdraws what was created by a claim that failed. */
  abandon(): void {
    try {
      if (this.#created !== undefined) this.withdraw(this.#created);
    } catch {
      // The error of the claim is reported.
    }
  }

  /** Whether the file gets new times. */
  #observe(number: number, path: string): OwnerState {
    const time = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (time === undefined) return 'missing';
    const first = this.#times.get(number) ?? { time, since: performance.now() };
    this.#times.set(number, first);
    if (first.time !== time) return 'running';
    const { silent, shortSilent, old } = this.#signs;
    const quietMs = Date.now() - time > old ? shortSilent : silent;
    return performance.now() - first.since < quietMs ? 'unsure' : 'silent';
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** Releases of this process that could not be written, in all copies of this module. */
const unwrittenReleases: Set<string> = ((globalThis as { [unwrittenReleasesKey]?: Set<string> })[
  unwrittenReleasesKey
] ??= new Set());

function releaseName(path: string, { pid, started, thread }: ProcessIdentity): string {
  return `${resolve(path)} ${pid} ${started} ${thread?.id} ${thread?.started}`;
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

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next owner of the directory removes it.
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

const faults = {
  takenOver: {
    problem:
      'another process took over the database, because this process was stopped for too long',
    fix: 'close the database and open it again',
  },
} satisfies FaultTexts;
