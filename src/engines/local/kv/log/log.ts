/** The write log: segments that this owner has begun; the last one is being written. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Piece } from '../buffer/pair-arena.js';
import { newSalt, noSalt } from '../directory/file-header.js';
import { compareFileIds, type FileId, logName } from '../directory/file-names.js';
import { storageError } from '../directory/storage-error.js';
import { syncDirectory } from '../directory/sync-directory.js';
import { LogFile } from './log-file.js';
import type { SegmentHeader, SegmentId } from './log-record.js';

/** A segment for removals is larger than what this leaves of it. */
const shortBytes = 128 * 1024;

/** Where a log is written. */
export interface LogContext {
  readonly directory: string;
  readonly database: Uint8Array;
  readonly owner: number;
  readonly isDurable: boolean;
  /** Throws if this process is no longer the owner. */
  check(): void;
}

/** The segments of a log that was read, in the order in which they were written. */
export interface LogTail {
  readonly segments: readonly SegmentId[];
}

/** Which segment a log begins with. */
export interface LogStart {
  /** What earlier owners have written; undefined in a new database. */
  readonly previous: LogTail | undefined;
  /** Number of the next commit. */
  readonly nextCommit: number;
}

/**
 * A log, open for appending. An owner never continues the segment of another: a former owner may
 * still write to it.
 */
export class Log {
  /** The segments that still exist, without the current one; some were never used. */
  #earlier: SegmentId[];
  #current: LogFile;
  #nextCommit: number;
  /** Number of the next segment. A number is not used again, also if its segment was never used. */
  #nextNumber = 1;
  /** Whether the space of the next segment is allocated. */
  #hasReserve = false;
  /** Set once this process is no longer the owner, or that is not known. */
  #failure: Error | undefined = undefined;

  readonly #context: LogContext;

  private constructor(context: LogContext, { previous, nextCommit }: LogStart) {
    this.#context = context;
    this.#nextCommit = nextCommit;
    this.#earlier = [...(previous?.segments ?? [])];
    this.#current = this.#createNext(this.#earlier.at(-1)?.salt ?? noSalt);
  }

  static create(context: LogContext, start: LogStart): Log {
    return new Log(context, start);
  }

  /** Number of the next commit. */
  get nextCommit(): number {
    return this.#nextCommit;
  }

