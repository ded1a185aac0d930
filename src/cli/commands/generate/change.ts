/** What generating would change in an output folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputFile } from '../../../codegen/index.js';
import { RowsmithError } from '../../../errors.js';
import { isInside, type Manifest, manifestName, manifestText, readManifest } from './manifest.js';

/** One file that is not as it would be generated. */
export interface Change {
  readonly path: string;
  /** `left over`: an earlier run wrote it, and nothing gives it any more. */
  readonly state: 'missing' | 'different' | 'left over';
  /** What is there; undefined when missing. */
  readonly before: Buffer | undefined;
  /** What would be there; undefined when left over. */
  readonly after: Buffer | undefined;
}

/** The files of each generator that runs. */
export type Output = ReadonlyMap<string, readonly OutputFile[]>;

/**
 * Compares what was generated with what is there; by path. The manifest is one of the files. Throws
 * FILE_FAILED where a file of somebody else is in the way.
 */
export function changesOf(folder: string, output: Output): readonly Change[] {
  const written = readManifest(folder);
  const known = new Set([...written.values()].flat());
  const wanted = wantedFiles(output);
  const changes: Change[] = [];
  for (const [path, after] of wanted) {
    const before = readFile(folder, path);
    if (before?.equals(after) === true) continue;
    if (before !== undefined && !known.has(path)) {
      const problem = 'it is there already, and was not written by rowsmith generate';
      throw new RowsmithError('FILE_FAILED', {
        file: join(folder, path),
        problem,
        fix: 'move it away, or generate into another folder: --out DIR',
      });
    }
    changes.push({ path, state: before === undefined ? 'missing' : 'different', before, after });
  }
  for (const path of [...output.keys()].flatMap((name) => written.get(name) ?? [])) {
    const before = wanted.has(path) ? undefined : readFile(folder, path);
    if (before !== undefined) changes.push({ path, state: 'left over', before, after: undefined });
  }
  const after = Buffer.from(manifestText(manifestAfter(written, output)));
  const before = readFile(folder, manifestName);
  if (before?.equals(after) !== true)
    changes.push({
      path: manifestName,
      state: before === undefined ? 'missing' : 'different',
      before,
      after,
    });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Generators that did not run keep their lists. */
function manifestAfter(written: Manifest, output: Output): Manifest {
  return new Map([
    ...written,
    ...[...output].map(([name, files]) => [name, files.map(({ path }) => path)] as const),
  ]);
}

function wantedFiles(output: Output): Map<string, Buffer> {
  const wanted = new Map<string, Buffer>();
  const owners = new Map<string, string>();
  for (const [name, files] of output) {
    for (const { path, content } of files) {
      if (!isInside(path) || path === manifestName)
        throw new Error(
          `the generator ${name} gives the path '${path}', which is not inside the output folder`,
        );
      const owner = owners.get(path);
      if (owner !== undefined) {
        const problem =
          owner === name
            ? `the generator ${name} gives this file twice`
            : `the generators ${owner} and ${name} both give this file`;
        throw new RowsmithError('INVALID_DECLARATION', {
          file: path,
          problem,
          fix: 'give the entities, tables or messages names that differ by more than letter case or punctuation',
        });
      }
      owners.set(path, name);
      wanted.set(
        path,
        typeof content === 'string'
          ? Buffer.from(content)
          : Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      );
    }
  }
  return wanted;
}

function readFile(folder: string, path: string): Buffer | undefined {
  const file = join(folder, path);
  try {
    return readFileSync(file);
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw new RowsmithError(
      'FILE_FAILED',
      { file, problem: 'it cannot be read', fix: 'see to it that it is a readable file' },
      { cause },
    );
  }
}
