/**
 * Puts changes into a folder: everything is written beside its place first, so that a failure
 * leaves what was there.
 */
import { mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RowsmithError } from '../../../errors.js';
import type { Change } from './change.js';
import { manifestName } from './manifest.js';

/**
 * Writes, then renames, then removes what is left over. Throws FILE_FAILED, in most cases with
 * nothing changed.
 */
export function writeChanges(folder: string, changes: readonly Change[]): void {
  const staged: { readonly temporary: string; readonly file: string }[] = [];
  const made: string[] = [];
  let at = folder;
  try {
    for (const { path, after } of changes) {
      if (after === undefined) continue;
      at = join(folder, path);
      makeFolders(dirname(at), made);
      const temporary = join(dirname(at), `.${basename(at)}.${process.pid}.tmp`);
      staged.push({ temporary, file: at });
      writeFileSync(temporary, after);
    }
  } catch (cause) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const each of made.reverse()) rmdirSync(each);
    const { message } = cause as Error;
    const fix =
      'make the output folder writable, or choose another with --out DIR; nothing was changed';
    throw new RowsmithError(
      'FILE_FAILED',
      { file: at, problem: `it cannot be written: ${message}`, fix },
      { cause },
    );
  }
  // The manifest first: should the process be killed now, the next run still knows which files are
  // its own.
  for (const { temporary, file } of staged.sort(
    (a, b) => Number(basename(b.file) === manifestName) - Number(basename(a.file) === manifestName),
  ))
    renameSync(temporary, file);
  for (const { path, after } of changes) if (after === undefined) rmSync(join(folder, path));
}

/**
 * Makes a folder and those above it, and tells which were new. One by one: mkdir's recursive mode
 * never ends under /proc.
 */
function makeFolders(folder: string, made: string[]): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  makeFolders(dirname(folder), made);
  mkdirSync(folder);
  made.push(folder);
}
