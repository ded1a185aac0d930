/** Files that the command line names, checked before anything is read or written. */
import { type Stats, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { RowsmithError } from '../base/index.js';

/** The absolute path of a file to read. Throws FILE_FAILED if it is missing or a folder. */
export function inputFile(folder: string, name: string): string {
  const path = resolve(folder, name);
  const problem = inputProblem(folder, name);
  if (problem === undefined) return path;
  throw fileFailed(path, problem, 'correct the path; nothing was changed');
}

/** Why a file cannot be read: it is missing or a folder. Undefined if neither. */
export function inputProblem(folder: string, name: string): string | undefined {
  const found = statsOf(resolve(folder, name));
  if (found === 'missing') return `there is no file ${pathText(folder, name)}`;
  if (found.isDirectory()) return `${pathText(folder, name)} is a folder, not a file`;
  return undefined;
}

/**
 * The absolute path of a file to write. Throws FILE_FAILED if its folder does not exist, or if it
 * is a folder itself.
 */
export function outputFile(folder: string, name: string): string {
  const path = resolve(folder, name);
  const found = statsOf(path);
  if (found !== 'missing' && found.isDirectory())
    throw fileFailed(
      path,
      `${pathText(folder, name)} is a folder, not a file`,
      'name a file; nothing was changed',
    );
  if (statsOf(dirname(path)) !== 'missing') return path;
  throw fileFailed(
    path,
    `there is no folder ${pathText(folder, dirname(name))}`,
    'correct the path, or create the folder; nothing was changed',
  );
}

/** The bytes of a file. Rejects with FILE_FAILED. */
export async function readInput(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const problem = `it cannot be read: ${(cause as Error).message}`;
    throw fileFailed(path, problem, 'name a file that may be read', cause);
  }
}

/** Writes a file. Rejects with FILE_FAILED. */
export async function writeOutput(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (cause) {
    const problem = `it cannot be written: ${(cause as Error).message}`;
    throw fileFailed(path, problem, 'name a file in a folder that may be written to', cause);
  }
}

function fileFailed(file: string, problem: string, fix: string, cause?: unknown): RowsmithError {
  return new RowsmithError('FILE_FAILED', { file, problem, fix }, { cause });
}

/** `'data.csv' in /project`; an absolute path needs no folder. */
function pathText(folder: string, name: string): string {
  if (isAbsolute(name)) return `'${name}'`;
  return `'${name}' in ${folder}`;
}

type Found = Pick<Stats, 'isDirectory'> | 'missing';

function statsOf(path: string): Found {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? 'missing';
  } catch {
    // A folder that may not be searched: opening the file reports the permission.
    return { isDirectory: () => false };
  }
}