  get current(): SegmentId {
    return idOf(this.#current.header);
  }

  get bytes(): number {
    return this.#current.bytes;
  }

  get segments(): number {
    return this.#earlier.length + 1;
  }

  /** True if the segment that is written was deleted, so that the next opening would miss it. */
  get isDeleted(): boolean {
    return this.#current.isDeleted;
  }

  /** Whether there will soon be no space for removals. */
  get isShort(): boolean {
    return !this.#hasReserve && this.#current.bytes > shortBytes;
  }

  /**
   * Appends the pairs of a commit, and flushes them if commits are durable. If it throws, the
   * commit is not acknowledged, and will not be found in the log unless another process has become
   * the owner, or no other segment could be begun before this process ended. The space of the next
   * segment is allocated before, and only commits that remove pairs may use it.
   */
  append(pieces: readonly Piece[], onlyRemoves: boolean): void {
    this.#throwFailure();
    if (!onlyRemoves) this.#prepare();
    if (!this.#current.isUsable) this.#begin();
    const mayRetry = onlyRemoves && this.#hasReserve;
    try {
      this.#write(pieces);
    } catch (error) {
      if (!mayRetry) throw error;
      if (this.#hasReserve || !this.#current.isUsable) this.#begin();
      this.#write(pieces);
    }
    this.#check();
    this.#nextCommit++;
  }

  /** Returns a segment that holds none of the commits so far. */
  rotate(): SegmentId {
    this.#throwFailure();
    if (!this.#current.isUsable || !this.#current.isEmpty) this.#begin();
    return idOf(this.#current.header);
  }

  /** Removes the segments before one, once they are no longer needed. */
  removeBefore(id: SegmentId): void {
    this.#check();
    const { directory } = this.#context;
    const isBefore = (segment: SegmentId): boolean => compareFileIds(segment, id) < 0;
    try {
      for (const segment of this.#earlier.filter(isBefore)) {
        rmSync(join(directory, logName(segment)), { force: true });
        this.#earlier = this.#earlier.filter((other) => other !== segment);
      }
      this.#prepare();
    } catch {
      // The next call, or the next owner of the directory, makes another attempt.
    }
  }

  /** Frees the space that is allocated for the next commits; false if there is none. */
  trim(): boolean {
    if (!this.#current.isUsable) return false;
    try {
      this.#check();
    } catch {
      // The directory belongs to another process.
      return false;
    }
    return this.#current.trim();
  }

  /** Frees the space of the next segment, until it is allocated again; false if there is none. */
  releaseReserve(): boolean {
    if (!this.#hasReserve) return false;
    try {
      this.#check();
    } catch {
      // The directory belongs to another process.
      return false;
    }
    LogFile.removePrepared(this.#context.directory, this.#nextId);
    this.#hasReserve = false;
    return true;
  }

  /** Gives allocated space back: the next owner needs some of a full disk to begin. */
  close(): void {
    this.trim();
    this.#current.close();
    this.releaseReserve();
  }

  get #nextId(): FileId {
    return { owner: this.#context.owner, number: this.#nextNumber };
  }

  #prepare(): void {
    if (this.#hasReserve) return;
    this.#check();
    LogFile.prepare(this.#context.directory, this.#nextId);
    this.#hasReserve = true;
  }

  /**
   * Begins a segment. Its first commit tells where the one before it ends: what may have been
   * written there of a commit that failed is ignored.
   */
  #begin(): void {
    const before = this.#current;
    const file = this.#createNext(before.header.salt);
    if (before.isUsable) before.trim();
    before.close();
    this.#earlier.push(idOf(before.header));
    this.#current = file;
  }

  /** Creates the next segment, and flushes its name. */
  #createNext(previousSalt: Uint8Array): LogFile {
    this.#check();
    const { directory, database, isDurable } = this.#context;
    const salt = newSalt();
    const header = { ...this.#nextId, database, salt, firstCommit: this.#nextCommit, previousSalt };
    const file = this.#createFile(header);
    this.#hasReserve = false;
    this.#nextNumber++;
    try {
      if (isDurable) syncDirectory(directory);
      this.#check();
      return file;
    } catch (error) {
      file.close();
      this.#earlier.push(idOf(header));
      // The new segment may exist from now on. What was appended to the one before would be taken
      // for the rest of a failed commit, so another attempt comes before the next commit.
      this.#before?.abandon();
      throw storageError(error, directory);
    }
  }

  #createFile(header: SegmentHeader): LogFile {
    const { directory, isDurable } = this.#context;
    try {
      return LogFile.create(directory, header, isDurable);
    } catch (error) {
      // The disk may be full but for what the current segment has allocated.
      if (this.#before?.isUsable !== true) throw error;
      this.#before.trim();
      return LogFile.create(directory, header, isDurable);
    }
  }

  /** The current segment; undefined while the first one is begun. */
  get #before(): LogFile | undefined {
    return this.#current;
  }

  #write(pieces: readonly Piece[]): void {
    try {
      this.#current.append(pieces, this.#nextCommit);
    } catch (error) {
      this.#voidFailed();
      throw error;
    }
  }

  /** Lets a commit that could not be flushed not be found, though it is in the segment. */
  #voidFailed(): void {
    if (this.#current.isUsable) return;
    try {
      this.#begin();
    } catch {
      // The next commit makes another attempt.
    }
  }

  #check(): void {
    this.#throwFailure();
    try {
      this.#context.check();
    } catch (error) {
      this.#failure = error as Error;
      throw error;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

function idOf({ owner, number, salt, firstCommit }: SegmentHeader): SegmentId {
  return { owner, number, salt, firstCommit };
}
