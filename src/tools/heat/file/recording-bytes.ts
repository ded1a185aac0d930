/** A recording: a header, then records of one window each. FORMAT.md specifies the bytes. */
import { latin1Text, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { AccessLog, AccessWindow, TopKey } from '../access-log.js';
import { crc32, MalformedBytes } from './byte-buffer.js';
import { decodeWindow, type TableWindow } from './window-codec.js';

const magic = Buffer.from('RSM-HEAT');
/** The version that is written, and the greatest that is read. */
const version = 1;
/** Magic, version (1 byte), three zero bytes, length of a window (u32). */
export const headerBytes = 16;
const recordHeaderBytes = 8;
/** No window is longer: a greater length is damage. */
const maxRecordBytes = 64 * 2 ** 20;
/** Samples of a whole recording up to which the samples of its windows are not thinned much. */
const evenSamples = 500_000;
/** Samples that a window keeps at least; findings need 200. */
const minWindowSamples = 250;
/** Samples of a whole recording, about: above that, windows that follow each other are joined. */
const maxSamples = 1_000_000;
/** Bytes of a sample, at least. */
const minSampleBytes = 4;
/** Busiest rows that are kept of a window. */
const maxTopKeys = 16;

/** The header of a recording. */
export function headerOf(windowMs: number): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header[8] = version;
  header.writeUInt32LE(windowMs, 12);
  return header;
}

/** A window as it is appended to a recording. */
export function recordOf(window: Uint8Array): Uint8Array {
  const header = Buffer.alloc(recordHeaderBytes);
  header.writeUInt32LE(window.length, 0);
  header.writeUInt32LE(crc32(window), 4);
  return Buffer.concat([header, window]);
}

/** What was read of a recording. */
export interface Recording {
  readonly log: AccessLog;
  /** Bytes up to the end of the last whole window. */
  readonly wholeBytes: number;
  /** Why the rest could not be read; undefined if all was. */
  readonly warning?: string | undefined;
}

/**
 * Length of a window. Throws FILE_FAILED if the bytes are no recording, or FORMAT_TOO_NEW. `name`
 * is for messages.
 */
export function windowMsOf(bytes: Uint8Array, name: string): number {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const begins = header.subarray(0, magic.length);
  if (header.length === 0)
    throw new RowsmithError('FILE_FAILED', {
      file: name,
      ...faults.emptyRecording,
    });
  const isCut = header.length < magic.length && magic.subarray(0, header.length).equals(header);
  if (!begins.equals(magic) && !isCut)
    throw new RowsmithError('FILE_FAILED', {
      file: name,
      ...faults.notARecording,
    });
  if (header.length > magic.length && header[8] > version)
    throw new RowsmithError('FORMAT_TOO_NEW', {
      file: name,
      ...faults.newerVersion(header[8]),
    });
  if (header.length < headerBytes || header[8] === 0 || header.readUInt32LE(12) === 0)
    throw new RowsmithError('FILE_FAILED', {
      file: name,
      ...faults.damagedHeader,
    });
  return header.readUInt32LE(12);
}

/**
 * Reads a recording up to its end, or to the first window that is cut off or damaged. Of a long one
 * a window stands for several that were recorded: `windowMs` is longer than a window of the file.
 */
export function readRecordingBytes(bytes: Uint8Array, name: string): Recording {
  const fileWindowMs = windowMsOf(bytes, name);
  const records = recordsOf(bytes);
  const { cap, joined } = thinningOf(records.windows);
  const windowMs = fileWindowMs * joined;
  const tables = new Map<string, Map<number, AccessWindow>>();
  let wholeBytes = headerBytes;
  let { problem } = records;
  for (const record of records.windows) {
    const found = decode(record, fileWindowMs);
    if (found === undefined) {
      problem = 'a window is damaged';
      break;
    }
    const start = Math.floor(found.window.start / windowMs) * windowMs;
    addWindow(tables, { ...found, window: { ...found.window, start } }, cap);
    wholeBytes += recordHeaderBytes + record.length;
  }
  const log = {
    windowMs,
    tables: [...tables]
      .map(([table, windows]) => ({ table, windows: inOrderOfTime(windows) }))
      .sort((a, b) => (a.table < b.table ? -1 : 1)),
  };
  if (problem === undefined) return { log, wholeBytes };
  const rest = bytes.length - wholeBytes;
  const warning = `${name}: ${problem} at byte ${wholeBytes}; the last ${rest} bytes were not read`;
  return { log, wholeBytes, warning };
}

/** A clock that was set back, or a second process, writes windows out of order. */
function inOrderOfTime(windows: ReadonlyMap<number, AccessWindow>): readonly AccessWindow[] {
  return [...windows.values()].sort((a, b) => a.start - b.start);
}

