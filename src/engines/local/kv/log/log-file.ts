/**
 * A segment of the log that is being written. Nothing counts as written before it was flushed.
 * After a failed write, what is incomplete is cut off. After a failed cut or flush, the segment is
 * no longer used, because the system may have dropped what it could not write; what was written
 * then stays, since a successor of this process may have read it.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { moveToNewName, removeQuietly } from '../directory/exclusive-name.js';
import { type FileId, logName, unfinishedName } from '../directory/file-names.js';
import { storageError } from '../directory/storage-error.js';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { Piece } from '../buffer/pair-arena.js';
import {
  completeRecord,
  encodeSegmentHeader,
  recordHeaderBytes,
  type SegmentHeader,
  segmentHeaderBytes,
} from './log-record.js';

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
  #allocated: number;
  #isUsable = true;

  readonly #handle: number;
  readonly #path: string;
  readonly #isDurable: boolean;

  private constructor(
    path: string,
    handle: number,
    readonly header: SegmentHeader,
    isDurable: boolean,
    allocated: number,
  ) {
    this.#path = path;
    this.#handle = handle;
    this.#end = segmentHeaderBytes;
    this.#allocated = allocated;
    this.#isDurable = isDurable;
  }

  /** Allocates space for a segment, which `create` then uses. */
  static prepare(directory: string, id: FileId): void {
    const path = unfinishedName(join(directory, logName(id)));
    let handle: number | undefined;
    try {
      handle = openSync(path, 'w');
      for (let at = 0; at < reserveBytes; at += zeros.length)
        writeAll(handle, zeros, 0, zeros.length, at);
    } catch (error) {
      LogFile.removePrepared(directory, id);
      throw storageError(error, path);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  static removePrepared(directory: string, id: FileId): void {
    removeQuietly(unfinishedName(join(directory, logName(id))));
  }

  /**
   * Creates a segment, under another name until its header is written: a segment without one is
   * damaged. Never in place of an existing file. The caller flushes the directory.
   */
  static create(directory: string, header: SegmentHeader, isDurable: boolean): LogFile {
    const path = join(directory, logName(header));
    const newPath = unfinishedName(path);
    let handle: number | undefined;
    try {
      // One that was prepared, or that a failed attempt left, has zeros after its header.
      handle = openSync(newPath, constants.O_RDWR | constants.O_CREAT);
      writeAll(handle, encodeSegmentHeader(header), 0, segmentHeaderBytes, 0);
      if (isDurable) fsyncSync(handle);
      const { size } = fstatSync(handle);
      if (!moveToNewName(newPath, path))
        throw new RowsmithError('STORAGE_FAILED', { file: path, ...faults.existingSegment });
      return new LogFile(path, handle, header, isDurable, size);
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      throw storageError(error, path);
    }
  }

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

  /** True if the file was deleted while it is open. */
  get isDeleted(): boolean {
    return fstatSync(this.#handle).nlink === 0;
  }

  /**
   * Appends the pairs of a commit. Throws when they were not written; if the segment is not usable
   * then, they may be found nevertheless until another segment is begun.
   */
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

  /** Gives the space back that is allocated beyond the last record; false if there is none. */
  trim(): boolean {
    const hasSpare = this.#allocated > this.#end;
    this.#cutBack();
    return hasSpare;
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
      throw storageError(error, this.#path);
    }
  }

  /** Removes what was written of a commit that is incomplete. */
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

const faults = {
  existingSegment: {
    problem: 'there is a file with the name of the next segment of the write log',
    fix: 'do not copy files into the directory of a database; close and open it again',
  },
} satisfies FaultTexts;
