/**
 * The side file of an import: each bad line with its number and the reason. It appears with the
 * first one.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { fileFailed } from '../file/replace-file.js';

/** One bad line. */
export interface Rejected {
  /** Its number in the input, from 1. */
  readonly line: number;
  /** Why it was not written, in a sentence. */
  readonly reason: string;
  /** As it stands in the input. */
  readonly text: string;
}

/** Writes bad lines as JSON Lines. */
export class RejectFile {
  /** Bytes written. */
  bytes: number;
  readonly #file: string;
  #handle: number | undefined;

  /**
   * Goes on after the first `bytes` bytes of a file that is there; with 0, one that is there is
   * removed.
   */
  constructor(file: string, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
    if (bytes === 0) rmSync(file, { force: true });
    else if (existsSync(file)) ftruncateSync(this.#open('r+'), bytes);
    else
      throw fileFailed(
        file,
        'the bad lines of the import that stopped are not there any more',
        'import from the start, without resume',
      );
  }

  /** Adds a bad line. */
  add(rejected: Rejected): void {
    const line = Buffer.from(`${JSON.stringify(rejected)}\n`);
    writeSync(this.#handle ?? this.#open('w'), line, 0, line.length, this.bytes);
    this.bytes += line.length;
  }

  /** Puts on the disk what was added. */
  sync(): void {
    if (this.#handle !== undefined) fsyncSync(this.#handle);
  }

  /** Lets go of the file. */
  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  #open(flags: string): number {
    try {
      return (this.#handle = openSync(this.#file, flags));
    } catch (cause) {
      throw fileFailed(
        this.#file,
        `bad lines go here, and it cannot be written: ${(cause as Error).message}`,
        'name another file for them',
        cause,
      );
    }
  }
}
