/** Errors of lmdb and the file system. */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';

/** Converts an error of lmdb or the file system to CORRUPT_DATA or STORAGE_FAILED. */
export function storageError(cause: unknown, file?: string): RowsmithError {
  if (cause instanceof RowsmithError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/MDB_(INVALID|CORRUPTED|PAGE_NOTFOUND|VERSION_MISMATCH|PANIC)/.test(text)) {
    return new RowsmithError('CORRUPT_DATA', { file, ...faults.damaged(text) }, { cause });
  }
  return new RowsmithError('STORAGE_FAILED', { file, ...faults.failed(text) }, { cause });
}

const faults = {
  damaged: (text: string) => ({ problem: text, fix: 'restore the directory from a backup' }),
  failed: (text: string) => ({
    problem: text,
    fix: 'check the free space and the permissions of the directory',
  }),
} satisfies FaultTexts;
