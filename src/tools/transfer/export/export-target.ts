/**
 * The output of an export: a stream, or a file that is written under a temporary name and renamed
 * when it is complete.
 */
import type { ByteSink } from '../file/byte-streams.js';
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  fileFailed,
  invalidArgument,
  type RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import {
  digestOf,
  type ExportIdentity,
  type ExportPosition,
  ExportState,
  startOfExport,
  tailBytes,
} from './export-state.js';

/** What the output contains after a chunk is written. */
export type ExportMark = Pick<ExportPosition, 'key' | 'rows' | 'undeclaredCells'>;

/** Receives the bytes of an export, in order, one call at a time. */
export interface ExportTarget {
  /** What an earlier run has written to it. */
  readonly start: ExportPosition;
  write(bytes: Uint8Array): Promise<void>;
  /** Flushes what was written to disk, and stores that it ends with this row. */
  checkpoint(mark: ExportMark): Promise<void>;
  /** Completes the output: a file gets its name. */
  finish(): Promise<void>;
  /**
   * Closes an incomplete output. It is kept for another run if there is a checkpoint, else removed.
   */
  abandon(): Promise<void>;
}

/**
 * Opens the output; with `resume` it starts where the same export stopped. Throws FILE_FAILED, and
 * INVALID_ARGUMENT to resume a stream.
 */
export async function openTarget(
  to: string | ByteSink,
  identity: ExportIdentity,
  resume: boolean,
): Promise<ExportTarget> {
  if (typeof to === 'string' && !isSpecial(to)) return FileTarget.open(to, identity, resume);
  if (resume) throw invalidArgument('resume', faults.resumedStream);
  if (typeof to === 'string') return new StreamTarget(createWriteStream(to));
  return new StreamTarget(to);
}

/**
 * Whether a path is a pipe or a device, which must be written to, not replaced. Throws FILE_FAILED
 * for a directory.
 */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw fileFailed(path, faults.notAFile);
  return found !== undefined && !found.isFile();
}

class FileTarget implements ExportTarget {
  #bytes: number;
  #checkpoint: ExportPosition;

  readonly #file: string;
  /** The path until the export is complete. */
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #state: ExportState;

  private constructor(
    file: string,
    partial: string,
    handle: FileHandle,
    state: ExportState,
    readonly start: ExportPosition,
  ) {
    this.#file = file;
    this.#partial = partial;
    this.#handle = handle;
    this.#state = state;
    this.#bytes = start.bytes;
    this.#checkpoint = start;
  }

  static async open(file: string, identity: ExportIdentity, resume: boolean): Promise<FileTarget> {
    const state = new ExportState(file, identity);
    const partial = join(dirname(file), `.${basename(file)}.rowsmith-export.part`);
    const start = resume ? state.load() : startOfExport;
    const handle = await openPartial(file, partial, start);
    try {
      state.claim(start);
    } catch (error) {
      await handle.close();
      if (start.bytes === 0) rmSync(partial, { force: true });
      throw error;
    }
    return new FileTarget(file, partial, handle, state, start);
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      let written = 0;
      while (written < bytes.length) {
        const position = this.#bytes + written;
        const result = await this.#handle.write(bytes, written, bytes.length - written, position);
        written += result.bytesWritten;
      }
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
    this.#bytes += bytes.length;
  }

  async checkpoint(mark: ExportMark): Promise<void> {
    const tail = await this.#afterSync(() => tailOf(this.#handle, this.#bytes));
    const position = { ...mark, bytes: this.#bytes, tail };
    this.#state.save(position);
    this.#checkpoint = position;
  }

  async finish(): Promise<void> {
    this.#state.assertOwned();
    await this.#afterSync(async () => {
      // Removes what an earlier run or a failed write left after the end.
      await this.#handle.truncate(this.#bytes);
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#partial, this.#file);
    });
    this.#state.remove();
  }

  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    if (this.#checkpoint.rows > 0 || !this.#state.isOwned()) return;
    rmSync(this.#partial, { force: true });
    this.#state.remove();
  }

  async #afterSync<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.#handle.sync();
      return await work();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}

function openPartial(file: string, partial: string, start: ExportPosition): Promise<FileHandle> {
  if (start.bytes === 0) return createPartial(file, partial);
  return reopenPartial(partial, start);
}

/** A new file, never one that another run may still be writing. */
async function createPartial(file: string, partial: string): Promise<FileHandle> {
  try {
    rmSync(partial, { force: true });
    return await open(partial, 'wx+');
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * The file of an earlier run, which may have bytes after its last checkpoint. Throws FILE_FAILED if
 * it is missing or was changed.
 */
async function reopenPartial(
  partial: string,
  { bytes, tail }: ExportPosition,
): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(partial, 'r+');
  } catch (error) {
    throw fileFailed(partial, faults.missingOutput((error as Error).message), error);
  }
  if ((await handle.stat()).size >= bytes && (await tailOf(handle, bytes)) === tail) return handle;
  await handle.close();
  throw fileFailed(partial, faults.wrongOutput);
}

/** Digest of the last bytes before `end`. */
async function tailOf(handle: FileHandle, end: number): Promise<string> {
  const length = Math.min(end, tailBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, end - length);
  return digestOf(buffer.subarray(0, bytesRead));
}

function cannotWrite(file: string, error: unknown): RowsmithError {
  return fileFailed(file, faults.unwritableFile((error as Error).message), error);
}

class StreamTarget implements ExportTarget {
  readonly start = startOfExport;
  readonly #stream: ByteSink;
  #error: Error | undefined;

  constructor(stream: ByteSink) {
    this.#stream = stream;
    stream.on('error', (error: Error) => {
      this.#error ??= error;
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#check();
    if (!this.#stream.write(bytes)) await this.#drain();
    this.#check();
  }

  checkpoint(): Promise<void> {
    return Promise.resolve();
  }

  async finish(): Promise<void> {
    const stream = this.#stream;
    if (stream === process.stdout) {
      // Not ended, because other code may write to it: only flushed.
      await new Promise<void>((resolve) => stream.write('', () => resolve()));
    } else {
      stream.end();
      await finished(stream as unknown as Writable).catch(() => undefined);
    }
    this.#check();
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => {
      const events = ['drain', 'error', 'close'];
      const onEvent = (): void => {
        for (const event of events) this.#stream.off(event, onEvent);
        resolve();
      };
      for (const event of events) this.#stream.on(event, onEvent);
    });
  }

  #check(): void {
    if (this.#error !== undefined) throw this.#error;
    if (this.#stream.destroyed && !this.#stream.writableFinished)
      throw new Error('The stream was closed before the export was complete.');
  }
}

const faults = {
  resumedStream: {
    problem: 'an export to a stream cannot be resumed: it is unknown how much of it has arrived',
    fix: 'export to a file',
  },
  notAFile: { problem: 'it is a directory', fix: 'name a file' },
  missingOutput: (message: string) => ({
    problem: `the partial output of the stopped export is missing: ${message}`,
    fix: 'export from the start, without resume',
  }),
  wrongOutput: {
    problem: 'it is not the partial output of the stopped export',
    fix: 'export from the start, without resume',
  },
  unwritableFile: (message: string) => ({
    problem: `it cannot be written: ${message}`,
    fix: 'check the permissions of its directory and the free disk space; an existing file is unchanged',
  }),
} satisfies FaultTexts;
