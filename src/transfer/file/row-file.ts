/**
 * Files of rows: their format and compression by name, opened for reading with the bytes counted.
 */
import { createReadStream, type ReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RowsmithError } from '../../errors.js';
import { fileFailed } from './replace-file.js';

/**
 * How rows stand in a file: an object of JSON on each line, or comma-separated values under a
 * header.
 */
export type RowFormat = 'jsonl' | 'csv';

/** Refuses a format that comes from JavaScript. */
export function checkFormat(format: unknown): void {
  if (format === 'jsonl' || format === 'csv') return;
  throw new RowsmithError('INVALID_ARGUMENT', {
    property: 'format',
    problem: `the format is ${JSON.stringify(format)}`,
    fix: "use 'jsonl' or 'csv'",
  });
}

/**
 * The format and compression that a name says: `rows.csv.gz`. Undefined where it says nothing of
 * the format.
 */
export function formatOfName(name: string): {
  readonly format: RowFormat | undefined;
  readonly gzip: boolean;
} {
  const gzip = /\.gz$/i.test(name);
  const bare = gzip ? name.slice(0, -3) : name;
  const format = /\.csv$/i.test(bare)
    ? 'csv'
    : /\.(jsonl|ndjson|json)$/i.test(bare)
      ? 'jsonl'
      : undefined;
  return { format, gzip };
}

/** A file or a stream being read. */
export interface RowSource {
  /** Its bytes, decompressed. */
  readonly stream: Readable;
  /** Bytes of the file; undefined for a stream. */
  readonly size: number | undefined;
  /** Bytes read so far, as they are on the disk. */
  readonly bytesRead: () => number;
}

/** Bytes that are read at once. */
const chunkBytes = 1 << 18;

/** What the error of a broken file says; `name` is for people. */
export function readFault(name: string, error: unknown): unknown {
  if (error instanceof RowsmithError) return error;
  const { code, message } = error as { readonly code?: string; readonly message: string };
  if (code === 'Z_BUF_ERROR') {
    return fileFailed(
      name,
      'the gzip data ends before its end: the file was cut off',
      'get the whole file again; rows up to there may be written, and importing them again is harmless',
      error,
    );
  }
  if (code?.startsWith('Z_') === true)
    return fileFailed(
      name,
      `the gzip data is damaged: ${message}`,
      'get the file again, or leave gzip off if it is plain',
      error,
    );
  if (code === 'ENOENT')
    return fileFailed(name, 'there is no such file', 'correct the path', error);
  if (typeof code === 'string')
    return fileFailed(name, `it cannot be read: ${message}`, 'make it a readable file', error);
  return error;
}

/** Opens a file for reading, or takes a stream. Throws FILE_FAILED where there is none. */
export function openSource(from: string | Readable, gzip: boolean): RowSource {
  const name = typeof from === 'string' ? from : 'standard input';
  let size: number | undefined;
  if (typeof from === 'string') {
    try {
      const found = statSync(from);
      if (found.isDirectory()) throw fileFailed(from, 'it is a folder', 'name a file');
      size = found.isFile() ? found.size : undefined;
    } catch (error) {
      throw readFault(name, error);
    }
  }
  // Larger chunks: fewer turns of the loop for each row.
  const raw: Readable =
    typeof from === 'string' ? createReadStream(from, { highWaterMark: chunkBytes }) : from;
  let counted = 0;
  if (typeof from !== 'string')
    raw.on('data', (chunk: Uint8Array) => (counted += chunk.length)).pause();
  const bytesRead = (): number =>
    typeof from === 'string' ? (raw as ReadStream).bytesRead : counted;
  if (!gzip) return { stream: raw, size, bytesRead };
  const unzipped = createGunzip({ chunkSize: chunkBytes });
  raw.on('error', (error) => unzipped.destroy(error));
  return { stream: raw.pipe(unzipped), size, bytesRead };
}
