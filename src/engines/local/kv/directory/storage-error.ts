/** Errors of the file system. */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';

/** Converts an error of the file system to STORAGE_FAILED. */
export function storageError(cause: unknown, file?: string): RowsmithError {
  if (cause instanceof RowsmithError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  const text = faults[faultsByCode[code] ?? 'failed'](message);
  const { problem, fix } = text;
  return new RowsmithError('STORAGE_FAILED', { file, problem, fix }, { cause });
}

const faultsByCode: Readonly<Record<string, keyof typeof faults | undefined>> = {
  ENOSPC: 'fullDisk',
  EDQUOT: 'usedQuota',
  EIO: 'brokenDisk',
  EMFILE: 'manyFiles',
  ENFILE: 'manyFiles',
  EROFS: 'readOnlyDisk',
  EACCES: 'noPermission',
  EPERM: 'noPermission',
  ENOENT: 'missingFile',
};

const faults = {
  fullDisk: (message: string) => ({
    problem: `the disk is full: ${message}`,
    fix: 'free some space on the disk, and try again; deletions need the least',
  }),
  usedQuota: (message: string) => ({
    problem: `the disk quota is used up: ${message}`,
    fix: 'delete files of the same user, or let the administrator raise the quota',
  }),
  brokenDisk: (message: string) => ({
    problem: `the disk reported an error: ${message}`,
    fix: 'look for errors of the disk in the log of the system; back up the directory',
  }),
  manyFiles: (message: string) => ({
    problem: `too many files are open: ${message}`,
    fix: 'raise the limit of open files (ulimit -n)',
  }),
  readOnlyDisk: (message: string) => ({
    problem: `the file system is read-only: ${message}`,
    fix: 'mount it for writing; the system may have made it read-only after an error of the disk',
  }),
  noPermission: (message: string) => ({
    problem: message,
    fix: 'check the owner and the permissions of the directory and its files',
  }),
  missingFile: (message: string) => ({
    problem: `a file of the database is gone: ${message}`,
    fix: 'do not move or delete files of a database; restore the directory from a backup',
  }),
  failed: (text: string) => ({
    problem: text,
    fix: 'check the free space and the permissions of the directory',
  }),
} satisfies FaultTexts;
