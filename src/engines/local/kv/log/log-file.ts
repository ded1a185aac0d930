/**
 * A segment of the log that is being written. Nothing counts as written before it was flushed.
 * After a failed write, the file is cut back to its earlier length. After a failed cut or flush,
 * the segment is no longer used, because the system may have dropped what it could not write.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { logName, newLogName } from '../disk/file-names.js';
import { storageError } from '../disk/storage-error.js';
import {
  completeRecord,
  encodeSegmentHeader,
  recordHeaderBytes,
  type SegmentHeader,
  segmentHeaderBytes,
} from './log-record.js';
import type { Piece } from '../buffer/pair-arena.js';

/**
 * Zeros are written ahead of small commits, so that flushing them does not have to extend the file,
 * which takes two to three times as long.
 */
const zeros = new Uint8Array(256 * 1024);
const maxSmallBytes = 64 * 1024;
/** Size of a segment that is prepared for deletions on a full disk: some 8,000 of them. */
const reserveBytes = 2 * zeros.length;

/** A segment that is open for writing. */
export class LogFile {
  /** End of the last record. */
  #end: number;
  /** Bytes of the file. */
  #allocated: number;
  #isUsable = true;

  readonly #handle: number;
  readonly #path: string;
  readonly #isDurable: boolean;

  private constructor(
    path: string,
    handle: number,
    readonly header: SegmentHeader,
    end: number,
    isDurable: boolean,
    allocated = end,
  ) {
    this.#path = path;
    this.#handle = handle;
    this.#end = end;
    this.#allocated = allocated;
    this.#isDurable = isDurable;
  }

  /** Allocates space for a segment, which `create` then uses. */
  static prepare(directory: string, number: number): void {
    const path = join(directory, newLogName(number));
    let handle: number | undefined;
    try {
      handle = openSync(path, 'w');
      for (let at = 0; at < reserveBytes; at += zeros.length)
        writeAll(handle, zeros, 0, zeros.length, at);
    } catch (error) {
      LogFile.removePrepared(directory, number);
      throw storageError(error, path);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  static removePrepared(directory: string, number: number): void {
    try {
      rmSync(join(directory, newLogName(number)), { force: true });
    } catch {
      // The next owner of the directory removes it.
    }
  }

  /**
   * Creates a segment, under another name until its header is written: a segment without one is
   * damaged. The caller flushes the directory.
   */
  static create(directory: string, header: SegmentHeader, isDurable: boolean): LogFile {
    const path = join(directory, logName(header.number));
    const newPath = join(directory, newLogName(header.number));
    let handle: number | undefined;
    try {
      // One that was prepared, or that a failed attempt left, has zeros after its header.
      handle = openSync(newPath, constants.O_RDWR | constants.O_CREAT);
      writeAll(handle, encodeSegmentHeader(header), 0, segmentHeaderBytes, 0);
      if (isDurable) fsyncSync(handle);
      renameSync(newPath, path);
      const { size } = fstatSync(handle);
      return new LogFile(path, handle, header, segmentHeaderBytes, isDurable, size);
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      throw storageError(error, path);
    }
  }

  /**
   * Opens a segment to continue it after `end`, where nothing follows but zeros. What was read from
   * it is flushed: the process that wrote it may have been killed before it did.
   */
  static continue(path: string, header: SegmentHeader, end: number, isDurable: boolean): LogFile {
    let handle: number | undefined;
    try {
      handle = openSync(path, 'r+');
      ftruncateSync(handle, end);
      if (isDurable) fsyncSync(handle);
      return new LogFile(path, handle, header, end, isDurable);
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      throw storageError(error, path);
    }
  }

  /** Bytes of the segment. */
  get bytes(): number {
    return this.#end;
  }

  /** True when there are no records. */
  get isEmpty(): boolean {
    return this.#end === segmentHeaderBytes;
  }

  /** False after a failure: the next commit needs another segment. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Appends the pairs of a commit. Throws when they were not written. */
  append(pieces: readonly Piece[], commit: number): void {
    const handle = this.#handle;
    let end = this.#end;
    try {
      pieces.forEach((piece, index) => {
        const isLast = index === pieces.length - 1;
        const { salt } = this.header;
        const recordEnd = completeRecord(piece, commit, index, isLast, salt, end);
        const start = piece.start - recordHeaderBytes;
        writeAll(handle, piece.chunk, start, recordEnd, end);
        end += recordEnd - start;
      });
      if (end > this.#allocated) this.#allocate(end, end - this.#end <= maxSmallBytes);
    } catch (error) {
      this.#cutBack();
      throw storageError(error, this.#path);
    }
    this.#flush();
    this.#end = end;
  }

  /** Gives the space back that is allocated beyond the last record. */
  trim(): void {
    this.#cutBack();
  }

  /** Makes the next commit begin another segment. */
  abandon(): void {
    this.#isUsable = false;
  }

  close(): void {
    closeSync(this.#handle);
  }

  #allocate(end: number, ahead: boolean): void {
    this.#allocated = end;
    if (!ahead) return;
    try {
      writeAll(this.#handle, zeros, 0, zeros.length, end);
      this.#allocated = end + zeros.length;
    } catch {
      // There is no space for more than this commit.
    }
  }

  #flush(): void {
    if (!this.#isDurable) return;
    try {
      fdatasyncSync(this.#handle);
    } catch (error) {
      this.#isUsable = false;
      this.#cutBack();
      throw storageError(error, this.#path);
    }
  }

  /** Removes what was written of a commit that failed. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#handle, this.#end);
      this.#allocated = this.#end;
    } catch {
      this.#isUsable = false;
    }
  }
}

function writeAll(
  handle: number,
  bytes: Uint8Array,
  start: number,
  end: number,
  position: number,
): void {
  for (let at = start; at < end;)
    at += writeSync(handle, bytes, at, end - at, position + at - start);
}
