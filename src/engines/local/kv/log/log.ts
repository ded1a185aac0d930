/** The write log: a directory's `log.<n>` files, of which the last is being written. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Durability } from '../../../../store/index.js';
import { logName } from '../disk/file-names.js';
import { storageError } from '../disk/storage-error.js';
import { syncDirectory } from '../disk/sync-directory.js';
import { LogFile } from './log-file.js';
import { segmentHeader } from './log-record.js';
import type { Piece } from './pair-arena.js';

/** The segments of a log, open for appending. */
export class Log {
  /** The segments before the current one that still exist. */
  #first: number;
  #current: LogFile;
  #nextCommit: number;
  /** Called before a segment is begun; throws DATABASE_IN_USE if another process owns the log. */
  checkOwner: (() => void) | undefined = undefined;

  readonly #directory: string;
  readonly #isDurable: boolean;

  /** `current` is the last segment; the next commit has the number `nextCommit`. */
  constructor(
    directory: string,
    durability: Durability,
    first: number,
    current: LogFile,
    nextCommit: number,
  ) {
    this.#directory = directory;
    this.#isDurable = durability === 'durable';
    this.#first = first;
    this.#current = current;
    this.#nextCommit = nextCommit;
  }

  /** Creates the first segment of a new database. */
  static create(directory: string, durability: Durability): Log {
    const isDurable = durability === 'durable';
    const file = LogFile.create(directory, segmentHeader(1, 1), isDurable);
    if (isDurable) syncDirectory(directory);
    return new Log(directory, durability, 1, file, 1);
  }

  /** Appends the pairs of a commit. If it throws, they will not be found in the log. */
  append(pieces: readonly Piece[]): void {
    if (!this.#current.isUsable) this.#begin();
    this.#current.append(pieces, this.#nextCommit);
    this.#nextCommit++;
  }

  /** Returns the number of a segment that holds none of the commits so far. */
  rotate(): number {
    if (!this.#current.isUsable || !this.#current.isEmpty) this.#begin();
    return this.#current.header.number;
  }

  /** Removes the segments before `number`, which are not needed any more. */
  removeBefore(number: number): void {
    try {
      for (; this.#first < number; this.#first++)
        rmSync(join(this.#directory, logName(this.#first)), { force: true });
    } catch {
      // The next call, or the next owner of the directory, makes another attempt.
    }
  }

  close(): void {
    this.#current.close();
  }

  /**
   * Begins a segment. Its first commit tells where the one before it ends: what may have been
   * written there of a commit that failed is ignored.
   */
  #begin(): void {
    // The successor of this process has begun the same segment.
    this.checkOwner?.();
    const header = segmentHeader(this.#current.header.number + 1, this.#nextCommit);
    const file = LogFile.create(this.#directory, header, this.#isDurable);
    try {
      if (this.#isDurable) syncDirectory(this.#directory);
    } catch (error) {
      file.close();
      // The new segment may exist from now on. What was appended to the one before would be taken
      // for the rest of a failed commit, so another attempt comes before the next commit.
      this.#current.abandon();
      throw storageError(error, this.#directory);
    }
    this.#current.close();
    this.#current = file;
  }
}
