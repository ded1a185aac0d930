/**
 * Reads one segment of the log. A commit that was not written completely was never acknowledged,
 * and ends the log. Anything else that is not as it was written is CORRUPT_DATA.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import { readUint32BE } from '../bytes.js';
import { pairHeaderBytes, rangeBit, removedLength } from '../buffer/pair-arena.js';
import {
  decodeRecordHeader,
  type FilePart,
  isIncomplete,
  isIntact,
  type RecordHeader,
  recordHeaderBytes,
  sectorBytes,
  type SegmentId,
  segmentHeaderBytes,
} from './log-record.js';

/** What is called for the content of a log. Byte strings are valid only during a call. */
export interface LogVisitor {
  /** `value` is undefined where the key is removed. */
  pair(key: Uint8Array, value: Uint8Array | undefined): void;
  /** The keys from `start` on that are before `end` are removed. */
  range(start: Uint8Array, end: Uint8Array): void;
  /** After the pairs of a commit. Where the log is read at once, no promise may be returned. */
  commitEnd(commit: number): Promise<void> | void;
}

/** Where a segment is continued, and who writes to it. */
export interface SegmentPart {
  /** End of the last commit that was read, and the number of the next one. */
  readonly position?: number;
  readonly nextCommit?: number;
  /** True while another process writes to the segment: an incomplete commit may look damaged. */
  readonly isLive?: boolean;
}

/** Bytes that are read at once, unless a record is larger. */
const partBytes = 1024 * 1024;
/** Bytes after which the reader may pause. */
const pauseBytes = 64 * 1024;

/** Reads a segment from a position on. To be closed. */
export class SegmentReader {
  /** Number of the next commit. */
  nextCommit: number;
  /** End of the last complete commit. */
  end: number;

  readonly #path: string;
  readonly #file: PartialFile;
  readonly #salt: Uint8Array;
  readonly #visitor: LogVisitor;
  readonly #isLive: boolean;
  #bytesSincePause = 0;

  constructor(
    path: string,
    { firstCommit, salt }: SegmentId,
    visitor: LogVisitor,
    { position = segmentHeaderBytes, nextCommit = firstCommit, isLive = false }: SegmentPart = {},
  ) {
    this.#path = path;
    this.#salt = salt;
    this.#visitor = visitor;
    this.end = position;
    this.nextCommit = nextCommit;
    this.#isLive = isLive;
    this.#file = new PartialFile(path);
  }

  /** Reads the commits before `stop` at once. */
  read(stop: number): void {
    const steps = this.steps(stop);
    while (steps.next().done !== true);
  }

  /**
   * Reads the commits before `stop`. Yields where it may pause: about every 64 KiB, and where the
   * visitor has returned a promise.
   */
  *steps(stop: number): Generator<Promise<void> | undefined, void> {
    while (this.nextCommit < stop) {
      const records = yield* this.#readCommit();
      if (records === undefined) return;
      for (const record of records) yield* this.#visitPairs(record);
      const promise = this.#visitor.commitEnd(this.nextCommit);
      this.nextCommit++;
      this.end = records[records.length - 1].next;
      if (promise !== undefined) yield promise;
    }
  }

  close(): void {
    this.#file.close();
  }

  /** The records of the next commit; undefined if it was not written, or not completely. */
  *#readCommit(): Generator<undefined, RecordHeader[] | undefined> {
    const records: RecordHeader[] = [];
    let position = this.end;
    for (;;) {
      const record = this.#headerAt(position);
      const isNext = record?.commit === this.nextCommit && record.fragment === records.length;
      if (record === undefined || !isNext || !this.#isIntact(record)) {
        yield* this.#checkEnd(position, isNext ? record : undefined);
        return undefined;
      }
      if (this.#mayPause(record.end - position)) yield;
      records.push(record);
      if (record.isLast) return records;
      position = record.next;
    }
  }

  #headerAt(position: number): RecordHeader | undefined {
    const part = this.#file.load(position, position + recordHeaderBytes);
    return decodeRecordHeader(part, position, this.#salt);
  }

