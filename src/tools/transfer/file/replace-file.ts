/**
 * Atomic replacement of files: a reader sees the old text or the new one, also after a crash.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileFailed, type FaultTexts } from '../../../base/index.js';

/**
 * Writes the text to a temporary file and renames it. Throws FILE_FAILED and leaves the file
 * unchanged.
 */
export function replaceFile(file: string, text: string): void {
  const temporary = temporaryOf(file);
  try {
    const handle = openSync(temporary, 'w');
    try {
      writeSync(handle, text);
      // If the rename reached the disk before the text, a power failure would leave an empty file.
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw fileFailed(file, faults.unwritableFile((cause as Error).message), cause);
  }
}

/** In the same directory, because a rename across file systems is not atomic. */
function temporaryOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
}

const faults = {
  unwritableFile: (message: string) => ({
    problem: `it cannot be written: ${message}`,
    fix: 'check the permissions of its directory; nothing was changed',
  }),
} satisfies FaultTexts;
