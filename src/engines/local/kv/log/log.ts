/** The write log: a directory's `log.<n>` files, of which the last is being written. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Durability } from '../../../../data/store/index.js';
import { logName } from '../disk/file-names.js';
import { storageError } from '../disk/storage-error.js';
import { syncDirectory } from '../disk/sync-directory.js';
import { LogFile } from './log-file.js';
import { segmentHeader, type SegmentHeader } from './log-record.js';
import type { Piece } from '../buffer/pair-arena.js';

/** A segment for removals is larger than what this leaves of it. */
const shortBytes = 128 * 1024;

/** The segments of a log, open for appending. */
export class Log {
  /** The segments before the current one that still exist. */
  #first: number;
  #current: LogFile;
  #nextCommit: number;
  /** Whether the space of the next segment is allocated. */
  #hasReserve = false;
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

  /**
   * Appends the pairs of a commit. If it throws, they will not be found in the log. The space of
   * the next segment is allocated before, and only commits that remove pairs may use it.
   */
  append(pieces: readonly Piece[], onlyRemoves: boolean): void {
    if (!onlyRemoves) this.#prepare();
    if (!this.#current.isUsable) this.#begin();
    try {
      this.#current.append(pieces, this.#nextCommit);
    } catch (error) {
      if (!onlyRemoves || !this.#hasReserve) throw error;
      this.#begin();
      this.#current.append(pieces, this.#nextCommit);
    }
    this.#nextCommit++;
  }

  /** Whether there will soon be no space for removals. */
  get isShort(): boolean {
    return !this.#hasReserve && this.#current.bytes > shortBytes;
  }

  /** Returns the number of a segment that holds none of the commits so far. */
  rotate(): number {
    if (!this.#current.isUsable || !this.#current.isEmpty) this.#begin();
    return this.#current.header.number;
  }

  /** Removes the segments before `number`, which are no longer needed. */
  removeBefore(number: number): void {
    try {
      for (; this.#first < number; this.#first++)
        rmSync(join(this.#directory, logName(this.#first)), { force: true });
      this.#prepare();
    } catch {
      // The next call, or the next owner of the directory, makes another attempt.
    }
  }

  /** Frees the space of the next segment, until it is allocated again. */
  releaseReserve(): void {
    if (!this.#hasReserve) return;
    try {
      this.checkOwner?.();
    } catch {
      // The file belongs to another process.
      return;
    }
    LogFile.removePrepared(this.#directory, this.#nextNumber);
    this.#hasReserve = false;
  }

  close(): void {
    this.#current.close();
    this.releaseReserve();
  }

  get #nextNumber(): number {
    return this.#current.header.number + 1;
  }

  #prepare(): void {
    if (this.#hasReserve) return;
    LogFile.prepare(this.#directory, this.#nextNumber);
    this.#hasReserve = true;
  }

  /**
   * Begins a segment. Its first commit tells where the one before it ends: what may have been
   * written there of a commit that failed is ignored.
   */
  #begin(): void {
    // The successor of this process has begun the same segment.
    this.checkOwner?.();
    const header = segmentHeader(this.#nextNumber, this.#nextCommit);
    const file = this.#create(header);
    this.#hasReserve = false;
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

  #create(header: SegmentHeader): LogFile {
    try {
      return LogFile.create(this.#directory, header, this.#isDurable);
    } catch {
      // The disk may be full but for what the current segment has allocated.
      this.#current.trim();
      return LogFile.create(this.#directory, header, this.#isDurable);
    }
  }
}