  #isIntact(record: RecordHeader): boolean {
    const { start, end } = record;
    if (end > this.#file.size) return false;
    return isIntact(this.#file.load(start - recordHeaderBytes, end), record, this.#salt);
  }

  /**
   * Throws unless the log ends at a position, where a record is not valid; `header` is its header
   * if that is valid.
   */
  *#checkEnd(position: number, header: RecordHeader | undefined): Generator<undefined, void> {
    let isEnd: boolean;
    if (header === undefined) isEnd = yield* this.#isUnwrittenHeader(position);
    else isEnd = isIncomplete(this.#file.load(header.start, header.end + 1), header);
    if (!isEnd && !this.#isLive) throw corruptLogError(this.#path, faults.damagedRecord(position));
    const { size } = this.#file;
    for (let at = position + 8; at + recordHeaderBytes < size;) {
      const part = this.#file.load(at, Math.min(size, at + pauseBytes));
      const stop = Math.min(size - recordHeaderBytes, at + pauseBytes - recordHeaderBytes);
      for (; at < stop; at += 8) {
        // No record is empty.
        if (readUint32BE(part.bytes, at - part.from) === 0) continue;
        const later = decodeRecordHeader(part, at, this.#salt);
        // A commit is written after the one before it was flushed.
        if (later !== undefined && later.commit > this.nextCommit && later.end < size)
          throw corruptLogError(this.#path, faults.missingRecord(position));
      }
      yield;
    }
  }

  /**
   * True when the header of a record was not written, or not completely: only one of the two
   * sectors that it is in was, or nothing after it.
   */
  *#isUnwrittenHeader(position: number): Generator<undefined, boolean> {
    const { size } = this.#file;
    const end = Math.min(position + recordHeaderBytes, size);
    const sectorEnd = Math.min(end, position + sectorBytes - (position % sectorBytes));
    if (this.#isZero(position, sectorEnd)) return true;
    if (sectorEnd < end && this.#isZero(sectorEnd, end)) return true;
    for (let at = end; at < size; at += pauseBytes) {
      if (!this.#isZero(at, Math.min(size, at + pauseBytes))) return false;
      yield;
    }
    return true;
  }

  #isZero(start: number, end: number): boolean {
    const { bytes, from } = this.#file.load(start, end);
    for (let i = start - from; i < end - from; i++) if (bytes[i] !== 0) return false;
    return true;
  }

  *#visitPairs({ start, end }: RecordHeader): Generator<undefined, void> {
    const visitor = this.#visitor;
    let { bytes, from } = this.#file.load(start, end);
    for (let at = start - from; at < end - from;) {
      const pairStart = at;
      const keyLength = (bytes[at] << 8) | bytes[at + 1];
      const length = readUint32BE(bytes, at + 2);
      const keyStart = at + pairHeaderBytes;
      const keyEnd = keyStart + (keyLength & (rangeBit - 1));
      at = keyEnd + (length === removedLength ? 0 : length);
      const key = bytes.subarray(keyStart, keyEnd);
      if (keyLength >= rangeBit) visitor.range(key, bytes.subarray(keyEnd, at));
      else visitor.pair(key, length === removedLength ? undefined : bytes.subarray(keyEnd, at));
      if (this.#mayPause(at - pairStart)) {
        yield;
        // The caller may have read other parts meanwhile.
        const position = at + from;
        ({ bytes, from } = this.#file.load(start, end));
        at = position - from;
      }
    }
  }

  #mayPause(bytes: number): boolean {
    this.#bytesSincePause += bytes;
    if (this.#bytesSincePause < pauseBytes) return false;
    this.#bytesSincePause = 0;
    return true;
  }
}

/** A file with a part in memory. */
class PartialFile {
  /** Bytes of the file when it was opened. */
  readonly size: number;
  readonly #handle: number;
  #memory = new Uint8Array(0);
  #part: FilePart = { bytes: this.#memory, from: 0 };

  constructor(path: string) {
    this.#handle = openSync(path, 'r');
    try {
      this.size = fstatSync(this.#handle).size;
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  /** A part with bytes `start` to `end`, or to the end of the file; valid until the next call. */
  load(start: number, end: number): FilePart {
    const { bytes, from } = this.#part;
    const stop = Math.min(end, this.size);
    if (start < from || stop > from + bytes.length) this.#read(start, stop);
    return this.#part;
  }

  close(): void {
    closeSync(this.#handle);
  }

  #read(start: number, end: number): void {
    const from = start - (start % sectorBytes);
    const wanted = Math.min(Math.max(end - from, partBytes), Math.max(this.size - from, 0));
    if (this.#memory.length < wanted || this.#memory.length > Math.max(wanted, partBytes))
      this.#memory = new Uint8Array(wanted);
    let length = 0;
    while (length < wanted) {
      const read = readSync(this.#handle, this.#memory, length, wanted - length, from + length);
      // The file was cut off since it was opened.
      if (read === 0) break;
      length += read;
    }
    this.#part = { bytes: this.#memory.subarray(0, length), from };
  }
}

/** A log that is not as it was written. */
export function corruptLogError(file: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', {
    file,
    ...faults.damagedLog(problem),
  });
}

const faults = {
  damagedRecord: (position: number) => ({ problem: `the record at ${position} is damaged` }),
  missingRecord: (position: number) => ({ problem: `the record at ${position} is missing` }),
  damagedLog: (problem: string) => ({ problem, fix: 'restore the directory from a backup' }),
} satisfies FaultTexts;
