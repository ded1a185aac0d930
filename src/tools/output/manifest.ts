/**
 * The list of generated files in an output folder, by generator. Only these files are ever
 * overwritten or removed.
 */
import { compareText, RowsmithError, type FaultTexts } from '../../base/index.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** File name of the manifest in the output folder. */
export const manifestName = '.rowsmith-generated.json';

/** Paths of files by the name of their generator. */
export type Manifest = ReadonlyMap<string, readonly string[]>;

/** The manifest of a folder; empty if there is none. Throws FILE_FAILED. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, manifestName);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return new Map();
    throw new RowsmithError('FILE_FAILED', { file, ...faults.unreadableFile }, { cause });
  }
  const files = parse(text);
  if (files !== undefined) return files;
  throw new RowsmithError('FILE_FAILED', {
    file,
    ...faults.damagedManifest(text),
  });
}

/** The names of generators with files in a folder. Throws FILE_FAILED. */
export function generatedBefore(folder: string): ReadonlySet<string> {
  return new Set(readManifest(folder).keys());
}

function manifestProblem(text: string): string {
  if (/^(<{7}|={7}|>{7})/m.test(text)) return 'it contains the markers of a merge conflict';
  return 'it is not the list of generated files that rowsmith writes';
}

function parse(text: string): Manifest | undefined {
  try {
    const { files } = JSON.parse(text) as { files: Record<string, string[]> };
    const entries = Object.entries(files);
    if (entries.every(([, paths]) => Array.isArray(paths) && paths.every(isInside)))
      return new Map(entries);
    return undefined;
  } catch {
    return undefined;
  }
}

/** Whether an error of node:fs says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Whether a path stays in its folder: files listed in the manifest may be removed. */
export function isInside(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    path !== '' &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\\:\p{Cc}]/u.test(path)
  );
}

/** The text of the manifest; sorted, to keep merges small. */
export function manifestText(manifest: Manifest): string {
  const files = Object.fromEntries(
    [...manifest]
      .filter(([, paths]) => paths.length > 0)
      .map(([name, paths]) => [name, [...paths].sort()] as const)
      .sort(([a], [b]) => compareText(a, b)),
  );
  const comment =
    'Written by rowsmith generate, which overwrites and removes these files and no others.';
  return `${JSON.stringify({ '//': comment, files }, undefined, 2)}\n`;
}

const faults = {
  unreadableFile: {
    problem: 'the list of generated files cannot be read',
    fix: 'make the file readable',
  },
  damagedManifest: (text: string) => ({
    problem: manifestProblem(text),
    fix:
      'take either side of the merge, or delete it together with the generated files, and run ' +
      'rowsmith generate',
  }),
} satisfies FaultTexts;
