/** Checks of the lmdb file before lmdb maps it. */
import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { RowsmithError } from '../../../../errors.js';
import { findPageFault, noPage } from './check-pages.js';
import { pageReader, readFileMeta, readMetaPages } from './file-meta.js';

/** Larger files are not verified unless asked for; this much takes about 0.1 s. */
const maxVerifiedBytes = 64 * 1024 * 1024;

/**
 * Throws CORRUPT_DATA for a file that is no lmdb file, that is cut off, or, where its pages are
 * verified, that has a damaged page. Reading past the end of a mapped file, or following a damaged
 * page, would end the process.
 */
export function checkDataFile(file: string, verify: boolean | undefined): void {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    // A process that was killed while it created the file left it empty.
    if (size === 0) return;
    const meta = readFileMeta(handle);
    if (meta === undefined) throw corruptFileError(file, 'it does not begin with lmdb meta pages');
    for (const { root } of [meta.free, meta.main]) {
      if (root !== noPage && Number(root + 1n) * meta.pageSize > size)
        throw corruptFileError(file, `it ends after ${size} bytes, before its page ${root}`);
    }
    if (!(verify ?? size <= maxVerifiedBytes)) return;
    const fault = findPageFault(meta, pageReader(handle, meta.pageSize));
    // Pages may have changed meanwhile if another process holds the file and writes to it. That is
    // detected later, by the owner record.
    if (fault !== undefined && readFileMeta(handle)?.transaction === meta.transaction)
      throw corruptFileError(file, fault);
  } finally {
    closeSync(handle);
  }
}

/**
 * Extends a file that is shorter than its number of pages. Such a file need not be damaged: pages
 * at its end may have been allocated and freed without being written. Where pages were cut off,
 * lmdb then reads zeros and reports an error instead of ending the process. Only the holder of the
 * directory may call this.
 */
export function extendDataFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    const pages = readMetaPages(handle);
    if (pages === undefined) return;
    const [first, second] = pages;
    const size = (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
    if (fstatSync(handle).size < size) ftruncateSync(handle, size);
  } finally {
    closeSync(handle);
  }
}

function corruptFileError(file: string, problem: string): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', {
    file,
    problem,
    fix: 'restore the directory from a backup',
  });
}
