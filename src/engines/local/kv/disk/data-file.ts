/** Checks and prepares the lmdb file before lmdb opens it. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import { findPageFault } from './check-pages.js';
import { defaultTuning } from './disk-tuning.js';
import {
  aheadPageReader,
  emptyFile,
  type MetaPages,
  pageSize,
  readMetaPages,
} from './file-meta.js';

/** Size of a lock file. lmdb maps it, and would end the process if its space were not allocated. */
const lockFileBytes = 4096;
/** Files that lmdb holds open for a database. */
const lmdbHandles = 4;

/**
 * Throws CORRUPT_DATA for a file that is no lmdb file, that is cut off, or, where its pages are
 * verified, that has a damaged page. Reading past the end of a mapped file, or following a damaged
 * page, would end the process. By default the pages of files up to `maxVerifiedBytes` are verified.
 */
export function checkDataFile(
  file: string,
  verify: boolean | undefined,
  maxVerifiedBytes = defaultTuning.maxVerifiedBytes,
): void {
  const handle = openSync(file, 'r');
  try {
    const { newest } = checkMetaPages(handle, file);
    if (!(verify ?? statSync(file).size <= maxVerifiedBytes)) return;
    const fault = findPageFault(newest, aheadPageReader(handle));
    if (fault !== undefined) throw corruptFileError(file, { problem: fault });
  } finally {
    closeSync(handle);
  }
}

/**
 * Creates what lmdb would create itself, and checks what it trusts, and returns the last page of
 * the file: lmdb-js ends the process when opening fails. Only the holder of the directory may call
 * this.
 */
export function prepareDataFile(file: string): number {
  if (!existsSync(file)) writeFileSync(file, emptyFile(), { flush: true });
  prepareLockFile(`${file}-lock`);
  const handles: number[] = [];
  try {
    for (let i = 0; i < lmdbHandles; i++) handles.push(openSync(file, 'r+'));
    return checkMetaPages(handles[0], file).newest.lastPage;
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

/**
 * To be called after a commit failed and lmdb has closed the file: flushes what the commit has
 * written, and removes the meta page that it may have left half written. lmdb restores the
 * transaction number of that page, but not its trees.
 */
export function settleFailedCommit(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    const pages = readMetaPages(handle);
    if (pages.kind === 'abandoned') {
      const initial = emptyFile().subarray(pages.page * pageSize, (pages.page + 1) * pageSize);
      writeSync(handle, initial, 0, pageSize, pages.page * pageSize);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** An existing lock file is not opened: closing it would release the locks of this process. */
function prepareLockFile(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) writeFileSync(file, Buffer.alloc(lockFileBytes));
}

/** Throws CORRUPT_DATA when the meta pages are invalid. */
export function checkMetaPages(handle: number, file: string): MetaPages & { kind: 'valid' } {
  const pages = readMetaPages(handle);
  if (pages.kind === 'valid') return pages;
  throw corruptFileError(file, { problem: pages.problem });
}

/** A file that is damaged. */
export function corruptFileError(file: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', {
    file,
    ...faults.damagedFile(problem),
  });
}

const faults = {
  damagedFile: (problem: string) => ({ problem, fix: 'restore the directory from a backup' }),
} satisfies FaultTexts;
