/** Opens files and streams of rows for reading. */
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileFailed, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { ByteSource } from './byte-streams.js';
import { readableOf } from './readable-of.js';

/** A file or a stream that is read. */
export interface RecordSource {
  /** The content, decompressed. */
  readonly stream: Readable;
  /** Size of the file in bytes, before decompression; undefined for a stream. */
  readonly size: number | undefined;
  /** Bytes read so far, before decompression. */
  readonly bytesRead: () => number;
}

/** Larger than the default of Node.js: fewer turns of the event loop per row. */
const chunkBytes = 1 << 18;

/**
 * Converts an error of reading or decompressing to FILE_FAILED; other errors are returned as is.
 */
export function readError(name: string, error: unknown): unknown {
  if (error instanceof RowsmithError) return error;
  // The reason of an abort can be anything: the default one has a number as its code.
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message: string };
  if (typeof code !== 'string') return error;
  if (code === 'Z_BUF_ERROR') {
    return fileFailed(name, faults.cutOff, error);
  }
  if (code.startsWith('Z_')) return fileFailed(name, faults.damagedGzip(message), error);
  if (code === 'ENOENT') return fileFailed(name, faults.missingFile, error);
  return fileFailed(name, faults.unreadableFile(message), error);
}

/** Opens a file or a stream for reading. Throws FILE_FAILED if there is no such file. */
export function openSource(from: string | ByteSource, gzip: boolean): RecordSource {
  const source = typeof from === 'string' ? openFile(from) : openStream(readableOf(from));
  if (!gzip) return source;
  const unzipped = createGunzip({ chunkSize: chunkBytes });
  source.stream.on('error', (error) => unzipped.destroy(error));
  return { ...source, stream: source.stream.pipe(unzipped) };
}

function openFile(path: string): RecordSource {
  let size: number | undefined;
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw fileFailed(path, faults.notAFile);
    if (stats.isFile()) ({ size } = stats);
  } catch (error) {
    throw readError(path, error);
  }
  const stream = createReadStream(path, { highWaterMark: chunkBytes });
  return { stream, size, bytesRead: () => stream.bytesRead };
}

function openStream(stream: Readable): RecordSource {
  let bytes = 0;
  stream.on('data', (chunk: Uint8Array) => (bytes += chunk.length)).pause();
  return { stream, size: undefined, bytesRead: () => bytes };
}

const faults = {
  cutOff: {
    problem: 'the gzip data is truncated',
    fix: 'get the complete file again; rows that were already imported may be imported again',
  },
  damagedGzip: (message: string) => ({
    problem: `the gzip data is damaged: ${message}`,
    fix: 'get the file again, or leave gzip off if it is not compressed',
  }),
  missingFile: { problem: 'there is no such file', fix: 'correct the path' },
  unreadableFile: (message: string) => ({
    problem: `it cannot be read: ${message}`,
    fix: 'make the file readable',
  }),
  notAFile: { problem: 'it is a directory', fix: 'name a file' },
} satisfies FaultTexts;
