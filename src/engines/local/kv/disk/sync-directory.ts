/** Flushes files and directories to the disk. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes the content of a file. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Flushes the names of a directory, so that files which were created or renamed there are still
 * there after a power loss. Windows has no such call.
 */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
