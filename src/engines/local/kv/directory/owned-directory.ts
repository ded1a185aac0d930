/** This process' ownership of a directory, until it is released or lost. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { OwnerSigns } from './disk-tuning.js';
import { ownerName, ownerNumber } from './file-names.js';
import type { OwnFile } from './own-file.js';
import { Signs } from './signs.js';
import { storageError } from './storage-error.js';

/** A directory that this process has claimed. */
export class OwnedDirectory {
  /** Why the directory is no longer owned; for ever. */
  #failure: RowsmithError | undefined = undefined;
  #isTakenOver = false;
  #isReleased = false;
  readonly #signs: Signs;
  readonly #successor: string;

  readonly #directory: string;
  readonly #file: OwnFile;
  readonly #isFirst: boolean;

  /** `isFirst` tells that there was no owner file before. */
  constructor(
    directory: string,
    readonly number: number,
    file: OwnFile,
    isFirst: boolean,
    signs: OwnerSigns,
  ) {
    this.#directory = directory;
    this.#file = file;
    this.#isFirst = isFirst;
    this.#successor = join(directory, ownerName(number + 1));
    this.#signs = new Signs(file.handle, signs);
  }

  /** Throws if this process is no longer the owner; see OpenDirectory. */
  check(): void {
    if (this.#failure === undefined) {
      this.#signs.renew();
      this.#failure = this.#findFailure();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Lets other processes open the directory. */
  release(): Promise<void> {
    return this.#end(() => this.#file.release());
  }

  /** `release`, and leaves no owner file where there was none: for a directory left unchanged. */
  withdraw(): Promise<void> {
    const isFirst = this.#isFirst && this.#findFailure() === undefined;
    return this.#end(() => this.#file.withdraw(isFirst));
  }

  async #end(release: () => void): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#signs.stop();
    // A successor has removed the file, or will.
    if (this.#isTakenOver) this.#file.close();
    else release();
  }

  #findFailure(): RowsmithError | undefined {
    const directory = this.#directory;
    try {
      const isSucceeded = statSync(this.#successor, { throwIfNoEntry: false }) !== undefined;
      if (!isSucceeded && this.#file.isInPlace()) return undefined;
      if (isSucceeded || this.#hasNewerOwner()) {
        this.#isTakenOver = true;
        return new RowsmithError('DATABASE_IN_USE', { directory, ...faults.takenOver });
      }
      return new RowsmithError('STORAGE_FAILED', { file: directory, ...faults.moved });
    } catch (error) {
      // Whether there is a successor is not known.
      return storageError(error, directory);
    }
  }

  #hasNewerOwner(): boolean {
    try {
      return readdirSync(this.#directory).some((name) => (ownerNumber(name) ?? 0) > this.number);
    } catch {
      // The directory was renamed or deleted.
      return false;
    }
  }
}

const faults = {
  takenOver: {
    problem:
      'another process took over the database, because this process was stopped for too long',
    fix: 'close the database and open it again',
  },
  moved: {
    problem:
      'the directory or its owner file was renamed, replaced or deleted while the database was open',
    fix: 'close the database, put the directory back, and open it again',
  },
} satisfies FaultTexts;
