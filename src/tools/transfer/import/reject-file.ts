/**
 * The file of rejected lines, with their numbers and the reasons. Created with the first of them.
 */
import { fileFailed, type FaultTexts } from '../../../base/index.js';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';

/** A rejected line. */
export interface Rejected {
  /** Its number in the input, from 1. */
  readonly line: number;
  /** Why it was rejected, in a sentence. */
  readonly reason: string;
  /** The line itself. */
  readonly text: string;
}

/** Writes rejected lines as JSON Lines. */
export class RejectFile {
  /** Length of the file in bytes. */
  bytes: number;
  readonly #file: string;
  #handle: number | undefined;

  /** Continues an existing file after its first `bytes` bytes; with 0 it is removed. */
  constructor(file: string, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
    if (bytes === 0) rmSync(file, { force: true });
    else if (existsSync(file)) ftruncateSync(this.#open('r+'), bytes);
    else throw fileFailed(file, faults.missingFile);
  }

  /** Appends a line. */
  add(rejected: Rejected): void {
    const line = Buffer.from(`${JSON.stringify(rejected)}\n`);
    writeSync(this.#handle ?? this.#open('w'), line, 0, line.length, this.bytes);
    this.bytes += line.length;
  }

  /** Flushes the file to disk. */
  sync(): void {
    if (this.#handle !== undefined) fsyncSync(this.#handle);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  #open(flags: string): number {
    try {
      return (this.#handle = openSync(this.#file, flags));
    } catch (cause) {
      throw fileFailed(this.#file, faults.unwritableFile((cause as Error).message), cause);
    }
  }
}

const faults = {
  missingFile: {
    problem: 'the file with the rejected lines of the stopped import is missing',
    fix: 'import from the start, without resume',
  },
  unwritableFile: (message: string) => ({
    problem: `it cannot be written, and rejected lines go there: ${message}`,
    fix: 'name another file for them',
  }),
} satisfies FaultTexts;
