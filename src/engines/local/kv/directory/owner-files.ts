/** The owner files of a directory, and how this process creates one to claim the directory. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { claimSteps, type OwnerFiles, type OwnerState } from './claim-steps.js';
import { defaultTuning, type OwnerSigns } from './disk-tuning.js';
import { creatorOf, isNewOwner, maxFileNumber, ownerName, ownerNumber } from './file-names.js';
import { notADatabaseError } from './marker-file.js';
import { isReleasedUnmarked, OwnFile } from './own-file.js';
import { OwnedDirectory } from './owned-directory.js';
import { ownerLiveness, readOwnerRecord } from './owner-record.js';

/** Milliseconds between two looks at a file that another process is writing, and their number. */
const waitMs = 20;
const maxWaits = 100;

/**
 * Makes this process the owner of an existing directory; DATABASE_IN_USE while there is another.
 * The path is absolute.
 */
export async function claimDirectory(
  directory: string,
  signs: OwnerSigns = defaultTuning.signs,
): Promise<OwnedDirectory> {
  const files = new DirectoryOwners(directory, signs);
  const steps = claimSteps(files, maxWaits);
  try {
    let step = steps.next();
    while (step.done !== true) {
      if (step.value === 'wait') await new Promise((resolve) => void setTimeout(resolve, waitMs));
      step = steps.next();
    }
    if (typeof step.value !== 'number') throw inUseError(directory, step.value.heldBy);
    return files.own(step.value);
  } catch (error) {
    files.abandon();
    throw error;
  }
}

/** DATABASE_IN_USE: the owner file with this number names a process that may be running. */
export function inUseError(directory: string, number: number): RowsmithError {
  const record = readOwnerRecord(directory, number);
  if (record === undefined)
    return new RowsmithError('DATABASE_IN_USE', {
      directory,
      file: ownerName(number),
      ...faults.unreadable,
    });
  const { pid } = record;
  const isForeign = ownerLiveness(record, directory) === 'unknown';
  const owner = isForeign ? `process ${pid} of another container` : `process ${pid}`;
  const fix =
    pid === process.pid && !isForeign
      ? 'close the other database of this process first, or open it once for all with shared()'
      : `close it in ${owner} first, or open it with { readOnly: true }`;
  const shell = { fix: `close it in ${owner} first; commands that only read need not wait` };
  return new RowsmithError('DATABASE_IN_USE', { directory, pid, fix, shell });
}

class DirectoryOwners implements OwnerFiles {
  readonly #directory: string;
  readonly #signs: OwnerSigns;
  readonly #token = `${process.pid}-${randomBytes(8).toString('hex')}`;
  /** The file that this process has created. */
  #created: OwnFile | undefined = undefined;
  #createdNumber = 0;
  /** Whether there was no owner file before. */
  #isFirst = false;
  /** The last owner that has left files with data; its owner file may be gone. */
  #lastCreator = 0;
  /** Times of files of processes that cannot be seen, and when they were first read. */
  readonly #times = new Map<number, { readonly time: number; readonly since: number }>();

  constructor(directory: string, signs: OwnerSigns) {
    this.#directory = directory;
    this.#signs = signs;
  }

  /**
   * An owner counts as long as there are files that it has created: a restored copy may lack its
   * owner file, and the numbers of owners must not start again beside such files.
   */
  list(): number[] {
    const names = readdirSync(this.#directory);
    const numbers = names.map(ownerNumber).filter((number) => number !== undefined);
    if (this.#created === undefined) this.#isFirst = numbers.length === 0;
    this.#lastCreator = Math.max(0, ...names.map((name) => creatorOf(name) ?? 0));
    const isListed = this.#lastCreator <= Math.max(0, ...numbers);
    return isListed ? numbers : [...numbers, this.#lastCreator];
  }

  read(number: number): OwnerState {
    const record = readOwnerRecord(this.#directory, number);
    const path = this.#path(number);
    if (record === undefined) {
      if (existsSync(path)) return 'unreadable';
      return number === this.#lastCreator ? 'ended' : 'missing';
    }
    if (isReleasedUnmarked(path, record)) return 'ended';
    const liveness = ownerLiveness(record, this.#directory);
    return liveness === 'unknown' ? this.#observe(number, path) : liveness;
  }

  create(number: number): boolean {
    if (number > maxFileNumber) throw notADatabaseError(this.#directory, faults.noMoreNumbers);
    this.#created = OwnFile.create(this.#directory, number, this.#token);
    if (this.#created === undefined) return false;
    this.#createdNumber = number;
    return true;
  }

  fill(): void {
    this.#created!.fill();
  }

  remove(number: number): void {
    if (number !== this.#createdNumber) rmSync(this.#path(number), { force: true });
    else {
      this.#created!.remove();
      this.#forget();
    }
  }

  removeUnfinished(): void {
    for (const name of readdirSync(this.#directory))
      if (isNewOwner(name)) rmSync(join(this.#directory, name), { force: true });
  }

  /** The directory was claimed. */
  own(number: number): OwnedDirectory {
    return new OwnedDirectory(this.#directory, number, this.#created!, this.#isFirst, this.#signs);
  }

  /** Withdraws what was created by a claim that failed. */
  abandon(): void {
    const created = this.#created;
    this.#forget();
    try {
      created?.withdraw(this.#isFirst);
    } catch {
      // The error of the claim is reported.
    }
  }

  #forget(): void {
    this.#created = undefined;
    this.#createdNumber = 0;
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

  #path(number: number): string {
    return join(this.#directory, ownerName(number));
  }
}

const faults = {
  unreadable: {
    problem: 'another process is opening it',
    fix: 'close it there first, or open it again',
  },
  noMoreNumbers: { problem: 'a number in the name of one of its files is too large' },
} satisfies FaultTexts;
