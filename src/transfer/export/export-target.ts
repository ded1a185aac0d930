/**
 * Where an export goes: a file, written beside its place and put there when it is whole, or a
 * stream.
 */
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { RowsmithError } from '../../errors.js';
import {
  digestOf,
  type ExportIdentity,
  type ExportPosition,
  ExportState,
  startOfExport,
  tailBytes,
} from './export-state.js';
import { fileFailed } from '../file/replace-file.js';

/** What is in the output once a chunk is written. */
export type ExportMark = Pick<ExportPosition, 'key' | 'rows' | 'undeclaredCells'>;

/** Takes the bytes of an export, in order, one call at a time. */
export interface ExportTarget {
  /** What an earlier run has left in it. */
  readonly start: ExportPosition;
  write(bytes: Uint8Array): Promise<void>;
  /** Puts on the disk what was written, and notes that it ends with this row. */
  keep(mark: ExportMark): Promise<void>;
  /** All is written: puts it into its place. */
  finish(): Promise<void>;
  /** Gives up. What was kept stays for another run; without any, nothing stays. */
  abandon(): Promise<void>;
}

/**
 * Opens a target; with `resume` it begins where such an export stopped. Throws FILE_FAILED,
 * INVALID_ARGUMENT for a stream that is to be resumed.
 */
export async function openTarget(
  to: string | Writable,
  identity: ExportIdentity,
  resume: boolean,
): Promise<ExportTarget> {
  const special = typeof to === 'string' && isSpecial(to);
  if (typeof to === 'string' && !special) return FileTarget.open(to, identity, resume);
  if (resume) {
    throw new RowsmithError('INVALID_ARGUMENT', {
      property: 'resume',
      problem: 'a stream cannot be gone on with: nobody knows how much of it arrived',
      fix: 'export into a file',
    });
  }
  return new StreamTarget(typeof to === 'string' ? createWriteStream(to) : to);
}

/**
 * Whether a path is a pipe or a device, which nothing may take the place of. Throws FILE_FAILED for
 * a folder.
 */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw fileFailed(path, 'it is a folder', 'name a file');
  return found !== undefined && !found.isFile();
}

class FileTarget implements ExportTarget {
  #bytes: number;
  #kept: ExportPosition;

  readonly #file: string;
  readonly #part: string;
  readonly #handle: FileHandle;
  readonly #state: ExportState;

  private constructor(
    file: string,
    part: string,
    handle: FileHandle,
    state: ExportState,
    readonly start: ExportPosition,
  ) {
    this.#file = file;
    this.#part = part;
    this.#handle = handle;
    this.#state = state;
    this.#bytes = start.bytes;
    this.#kept = start;
  }

  static async open(file: string, identity: ExportIdentity, resume: boolean): Promise<FileTarget> {
    const state = new ExportState(file, identity);
    const part = join(dirname(file), `.${basename(file)}.rowsmith-export.part`);
    const start = resume ? state.load() : startOfExport;
    const handle = start.bytes === 0 ? await created(file, part) : await reopened(part, start);
    try {
      state.claim(start);
    } catch (error) {
      await handle.close();
      if (start.bytes === 0) rmSync(part, { force: true });
      throw error;
    }
    return new FileTarget(file, part, handle, state, start);
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;)
        at += (await this.#handle.write(bytes, at, bytes.length - at, this.#bytes + at))
          .bytesWritten;
    } catch (error) {
      throw unwritable(this.#file, error);
    }
    this.#bytes += bytes.length;
  }

  async keep(mark: ExportMark): Promise<void> {
    const tail = await this.#durable(() => tailOf(this.#handle, this.#bytes));
    const position = { ...mark, bytes: this.#bytes, tail };
    this.#state.save(position);
    this.#kept = position;
  }

  async finish(): Promise<void> {
    this.#state.check();
    await this.#durable(async () => {
      // What an earlier run, or a write that failed, left behind the end.
      await this.#handle.truncate(this.#bytes);
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#part, this.#file);
    });
    this.#state.remove();
  }

  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    if (this.#kept.rows > 0 || !this.#state.isMine()) return;
    rmSync(this.#part, { force: true });
    this.#state.remove();
  }

  async #durable<T>(then: () => Promise<T>): Promise<T> {
    try {
      await this.#handle.sync();
      return await then();
    } catch (error) {
      throw unwritable(this.#file, error);
    }
  }
}

/** A new file, not the one that another run may still be writing. */
async function created(file: string, part: string): Promise<FileHandle> {
  try {
    rmSync(part, { force: true });
    return await open(part, 'wx+');
  } catch (error) {
    throw unwritable(file, error);
  }
}

/**
 * The file of an earlier run, cut behind its last position. Throws FILE_FAILED where it is another
 * one.
 */
async function reopened(part: string, { bytes, tail }: ExportPosition): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(part, 'r+');
  } catch (error) {
    throw fileFailed(
      part,
      `what the export that stopped has written is not there: ${(error as Error).message}`,
      'export from the start, without resume',
      error,
    );
  }
  if ((await handle.stat()).size >= bytes && (await tailOf(handle, bytes)) === tail) {
    await handle.truncate(bytes);
    return handle;
  }
  await handle.close();
  throw fileFailed(
    part,
    'it is not what the export that stopped has written',
    'export from the start, without resume',
  );
}

async function tailOf(handle: FileHandle, end: number): Promise<string> {
  const length = Math.min(end, tailBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, end - length);
  return digestOf(buffer.subarray(0, bytesRead));
}

function unwritable(file: string, error: unknown): RowsmithError {
  return fileFailed(
    file,
    `it cannot be written: ${(error as Error).message}`,
    'make its folder writable, and see that the disk has room; a file that was there is as it was',
    error,
  );
}

class StreamTarget implements ExportTarget {
  readonly start = startOfExport;
  readonly #stream: Writable;
  #failure: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error: Error) => {
      this.#failure ??= error;
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#check();
    if (!this.#stream.write(bytes)) await this.#drained();
    this.#check();
  }

  keep(): Promise<void> {
    return Promise.resolve();
  }

  async finish(): Promise<void> {
    const stream = this.#stream;
    // Standard output is not ours to end; its last bytes are waited for.
    if (stream === process.stdout)
      await new Promise<void>((resolve) => stream.write('', () => resolve()));
    else {
      stream.end();
      await finished(stream).catch(() => undefined);
    }
    this.#check();
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const events = ['drain', 'error', 'close'];
      const go = (): void => {
        for (const event of events) this.#stream.off(event, go);
        resolve();
      };
      for (const event of events) this.#stream.on(event, go);
    });
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stream.destroyed && !this.#stream.writableFinished)
      throw new Error('The stream was closed before the export was written.');
  }
}
