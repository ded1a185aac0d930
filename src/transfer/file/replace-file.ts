/**
 * Files that are replaced as a whole: whoever reads sees the old text or the new one, also after a
 * crash.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RowsmithError } from '../../errors.js';

/**
 * Writes the text beside the file and renames it. Throws FILE_FAILED; the file is then as it was.
 */
export function replaceFile(file: string, text: string): void {
  const temporary = temporaryOf(file);
  try {
    const handle = openSync(temporary, 'w');
    try {
      writeSync(handle, text);
      // A name that reaches the disk before the bytes would leave an empty file after a power cut.
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw fileFailed(
      file,
      `it cannot be written: ${(cause as Error).message}`,
      'make its folder writable; nothing was changed',
      cause,
    );
  }
}

/** Where the text of a file is written before it takes its place. */
function temporaryOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
}

/** FILE_FAILED for a file. */
export function fileFailed(
  file: string,
  problem: string,
  fix: string,
  cause?: unknown,
): RowsmithError {
  return new RowsmithError('FILE_FAILED', { file, problem, fix }, { cause });
}
