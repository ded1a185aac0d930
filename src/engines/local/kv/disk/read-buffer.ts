/**
 * The buffer that lmdb-js copies values into when they are read; all its databases in a thread
 * share it. A value of 16 MiB or more that does not fit is not copied: lmdb-js then returns an
 * ArrayBuffer over the mapped file, which it keeps under the address of the mapping. After the
 * database is closed, and another mapped at the same address, reads get the old ArrayBuffer
 * (lmdb-js 3.5.6, env.cpp: toSharedBuffer). So the buffer is made large enough for every value
 * before one of that size is read. It takes memory only as far as values have been read into it.
 */
import type { RootDatabase } from 'lmdb';
import { maxCellBytes } from '../../../../base/index.js';
import { checksumBytes } from '../checksum.js';

/** Smaller values are always copied (lmdb-js, SHARED_BUFFER_THRESHOLD). */
export const minUncopiedBytes = 0x100_0000;

/** Allocates a buffer of twice this size. */
const halfBufferBytes = Math.ceil((maxCellBytes + checksumBytes) / 2);

interface Internals {
  _allocateGetBuffer(bytes: number): Uint8Array;
}

let isLarge = false;

/** To be called before a value of at least `minUncopiedBytes` bytes may be read. */
export function ensureReadBuffer(database: RootDatabase<number | Uint8Array, Uint8Array>): void {
  if (isLarge) return;
  isLarge = true;
  (database as unknown as Internals)._allocateGetBuffer(halfBufferBytes);
}
