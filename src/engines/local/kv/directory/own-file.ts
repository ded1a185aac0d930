/** The owner file that this process has created, which stays open until it is released. */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isWithoutLinks, removeQuietly } from './exclusive-name.js';
import { newOwnerName, ownerName } from './file-names.js';
import { ownRecordTexts } from './owner-record.js';
import type { ProcessIdentity } from './process-identity.js';
import { storageError } from './storage-error.js';

const unwrittenReleasesKey = Symbol.for('rowsmith.unwritten-releases');

export class OwnFile {
  readonly #inode: bigint;
  readonly #device: bigint;
  readonly #texts: ReturnType<typeof ownRecordTexts>;

  private constructor(
    readonly path: string,
    readonly handle: number,
    texts: ReturnType<typeof ownRecordTexts>,
  ) {
    const { ino, dev } = fstatSync(handle, { bigint: true });
    this.#inode = ino;
    this.#device = dev;
    this.#texts = texts;
  }

  /**
   * Creates the file with this number; undefined if it exists. It has its content at once, or is
   * empty until `fill` where the file system has no hard links. `token` is unique.
   */
  static create(directory: string, number: number, token: string): OwnFile | undefined {
    const path = join(directory, ownerName(number));
    const written = join(directory, newOwnerName(token));
    const texts = ownRecordTexts(directory);
    let handle: number | undefined;
    try {
      handle = openSync(written, 'wx+');
      writeSync(handle, texts.held, 0);
      // After a power loss, an empty file looks as if it were being written.
      fsyncSync(handle);
      // Before the file has its name: nothing may fail while this process cannot release it.
      const file = new OwnFile(path, handle, texts);
      linkSync(written, path);
      return file;
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      const { code } = error as NodeJS.ErrnoException;
      // Another process was quicker, or has become the owner and removed the written file.
      if (code === 'EEXIST' || code === 'ENOENT') return undefined;
      if (handle === undefined || !isWithoutLinks(error)) throw error;
    } finally {
      removeQuietly(written);
    }
    handle = openNew(path);
    return handle === undefined ? undefined : new OwnFile(path, handle, texts);
  }

  fill(): void {
    writeSync(this.handle, this.#texts.held, 0);
    fsyncSync(this.handle);
  }

  /** Whether the path still leads to this file. */
  isInPlace(): boolean {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return found?.ino === this.#inode && found.dev === this.#device;
  }

  /**
   * Marks the file as released, wherever it is now, and closes it. If that fails, because the disk
   * has failed, other processes wait for the end of this one, which itself may open the directory
   * again.
   */
  release(): void {
    try {
      writeSync(this.handle, this.#texts.released, 0);
    } catch (error) {
      // As it is in the file: who this process is cannot be read where no file can be opened.
      const record = JSON.parse(this.#texts.held) as ProcessIdentity;
      unwrittenReleases.add(releaseName(this.path, record));
      throw storageError(error, this.path);
    } finally {
      this.close();
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
    this.close();
  }

  /** Removes the file if there was none before; claim-steps.ts says why other files must remain. */
  withdraw(isFirst: boolean): void {
    try {
      if (isFirst) {
        this.remove();
        return;
      }
    } catch {
      // It is marked instead.
    }
    this.release();
  }

  close(): void {
    closeSync(this.handle);
  }
}

/** Whether this process has released the file, but could not mark it. */
export function isReleasedUnmarked(path: string, owner: ProcessIdentity): boolean {
  return unwrittenReleases.has(releaseName(path, owner));
}

/** Releases of this process that could not be written, in all copies of this module. */
const unwrittenReleases: Set<string> = ((globalThis as { [unwrittenReleasesKey]?: Set<string> })[
  unwrittenReleasesKey
] ??= new Set());

function releaseName(path: string, { pid, started, thread }: ProcessIdentity): string {
  return `${path} ${pid} ${started} ${thread?.id} ${thread?.started}`;
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, 'wx+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}
