/** Files that the command line names, checked before anything is read or written. */
import { type Stats, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileFailed, type FaultTexts } from '../base/index.js';

/** The absolute path of a file to read. Throws FILE_FAILED if it is missing or a folder. */
export function inputFile(folder: string, name: string): string {
  const path = resolve(folder, name);
  const problem = inputProblem(folder, name);
  if (problem === undefined) return path;
  throw fileFailed(path, faults.unreadablePath(problem));
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
    throw fileFailed(path, faults.notAFile(folder, name));
  if (statsOf(dirname(path)) !== 'missing') return path;
  throw fileFailed(path, faults.missingFolder(folder, name));
}

/** The bytes of a file. Rejects with FILE_FAILED. */
export async function readInput(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const problem = `it cannot be read: ${(cause as Error).message}`;
    throw fileFailed(path, faults.unreadableFile(problem), cause);
  }
}

/** Writes a file. Rejects with FILE_FAILED. */
export async function writeOutput(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (cause) {
    const problem = `it cannot be written: ${(cause as Error).message}`;
    throw fileFailed(path, faults.unwritableFile(problem), cause);
  }
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

const faults = {
  unreadablePath: (problem: string) => ({ problem, fix: 'correct the path; nothing was changed' }),
  notAFile: (folder: string, name: string) => ({
    problem: `${pathText(folder, name)} is a folder, not a file`,
    fix: 'name a file; nothing was changed',
  }),
  missingFolder: (folder: string, name: string) => ({
    problem: `there is no folder ${pathText(folder, dirname(name))}`,
    fix: 'correct the path, or create the folder; nothing was changed',
  }),
  unreadableFile: (problem: string) => ({ problem, fix: 'name a file that may be read' }),
  unwritableFile: (problem: string) => ({
    problem,
    fix: 'name a file in a folder that may be written to',
  }),
} satisfies FaultTexts;
