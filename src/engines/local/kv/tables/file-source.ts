/** The bytes of tables in files. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import {
  equalBytes,
  RowsmithError,
  type FaultTexts,
  type ProblemText,
} from '../../../../base/index.js';
import { decodeFileHeader, fileHeaderBytes, tableKind } from '../directory/file-header.js';
import { type FileId, tableName } from '../directory/file-names.js';
import { storageError } from '../directory/storage-error.js';
import type { TableSource, Window } from './table-source.js';

/** Files that an owner has open at once. */
const ownerHandles = 256;

/** The open files of a database. Those that were used last remain open. */
export class FileHandles {
  readonly #handles = new Map<FileSource, number>();
  readonly #check: () => void;
  readonly #limit: number;

  private constructor(check: () => void, limit: number) {
    this.#check = check;
    this.#limit = limit;
  }

  /** `check` throws if another process owns the directory: it may have removed files. */
  static ofOwner(check: () => void): FileHandles {
    return new FileHandles(check, ownerHandles);
  }

  /** As many as the system permits: the owner may remove a file, which then cannot be reopened. */
  static ofReader(): FileHandles {
    return new FileHandles(() => undefined, Infinity);
  }

  /** The handle of a file, which is opened if necessary. */
  handleOf(source: FileSource): number {
    let handle = this.#handles.get(source);
    if (handle === undefined) {
      if (this.#handles.size >= this.#limit) this.#closeOldest(this.#limit / 2);
      handle = this.#open(source);
      this.#handles.set(source, handle);
    }
    return handle;
  }

  close(source: FileSource): void {
    const handle = this.#handles.get(source);
    if (handle === undefined) return;
    this.#handles.delete(source);
    closeSync(handle);
  }

  closeAll(): void {
    this.#closeOldest(this.#handles.size);
  }

  #open(source: FileSource): number {
    try {
      return source.open();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#check();
      // Other parts of the program may have opened many files.
      if ((error as NodeJS.ErrnoException).code !== 'EMFILE' || this.#handles.size === 0)
        throw error;
      this.closeAll();
      return source.open();
    }
  }

  #closeOldest(count: number): void {
    let rest = count;
    for (const [source, handle] of this.#handles) {
      if (rest-- <= 0) return;
      this.#handles.delete(source);
      closeSync(handle);
    }
  }
}

/** Which file it must be. */
export interface FileIdentity extends FileId {
  readonly database: Uint8Array;
  readonly salt: Uint8Array;
  readonly bytes: number;
}

/** A table in a file. */
export class FileSource implements TableSource {
  readonly isFile = true;
  readonly path: string;
  readonly #handles: FileHandles;
  readonly #identity: FileIdentity;

  constructor(directory: string, identity: FileIdentity, handles: FileHandles) {
    this.path = join(directory, tableName(identity));
    this.#identity = identity;
    this.#handles = handles;
  }

  read(window: Window, start: number, end: number): void {
    if (window.own.length < end - start) window.own = new Uint8Array(end - start);
    this.readInto(window.own, 0, start, end);
    window.bytes = window.own;
    window.base = window.start = start;
    window.end = end;
  }

  readInto(target: Uint8Array, at: number, start: number, end: number): void {
    try {
      const handle = this.#handles.handleOf(this);
      for (let position = start; position < end;) {
        const bytes = readSync(handle, target, at + position - start, end - position, position);
        if (bytes === 0) throw this.#damaged(faults.short);
        position += bytes;
      }
    } catch (error) {
      throw this.#failed(error);
    }
  }

  check(): void {
    try {
      this.#handles.handleOf(this);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  close(): void {
    this.#handles.close(this);
  }

  /** Opens the file and checks which one it is. Only FileHandles calls this. */
  open(): number {
    const handle = openSync(this.path, 'r');
    try {
      const { database, owner, number, salt, bytes: size } = this.#identity;
      const bytes = new Uint8Array(fileHeaderBytes);
      const read = readSync(handle, bytes, 0, fileHeaderBytes, 0);
      const header = decodeFileHeader(bytes.subarray(0, read));
      if (header?.kind !== tableKind) throw this.#damaged(faults.noHeader);
      if (!equalBytes(header.database, database)) throw this.#damaged(faults.otherDatabase);
      const isSame = header.owner === owner && header.number === number;
      if (!isSame || !equalBytes(header.salt, salt)) throw this.#damaged(faults.otherFile);
      if (fstatSync(handle).size !== size) throw this.#damaged(faults.otherSize);
      return handle;
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }

  #failed(error: unknown): RowsmithError {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return this.#damaged(faults.missing);
    return storageError(error, this.path);
  }

  #damaged({ problem }: ProblemText): RowsmithError {
    return new RowsmithError('CORRUPT_DATA', { file: this.path, ...faults.damaged(problem) });
  }
}

const faults = {
  missing: { problem: 'the file is missing' },
  short: { problem: 'the file became shorter while it was read' },
  otherSize: { problem: 'the file has not the size with which it was written' },
  noHeader: { problem: 'it does not begin as a table' },
  otherDatabase: { problem: 'it belongs to another database' },
  otherFile: { problem: 'it is another file, or a copy of an earlier one' },
  damaged: (problem: string) => ({ problem, fix: 'restore the directory from a backup' }),
} satisfies FaultTexts;
