/** Compares generated files with those in the output folder. */
import { compareText, RowsmithError, type FaultTexts } from '../../base/index.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputFile } from '../codegen/index.js';
import {
  isInside,
  isMissing,
  type Manifest,
  manifestName,
  manifestText,
  readManifest,
} from './manifest.js';

/** A file that differs from the one that would be generated. */
export interface FileChange {
  readonly path: string;
  /** `left over`: an earlier run wrote the file, and it is no longer generated. */
  readonly state: 'missing' | 'different' | 'left over';
  /** The present content; undefined if missing. */
  readonly before: Buffer | undefined;
  /** The generated content; undefined if left over. */
  readonly after: Buffer | undefined;
}

/** The files of each generator that runs, by its name. */
export type Output = ReadonlyMap<string, readonly OutputFile[]>;

/**
 * The changes that generating would make, sorted by path. The manifest is one of the files. Throws
 * FILE_FAILED if a file that rowsmith did not generate would be overwritten.
 */
export function changesOf(folder: string, output: Output): readonly FileChange[] {
  const earlier = readManifest(folder);
  const known = new Set([...earlier.values()].flat());
  const generated = contentByPath(output);
  const changes: FileChange[] = [];
  for (const [path, after] of generated) {
    const change = changeOf(folder, path, after);
    if (change === undefined) continue;
    if (change.state === 'different' && !known.has(path))
      throw new RowsmithError('FILE_FAILED', {
        file: join(folder, path),
        ...faults.existingFile,
      });
    changes.push(change);
  }
  for (const path of [...output.keys()].flatMap((name) => earlier.get(name) ?? [])) {
    if (generated.has(path)) continue;
    const before = readFile(folder, path);
    if (before !== undefined) changes.push({ path, state: 'left over', before, after: undefined });
  }
  const manifest = Buffer.from(manifestText(mergedManifest(earlier, output)));
  const manifestChange = changeOf(folder, manifestName, manifest);
  if (manifestChange !== undefined) changes.push(manifestChange);
  return changes.sort((a, b) => compareText(a.path, b.path));
}

/** Undefined if the file has this content already. */
function changeOf(folder: string, path: string, after: Buffer): FileChange | undefined {
  const before = readFile(folder, path);
  if (before === undefined) return { path, state: 'missing', before, after };
  if (before.equals(after)) return undefined;
  return { path, state: 'different', before, after };
}

/** Generators that did not run keep their lists. */
function mergedManifest(earlier: Manifest, output: Output): Manifest {
  return new Map([
    ...earlier,
    ...[...output].map(([name, files]) => [name, files.map(({ path }) => path)] as const),
  ]);
}

function contentByPath(output: Output): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  const owners = new Map<string, string>();
  for (const [name, files] of output) {
    for (const { path, content } of files) {
      if (!isInside(path) || path === manifestName)
        throw new RowsmithError('INVALID_DECLARATION', {
          file: path,
          ...faults.outsideFolder(name),
        });
      const owner = owners.get(path);
      if (owner !== undefined) throw duplicateError(path, owner, name);
      owners.set(path, name);
      contents.set(path, toBuffer(content));
    }
  }
  return contents;
}

function duplicateError(path: string, first: string, second: string): RowsmithError {
  const problem =
    first === second
      ? `the generator ${first} writes this file twice`
      : `the generators ${first} and ${second} both write this file`;
  return new RowsmithError('INVALID_DECLARATION', {
    file: path,
    ...faults.duplicateFile(problem),
  });
}

function toBuffer(content: OutputFile['content']): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function readFile(folder: string, path: string): Buffer | undefined {
  const file = join(folder, path);
  try {
    return readFileSync(file);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new RowsmithError('FILE_FAILED', { file, ...faults.unreadableFile }, { cause });
  }
}

const faults = {
  existingFile: {
    problem: 'it exists already, and was not written by rowsmith generate',
    fix: 'move it away, or generate into another folder: --out DIR',
  },
  outsideFolder: (name: string) => ({
    problem: `the generator ${name} cannot write it: it is not a name inside the output folder`,
    fix: 'name entities, tables and .proto files with letters, digits, underscores, hyphens and dots',
  }),
  duplicateFile: (problem: string) => ({
    problem,
    fix:
      'give the entities, tables or messages names that differ by more than letter case or ' +
      'punctuation',
  }),
  unreadableFile: { problem: 'it cannot be read', fix: 'make it a readable file' },
} satisfies FaultTexts;
