/**
 * The header with which logs and tables begin; see FORMAT.md. It says which database a file belongs
 * to and which file it is, so that a file that was swapped or restored is noticed.
 */
import { randomBytes } from 'node:crypto';
import { readNumber64, readUint32BE, writeNumber64, writeUint32BE } from '../bytes.js';
import { pairChecksum, storedChecksum, writeChecksum } from '../checksum.js';
import type { FileId } from './file-names.js';

export const fileHeaderBytes = 96;
export const databaseIdBytes = 16;
export const saltBytes = 8;
/** Where the salt is in a header. */
const saltStart = 48;
const magic = Buffer.from('rowsmith');
const fileVersion = 1;

export const logKind = 1;
export const tableKind = 2;

export interface FileHeader extends FileId {
  /** `logKind` or `tableKind`. */
  readonly kind: number;
  readonly database: Uint8Array;
  /** Random bytes with which checksums begin, so that records of other files are not valid. */
  readonly salt: Uint8Array;
  /** Number of the first commit of a segment of the log; 0 in a table. */
  readonly firstCommit: number;
  /** The salt of the segment before; zeros in the first segment of a database and in tables. */
  readonly previousSalt: Uint8Array;
}

export const noSalt: Uint8Array = new Uint8Array(saltBytes);

export function newSalt(): Uint8Array {
  return new Uint8Array(randomBytes(saltBytes));
}

export function encodeFileHeader(header: FileHeader): Uint8Array {
  const bytes = new Uint8Array(fileHeaderBytes);
  bytes.set(magic);
  writeUint32BE(bytes, 8, fileVersion);
  writeUint32BE(bytes, 12, header.kind);
  bytes.set(header.database, 16);
  writeNumber64(bytes, 32, header.owner);
  writeNumber64(bytes, 40, header.number);
  bytes.set(header.salt, saltStart);
  writeNumber64(bytes, 56, header.firstCommit);
  bytes.set(header.previousSalt, 64);
  writeChecksum(bytes, sumStart, headerSum(bytes));
  return bytes;
}

/** Reads the header at the start of a file; undefined if it is not valid. */
export function decodeFileHeader(file: Uint8Array): FileHeader | undefined {
  if (file.length < fileHeaderBytes) return undefined;
  const bytes = new Uint8Array(file.subarray(0, fileHeaderBytes));
  if (headerSum(bytes) !== storedChecksum(bytes, fileHeaderBytes)) return undefined;
  if (!magic.equals(bytes.subarray(0, magic.length)) || readUint32BE(bytes, 8) !== fileVersion)
    return undefined;
  return {
    kind: readUint32BE(bytes, 12),
    database: bytes.slice(16, 16 + databaseIdBytes),
    owner: readNumber64(bytes, 32),
    number: readNumber64(bytes, 40),
    salt: bytes.slice(saltStart, saltStart + saltBytes),
    firstCommit: readNumber64(bytes, 56),
    previousSalt: bytes.slice(64, 64 + saltBytes),
  };
}

const sumStart = fileHeaderBytes - 4;

function headerSum(bytes: Uint8Array): number {
  return pairChecksum(bytes, saltStart, saltStart + saltBytes, bytes, 0, sumStart);
}
