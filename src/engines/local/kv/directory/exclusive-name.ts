/** Gives files names that no other file has. */
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';

/** What file systems without hard links answer. */
const noLinkCodes = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** True for the error of a file system without hard links. */
export function isWithoutLinks(error: unknown): boolean {
  return noLinkCodes.has((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Moves a file that was written under another name to its own; false if that name exists, which is
 * left as it is. A rename would replace it. The caller flushes the directory.
 */
export function moveToNewName(from: string, to: string): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    if (!isWithoutLinks(error)) throw error;
    if (existsSync(to)) return false;
    renameSync(from, to);
    return true;
  }
  removeQuietly(from);
  return true;
}

/** Removes a file; false if it is left to the next owner of the directory. */
export function removeQuietly(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}
