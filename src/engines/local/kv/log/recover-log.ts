/**
 * Reads the log of a directory: finds the segments that belong to it, and what is in them. Changes
 * nothing. Anything that is not as it was written is CORRUPT_DATA.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultTexts } from '../../../../base/index.js';
import { compareFileIds, isUnfinished, logName, parseLogName } from '../directory/file-names.js';
import { storageError } from '../directory/storage-error.js';
import type { LogTail } from './log.js';
import {
  decodeSegmentHeader,
  type SegmentHeader,
  segmentHeaderBytes,
  type SegmentId,
} from './log-record.js';
import { corruptLogError, type LogVisitor, SegmentReader } from './segment-reader.js';

export interface LogPlace {
  readonly directory: string;
  readonly database: Uint8Array;
}

/** The segments of a directory. */
export interface LogChain {
  /** The segments that are needed, in the order in which they were written. */
  readonly segments: readonly SegmentHeader[];
  /** Names of files that are not needed: earlier, unfinished, or without effect. */
  readonly obsolete: readonly string[];
}

/** What was found in a log. */
export interface FoundLog extends LogTail {
  /** The segments that were read, in the order in which they were written. */
  readonly segments: readonly SegmentId[];
  readonly nextCommit: number;
  /** Names of files of the log that are not needed. */
  readonly obsolete: readonly string[];
}

/** Longest work between two pauses, in milliseconds. */
const maxTurnMs = 5;

/**
 * Reads the log from the segment `first` on, and calls the visitor for what is in it. Other work is
 * executed in between.
 */
export async function recoverLog(
  place: LogPlace,
  first: SegmentId,
  visitor: LogVisitor,
): Promise<FoundLog> {
  const { segments, obsolete } = readChain(place, first);
  const turn = new Turn();
  let nextCommit = first.firstCommit;
  for (const [index, segment] of segments.entries()) {
    const next = segments.at(index + 1);
    nextCommit = await readSegment(place, segment, next, visitor, turn);
  }
  return { segments: segments.map(idOf), nextCommit, obsolete };
}

/**
 * Finds the segments from `first` on. Each one names the one before it by its salt. If several name
 * the same, the last owner's counts: a former owner may have begun one beside it, and so may an
 * owner that could not flush the name of the first.
 */
export function readChain({ directory, database }: LogPlace, first: SegmentId): LogChain {
  const names = listNames(directory);
  const found: SegmentHeader[] = [];
  const obsolete = names.filter((name) => isUnfinished(name) && name.startsWith('log.'));
  for (const name of names) {
    const id = parseLogName(name);
    if (id === undefined) continue;
    const path = join(directory, name);
    const header = readSegmentHeader(path);
    // A former owner that was stopped may remove a segment that it no longer needed.
    if (header === 'missing') continue;
    const isEarlier = compareFileIds(id, first) < 0;
    if (header !== undefined && !isSame(header.database, database))
      throw corruptLogError(path, faults.foreignSegment);
    if (isEarlier) obsolete.push(name);
    else if (header === undefined) throw corruptLogError(path, faults.damagedHeader);
    else if (compareFileIds(header, id) !== 0)
      throw corruptLogError(path, faults.renamedSegment(logName(header)));
    else found.push(header);
  }
  const segments = chainOf(directory, found.sort(compareFileIds), first);
  obsolete.push(...found.filter((header) => !segments.includes(header)).map(logName));
  return { segments, obsolete };
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw storageError(error, directory);
  }
}

/** Reads the header of a segment; undefined if it is not valid. */
export function readSegmentHeader(path: string): SegmentHeader | 'missing' | undefined {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw storageError(error, path);
  }
  try {
    const bytes = new Uint8Array(segmentHeaderBytes);
    const length = readSync(handle, bytes, 0, bytes.length, 0);
    return decodeSegmentHeader(bytes.subarray(0, length));
  } catch (error) {
    throw storageError(error, path);
  } finally {
    closeSync(handle);
  }
}

/** `found` is in the order in which the segments were begun. */
function chainOf(
  directory: string,
  found: readonly SegmentHeader[],
  first: SegmentId,
): SegmentHeader[] {
  const path = join(directory, logName(first));
  let last = found.find((header) => compareFileIds(header, first) === 0);
  if (last === undefined) throw corruptLogError(path, faults.missingSegment);
  if (!isSame(last.salt, first.salt)) throw corruptLogError(path, faults.otherSegment);
  if (last.firstCommit !== first.firstCommit)
    throw corruptLogError(path, faults.wrongFirstCommit(last.firstCommit, first.firstCommit));
  const chain: SegmentHeader[] = [];
  while (last !== undefined) {
    const before: SegmentHeader = last;
    chain.push(before);
    last = found.findLast(
      (header) => isSame(header.previousSalt, before.salt) && compareFileIds(header, before) > 0,
    );
  }
  const isKnown = (salt: Uint8Array): boolean => chain.some((other) => isSame(other.salt, salt));
  for (const header of found)
    if (!chain.includes(header) && !isKnown(header.previousSalt))
      throw corruptLogError(join(directory, logName(header)), faults.missingBefore);
  return chain;
}

/** Returns the number of the commit after the segment. */
async function readSegment(
  { directory }: LogPlace,
  segment: SegmentHeader,
  next: SegmentHeader | undefined,
  visitor: LogVisitor,
  turn: Turn,
): Promise<number> {
  const path = join(directory, logName(segment));
  const stop = next?.firstCommit ?? Infinity;
  let reader: SegmentReader | undefined;
  try {
    reader = new SegmentReader(path, segment, visitor);
    for (const promise of reader.steps(stop)) {
      if (promise !== undefined) await promise;
      await turn.pause();
    }
    const { nextCommit } = reader;
    if (next !== undefined && nextCommit !== stop)
      throw corruptLogError(path, faults.missingCommits(nextCommit, stop, logName(next)));
    return nextCommit;
  } catch (error) {
    throw storageError(error, path);
  } finally {
    reader?.close();
  }
}

/** Ends the turn of the event loop if it has taken long. */
class Turn {
  #start = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#start < maxTurnMs) return;
    await new Promise((resolve) => void setImmediate(resolve));
    this.#start = performance.now();
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function idOf({ owner, number, salt, firstCommit }: SegmentId): SegmentId {
  return { owner, number, salt, firstCommit };
}

const faults = {
  foreignSegment: { problem: 'it belongs to another database' },
  damagedHeader: { problem: 'its header is damaged' },
  renamedSegment: (name: string) => ({ problem: `it is a copy of '${name}'` }),
  missingSegment: { problem: 'it is missing' },
  otherSegment: { problem: 'it is not the segment of the write log that the manifest names' },
  missingBefore: { problem: 'the segment of the write log before it is missing' },
  wrongFirstCommit: (firstCommit: number, nextCommit: number) => ({
    problem: `it begins with commit ${firstCommit} instead of ${nextCommit}`,
  }),
  missingCommits: (nextCommit: number, stop: number, next: string) => ({
    problem: `it has no commit ${nextCommit}, though '${next}' begins with commit ${stop}`,
  }),
} satisfies FaultTexts;