/** Samples that a window keeps, and windows that are joined to one, so that memory is bounded. */
function thinningOf(windows: readonly Uint8Array[]): {
  readonly cap: number;
  readonly joined: number;
} {
  const cap = Math.max(minWindowSamples, Math.floor(evenSamples / Math.max(1, windows.length)));
  const most = windows.reduce(
    (sum, { length }) => sum + Math.min(cap, Math.floor(length / minSampleBytes)),
    0,
  );
  return { cap, joined: Math.max(1, Math.ceil(most / maxSamples)) };
}

interface Records {
  readonly windows: readonly Uint8Array[];
  readonly problem: string | undefined;
}

/** The windows with complete bytes that match their checksum. */
function recordsOf(bytes: Uint8Array): Records {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const windows: Uint8Array[] = [];
  for (let at = headerBytes; at < bytes.length;) {
    const start = at + recordHeaderBytes;
    if (start > bytes.length) return { windows, ...faults.cutOff };
    const length = view.getUint32(at, true);
    if (length > maxRecordBytes) return { windows, ...faults.damagedRecording };
    if (start + length > bytes.length) return { windows, ...faults.cutOff };
    const window = bytes.subarray(start, start + length);
    if (crc32(window) !== view.getUint32(at + 4, true))
      return { windows, ...faults.damagedRecording };
    windows.push(window);
    at = start + length;
  }
  return { windows, problem: undefined };
}

function decode(record: Uint8Array, windowMs: number): TableWindow | undefined {
  try {
    return decodeWindow(record, windowMs);
  } catch (error) {
    if (error instanceof MalformedBytes) return undefined;
    throw error;
  }
}

/**
 * Adds a window. A recorder writes it in several parts if it was started again in the same minute,
 * or if its findings were read.
 */
function addWindow(
  tables: Map<string, Map<number, AccessWindow>>,
  { table, window }: TableWindow,
  cap: number,
): void {
  const windows = tables.get(table) ?? new Map<number, AccessWindow>();
  tables.set(table, windows);
  const before = windows.get(window.start);
  const merged = before === undefined ? window : merge(before, window);
  windows.set(window.start, { ...merged, samples: thin(merged.samples, cap) });
}

function thin<T>(samples: readonly T[], cap: number): readonly T[] {
  if (samples.length <= cap) return samples;
  const step = samples.length / cap;
  return Array.from({ length: cap }, (_, i) => samples[Math.floor(i * step)]);
}

function merge(a: AccessWindow, b: AccessWindow): AccessWindow {
  const larger = (b.largest?.bytes ?? -1) > (a.largest?.bytes ?? -1) ? b.largest : a.largest;
  // Samples of both parts stand for as many operations each.
  const rate = Math.min(sampledShare(a), sampledShare(b));
  const merged = {
    start: a.start,
    reads: a.reads + b.reads,
    writes: a.writes + b.writes,
    bytes: a.bytes + b.bytes,
    samples: [a, b].flatMap((part) =>
      thin(part.samples, Math.max(1, Math.round(rate * operationsOf(part)))),
    ),
    top: mergeTop(a.top, b.top),
  };
  return larger === undefined ? merged : { ...merged, largest: larger };
}

function operationsOf({ reads, writes }: AccessWindow): number {
  return reads + writes;
}

function sampledShare(window: AccessWindow): number {
  if (window.samples.length === 0) return 1;
  return window.samples.length / Math.max(1, operationsOf(window));
}

/** The busiest rows of both parts, each once. */
function mergeTop(a: readonly TopKey[], b: readonly TopKey[]): readonly TopKey[] {
  const rows = new Map<string, TopKey>();
  for (const row of [...a, ...b]) {
    const text = latin1Text(row.key);
    const { count = 0, error = 0 } = rows.get(text) ?? {};
    rows.set(text, { key: row.key, count: count + row.count, error: error + row.error });
  }
  return [...rows.values()]
    .sort((x, y) => y.count - y.error - (x.count - x.error))
    .slice(0, maxTopKeys);
}

const faults = {
  emptyRecording: {
    problem: 'it is not a recording: it is empty',
    fix: 'record again: recordAccess({ file }) or rowsmith serve --record',
  },
  notARecording: {
    problem: 'it is not a recording: it does not begin with the header of a recording',
    fix: 'name a file that recordAccess({ file }) or rowsmith serve --record wrote',
  },
  newerVersion: (header: number) => ({
    problem: `the recording has format version ${header}, and this version reads up to ${version}`,
    fix: 'run npm install rowsmith@latest',
  }),
  damagedHeader: {
    problem: 'the recording is cut off or damaged in its header',
    fix: 'record again: nothing in the file can be read',
  },
  cutOff: { problem: 'the recording is cut off' },
  damagedRecording: { problem: 'the recording is damaged' },
} satisfies FaultTexts;
