/**
 * Reads the log of a directory, and finds where it ends. A commit that was not written completely
 * was never acknowledged, and ends the log. Anything else that is not as it was written is
 * CORRUPT_DATA.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../../base/index.js';
import { readUint32BE } from '../bytes.js';
import { isNewLog, logName, logNumber } from '../disk/file-names.js';
import {
  decodeRecordHeader,
  decodeSegmentHeader,
  isIncomplete,
  isIntact,
  type RecordHeader,
  recordHeaderBytes,
  sectorBytes,
  type SegmentHeader,
  segmentHeaderBytes,
} from './log-record.js';
import { pairHeaderBytes, removedLength } from '../buffer/pair-arena.js';

/** Called for each pair of a commit, in order; `value` is undefined where the key is removed. */
export type PairVisitor = (key: Uint8Array, value: Uint8Array | undefined) => void;

/** What was found in a directory. */
export interface FoundLog {
  /** The segments that are needed, in order; empty if there is no log. */
  readonly segments: readonly SegmentHeader[];
  /** Names of files that are no longer needed. */
  readonly obsolete: readonly string[];
  /** Number of the next commit, and the position in the last segment where it is to be written. */
  readonly nextCommit: number;
  readonly end: number;
}

/**
 * Reads the segments from `first` on, and calls `visit` for the pairs of their commits, and
 * `onCommit` after each commit.
 */
export function readLog(
  directory: string,
  first: number,
  visit: PairVisitor,
  onCommit: () => void,
): FoundLog {
  const names = readdirSync(directory);
  const numbers = names
    .map(logNumber)
    .filter((number) => number !== undefined)
    .sort((a, b) => a - b);
  const obsolete = numbers.filter((number) => number < first).map(logName);
  // A segment that was being created when the process ended.
  obsolete.push(...names.filter(isNewLog));
  const needed = numbers.filter((number) => number >= first);
  const files = needed.map((number) => readFileSync(join(directory, logName(number))));
  const headers = files.map(decodeSegmentHeader);
  const segments: SegmentHeader[] = [];
  let nextCommit = 0;
  let end = 0;
  needed.forEach((number, index) => {
    const path = join(directory, logName(number));
    const header = headers[index];
    if (header?.number !== number || number !== first + index)
      throw corruptLogError(path, faults.damagedSegment(header === undefined));
    if (index > 0 && nextCommit !== header.firstCommit)
      throw corruptLogError(path, faults.wrongFirstCommit(header.firstCommit, nextCommit));
    const stop = headers[index + 1]?.firstCommit ?? Infinity;
    const reader = new SegmentReader(path, files[index], header, visit, onCommit);
    reader.read(stop);
    ({ nextCommit, end } = reader);
    segments.push(header);
  });
  return { segments, obsolete, nextCommit, end };
}

/** Reads one segment, or the end of one from a multiple of 512 bytes on. */
export class SegmentReader {
  nextCommit: number;
  /** End of the last complete commit. */
  end = segmentHeaderBytes;
  /** True while another process writes to the segment: an incomplete commit may look damaged. */
  isLive = false;

  readonly #path: string;
  readonly #file: Uint8Array;
  readonly #salt: Uint8Array;
  readonly #visit: PairVisitor;
  readonly #onCommit: () => void;

  constructor(
    path: string,
    file: Uint8Array,
    { firstCommit, salt }: SegmentHeader,
    visit: PairVisitor,
    onCommit: () => void,
  ) {
    this.#path = path;
    this.#file = file;
    this.#salt = salt;
    this.#visit = visit;
    this.#onCommit = onCommit;
    this.nextCommit = firstCommit;
  }

  /** Reads the commits before `stop`. */
  read(stop: number): void {
    while (this.nextCommit < stop) {
      const records = this.#readCommit();
      if (records === undefined) return;
      for (const record of records) this.#visitPairs(record);
      this.#onCommit();
      this.nextCommit++;
      this.end = records[records.length - 1].next;
    }
  }

  /** The records of the next commit; undefined if it was not written, or not completely. */
  #readCommit(): RecordHeader[] | undefined {
    const file = this.#file;
    const records: RecordHeader[] = [];
    let position = this.end;
    for (;;) {
      const record = decodeRecordHeader(file, position, this.#salt);
      const isNext = record?.commit === this.nextCommit && record.fragment === records.length;
      if (record === undefined || !isNext || !isIntact(file, record, this.#salt)) {
        this.#checkEnd(position, isNext ? record : undefined);
        return undefined;
      }
      records.push(record);
      if (record.isLast) return records;
      position = record.next;
    }
  }

  /**
   * Throws unless the log ends at a position, where a record is not valid; `header` is its header
   * if that is valid.
   */
  #checkEnd(position: number, header: RecordHeader | undefined): void {
    const file = this.#file;
    const isEnd =
      header === undefined ? isUnwrittenHeader(file, position) : isIncomplete(file, header);
    if (!isEnd && !this.isLive) throw corruptLogError(this.#path, faults.damagedRecord(position));
    for (let at = position + 8; at + recordHeaderBytes < file.length; at += 8) {
      // No record is empty.
      if (readUint32BE(file, at) === 0) continue;
      const later = decodeRecordHeader(file, at, this.#salt);
      // A commit is written after the one before it was flushed.
      if (later !== undefined && later.commit > this.nextCommit && later.end < file.length)
        throw corruptLogError(this.#path, faults.missingRecord(position));
    }
  }

  #visitPairs({ start, end }: RecordHeader): void {
    const file = this.#file;
    for (let at = start; at < end;) {
      const keyStart = at + pairHeaderBytes;
      const keyEnd = keyStart + ((file[at] << 8) | file[at + 1]);
      const length = readUint32BE(file, at + 2);
      at = keyEnd + (length === removedLength ? 0 : length);
      const value = length === removedLength ? undefined : file.subarray(keyEnd, at);
      this.#visit(file.subarray(keyStart, keyEnd), value);
    }
  }
}

/**
 * True when the header of a record was not written, or not completely: only one of the two sectors
 * that it is in was, or nothing after it.
 */
function isUnwrittenHeader(file: Uint8Array, position: number): boolean {
  const end = Math.min(position + recordHeaderBytes, file.length);
  const sectorEnd = Math.min(end, position + sectorBytes - (position % sectorBytes));
  return (
    isZero(file, position, sectorEnd) ||
    (sectorEnd < end && isZero(file, sectorEnd, end)) ||
    isZero(file, end, file.length)
  );
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** A log that is not as it was written. */
export function corruptLogError(file: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', {
    file,
    ...faults.damagedLog(problem),
  });
}

const faults = {
  damagedSegment: (header: boolean) => ({
    problem: header ? 'its header is damaged' : 'a segment is missing',
  }),
  wrongFirstCommit: (firstCommit: number, nextCommit: number) => ({
    problem: `it begins with commit ${firstCommit} instead of ${nextCommit}`,
  }),
  damagedRecord: (position: number) => ({ problem: `the record at ${position} is damaged` }),
  missingRecord: (position: number) => ({ problem: `the record at ${position} is missing` }),
  damagedLog: (problem: string) => ({ problem, fix: 'restore the directory from a backup' }),
} satisfies FaultTexts;
