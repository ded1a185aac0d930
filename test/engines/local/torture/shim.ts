/** Compiles the preloaded library shim.c, writes its control file and reads what it recorded. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let library: string | null | undefined;

/**
 * Path of the library, compiled when it is first needed; undefined, with a warning, where that is
 * not possible.
 */
export function shimLibrary(): string | undefined {
  library ??= compile();
  return library ?? undefined;
}

function compile(): string | null {
  const output = join(mkdtempSync(join(tmpdir(), 'rowsmith-shim-')), 'shim.so');
  const source = join(__dirname, 'shim.c');
  const flags = ['-shared', '-fPIC', '-O1', '-o', output, source];
  const run = spawnSync('cc', flags, { encoding: 'utf8' });
  const isUsable = process.platform === 'linux' && run.status === 0 && existsSync(output);
  if (isUsable) return output;
  const reason = run.error?.message ?? run.stderr;
  console.warn(
    `SKIPPED: the library that lets calls fail needs Linux and a C compiler (cc): ${reason}`,
  );
  return null;
}

/** The environment of a child process. The shim watches its files below `directory`. */
export function shimEnvironment(
  directory: string,
  { control, record }: { control?: string; record?: string },
): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: shimLibrary(),
    UV_USE_IO_URING: '0',
    TORTURE_DIRECTORY: directory,
    TORTURE_CONTROL: control,
    TORTURE_RECORD: record,
  };
}

/** The calls that can fail (enum call in shim.c). */
export const calls = [
  'write',
  'sync',
  'open',
  'truncate',
  'rename',
  'link',
  'unlink',
  'mkdir',
] as const;
export type Call = (typeof calls)[number];

/** Numbers of errors on Linux. */
export const errorNumbers = {
  EIO: 5,
  EMFILE: 24,
  EFBIG: 27,
  ENOSPC: 28,
  EROFS: 30,
  EDQUOT: 122,
} as const;
export type ErrorName = keyof typeof errorNumbers;
/** In place of an error number: the process is killed or stopped before the call. */
const killed = -1;
const stopped = -2;
/** The calls that change a file, and flushes. */
const allCalls = calls.reduce((bits, call, i) => (call === 'open' ? bits : bits | (1 << i)), 0);

/** Fields of the control file before the fields that the shim writes (struct control). */
const writtenFields = 7;
const fieldCount = writtenFields + 2 + calls.length;

/** Fields of a control file: the call with this number, and the `count - 1` after it, fail. */
export function failingCall(options: {
  readonly call: Call;
  /** From 1. */
  readonly number: number;
  /** 0: all from then on. */
  readonly count: number;
  readonly error: ErrorName;
  /** The first failing write writes half of its sectors and reports that instead. */
  readonly short: boolean;
}): number[] {
  const { call, number, count, error, short } = options;
  return [1 << calls.indexOf(call), number, count, errorNumbers[error], short ? 1 : 0, 0, 0];
}

/** Fields of a control file: the process is killed before the call with this number, from 1. */
export function killingCall(call: Call, number: number): number[] {
  return [1 << calls.indexOf(call), number, 1, killed, 0, 0, 0];
}

/** The process is killed before its call with this number, from 1, that changes or flushes a file. */
export function killingAnyCall(number: number): number[] {
  return [allCalls, number, 1, killed, 0, 0, 0];
}

/** The process is stopped before this call. */
export function stoppingAnyCall(number: number): number[] {
  return [allCalls, number, 1, stopped, 0, 0, 0];
}

/** Fields of a control file: all files together may take this many bytes. */
export function capacity(bytes: number, error: ErrorName): number[] {
  return [0, 0, 0, 0, 0, bytes, errorNumbers[error]];
}

/** Creates a control file with which nothing fails. */
export function createControl(file: string): void {
  const handle = openSync(file, 'w');
  writeSync(handle, Buffer.alloc(fieldCount * 8), 0, fieldCount * 8, 0);
  closeSync(handle);
}

/** Changes the control file of a running process; no fields: nothing fails any more. */
export function armControl(file: string, fields: readonly number[]): void {
  const bytes = Buffer.alloc(writtenFields * 8);
  fields.forEach((field, i) => bytes.writeBigInt64LE(BigInt(field), i * 8));
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, 0);
  closeSync(handle);
}

/** How many calls of each kind were made, how many matched the armed kinds, and how many failed. */
interface ControlCounts {
  readonly matched: number;
  readonly failed: number;
  readonly counts: Record<Call, number>;
}

/** Reads what the shim has counted. */
export function readControl(file: string): ControlCounts {
  const bytes = readFileSync(file);
  const field = (i: number): number => Number(bytes.readBigInt64LE(i * 8));
  const counts = calls.map((call, i) => [call, field(writtenFields + 2 + i)] as const);
  return {
    matched: field(writtenFields),
    failed: field(writtenFields + 1),
    counts: Object.fromEntries(counts) as Record<Call, number>,
  };
}

/** A recorded call; see shim.c, struct record. */
export interface ShimRecord {
  readonly kind:
    | 'open'
    | 'write'
    | 'truncate'
    | 'sync'
    | 'link'
    | 'rename'
    | 'unlink'
    | 'mkdir'
    | 'line'
    | 'syncFailed';
  readonly created: boolean;
  /** A write that is durable when it returns (O_DSYNC). */
  readonly synced: boolean;
  readonly directory: boolean;
  readonly inode: bigint;
  readonly offset: number;
  /** Bytes written, a line, or names separated by NUL. */
  readonly bytes: Buffer;
}

const kinds = [
  undefined,
  'open',
  'write',
  'truncate',
  'sync',
  'link',
  'rename',
  'unlink',
  'mkdir',
  'line',
  'syncFailed',
] as const;
const headBytes = 32;

/** The calls in their order. */
export function readRecords(file: string): ShimRecord[] {
  const bytes = readFileSync(file);
  const records: ShimRecord[] = [];
  for (let at = 0; at + headBytes <= bytes.length;) {
    const flags = bytes.readUInt32LE(at + 4);
    const end = at + headBytes + Number(bytes.readBigUInt64LE(at + 24));
    records.push({
      kind: kinds[bytes.readUInt32LE(at)]!,
      created: (flags & 1) !== 0,
      synced: (flags & 2) !== 0,
      directory: (flags & 4) !== 0,
      inode: bytes.readBigUInt64LE(at + 8),
      offset: Number(bytes.readBigUInt64LE(at + 16)),
      bytes: bytes.subarray(at + headBytes, end),
    });
    at = end;
  }
  return records;
}
