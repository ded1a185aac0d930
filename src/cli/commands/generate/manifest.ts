/**
 * Which files of an output folder are generated, and by which generator: nothing else there is ever
 * overwritten or removed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError } from '../../../errors.js';

/** Name of the manifest in the output folder. */
export const manifestName = '.rowsmith-generated.json';

/** Paths by the name of their generator. */
export type Manifest = ReadonlyMap<string, readonly string[]>;

/** The manifest of a folder; empty where there is none. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, manifestName);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? ''))
      return new Map();
    throw new RowsmithError(
      'FILE_FAILED',
      { file, problem: 'the list of generated files cannot be read', fix: 'make it readable' },
      { cause },
    );
  }
  const files = parse(text);
  if (files !== undefined) return files;
  const problem = /^(<{7}|={7}|>{7})/m.test(text)
    ? 'it holds the marks of a merge conflict'
    : 'it is not the list of generated files that rowsmith writes';
  throw new RowsmithError('FILE_FAILED', {
    file,
    problem,
    fix: 'take either side of the merge, or delete it together with the generated files, and run rowsmith generate',
  });
}

function parse(text: string): Manifest | undefined {
  try {
    const { files } = JSON.parse(text) as { files: Record<string, string[]> };
    const entries = Object.entries(files);
    return entries.every(([, paths]) => Array.isArray(paths) && paths.every(isInside))
      ? new Map(entries)
      : undefined;
  } catch {
    return undefined;
  }
}

/** True for a path that stays in its folder: the manifest lists what may be removed. */
export function isInside(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    path !== '' &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\\:]/.test(path)
  );
}

/** Its text: sorted, so that merges are small. */
export function manifestText(manifest: Manifest): string {
  const files = Object.fromEntries(
    [...manifest]
      .filter(([, paths]) => paths.length > 0)
      .map(([name, paths]) => [name, [...paths].sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return `${JSON.stringify({ '//': 'Written by rowsmith generate, which overwrites and removes these files and no others.', files }, undefined, 2)}\n`;
}
