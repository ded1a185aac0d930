/** Applies changes to a folder. A failure while writing changes nothing. */
import { mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { FileChange } from './change.js';
import { manifestName } from './manifest.js';

/**
 * Writes temporary files, renames them, then removes the files that are left over. Throws
 * FILE_FAILED; nothing has changed unless renaming or removing failed.
 */
export function writeChanges(folder: string, changes: readonly FileChange[]): void {
  const staged: { readonly temporary: string; readonly file: string }[] = [];
  const created: string[] = [];
  let at = folder;
  try {
    for (const { path, after } of changes) {
      if (after === undefined) continue;
      at = join(folder, path);
      createFolders(dirname(at), created);
      const temporary = join(dirname(at), `.${basename(at)}.${process.pid}.tmp`);
      staged.push({ temporary, file: at });
      writeFileSync(temporary, after);
    }
  } catch (cause) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const each of created.reverse()) rmdirSync(each);
    const { message } = cause as Error;
    const fix =
      'make the output folder writable, or choose another with --out DIR; nothing was changed';
    throw new RowsmithError(
      'FILE_FAILED',
      { file: at, ...faults.unwritableFile(message, fix) },
      { cause },
    );
  }
  // The manifest first: if the process is killed now, the next run still knows its files.
  for (const { temporary, file } of staged.sort(
    (a, b) => Number(basename(b.file) === manifestName) - Number(basename(a.file) === manifestName),
  ))
    renameSync(temporary, file);
  for (const { path, after } of changes) if (after === undefined) rmSync(join(folder, path));
}

/**
 * Creates a folder and those above it, and adds the new ones to `created`. One by one: mkdir's
 * recursive mode never ends under /proc.
 */
function createFolders(folder: string, created: string[]): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  createFolders(dirname(folder), created);
  mkdirSync(folder);
  created.push(folder);
}

const faults = {
  unwritableFile: (message: string, fix: string) => ({
    problem: `it cannot be written: ${message}`,
    fix,
  }),
} satisfies FaultTexts;
