/** Where the bytes of a table are: in memory, or in a file. */

import { noBytes } from '../../../../base/index.js';

/** Bytes `[start, end)` of a table: position `p` of the file is at `p - base` of the buffer. */
export interface Window {
  bytes: Uint8Array;
  base: number;
  start: number;
  end: number;
  /** True when the checksums of its blocks were verified. */
  isVerified: boolean;
  /** A buffer that only this window uses, for reads from a file. */
  own: Uint8Array;
}

/** The bytes of one table, which never change. */
export interface TableSource {
  /** False where blocks need not be verified or cached. */
  readonly isFile: boolean;
  /**
   * Makes the window hold `[start, end)`, and where the table is in memory more than that. Reads
   * from a file overwrite what the window's own buffer held before.
   */
  read(window: Window, start: number, end: number): void;
  /** Reads `[start, end)` to a position of a buffer. */
  readInto(target: Uint8Array, at: number, start: number, end: number): void;
  /** Throws unless the file is there, as it was written. */
  check(): void;
  close(): void;
}

export function emptyWindow(): Window {
  return { bytes: noBytes, base: 0, start: 0, end: 0, isVerified: false, own: noBytes };
}

/** A table in memory: the chunks of its writer. */
export class MemorySource implements TableSource {
  readonly isFile = false;
  readonly #chunks: readonly Uint8Array[];
  readonly #starts: readonly number[];

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks;
    let at = 0;
    this.#starts = chunks.map((chunk) => (at += chunk.length) - chunk.length);
  }

  read(window: Window, start: number): void {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= start) low = middle;
      else high = middle;
    }
    window.bytes = this.#chunks[low];
    window.base = window.start = starts[low];
    window.end = starts[low] + window.bytes.length;
    window.isVerified = true;
  }

  readInto(target: Uint8Array, at: number, start: number, end: number): void {
    const window = emptyWindow();
    this.read(window, start);
    target.set(window.bytes.subarray(start - window.base, end - window.base), at);
  }

  check(): void {
    // It is there.
  }

  close(): void {
    // Its memory is collected.
  }
}
