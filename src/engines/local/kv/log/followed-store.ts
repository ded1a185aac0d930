/**
 * The pairs of a directory that another process writes to: its blocks, and what its log holds. The
 * log is read again from where it ended before, and from the beginning after a checkpoint.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { copyBytes, RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { readNumber64 } from '../bytes.js';
import { logName } from '../disk/file-names.js';
import { storageError } from '../disk/storage-error.js';
import type { OrderedStore, PairCursor, PairReader } from '../ordered-store.js';
import { readOnlyError } from '../readonly/read-only-error.js';
import { firstSegmentKey } from './checkpoint.js';
import { CommitPairs } from './commit-pairs.js';
import { decodeSegmentHeader, recordHeaderBytes, segmentHeaderBytes } from './log-record.js';
import { MergedCursor, type MergedSource, OnePairCursor } from './merged-cursor.js';
import { noPair, PairArena, removedLength } from './pair-arena.js';
import { type PairWalk, walkBuffer } from './pair-walk.js';
import { SegmentReader } from './recover-log.js';
import { SortedPairs } from './sorted-pairs.js';

/** Attempts to read a log to which another process writes. */
const maxAttempts = 20;
const sectorBytes = 512;
/** Pairs that are merged at once. */
const maxMergedPairs = 4096;

/** Where the log ended. */
interface LogEnd {
  readonly first: number;
  readonly number: number;
  readonly position: number;
  readonly nextCommit: number;
}

/** Merges the log of a directory with the blocks below. */
export class FollowedStore implements OrderedStore, MergedSource {
  version = 0;
  #pairs = new SortedPairs(new PairArena());
  #end: LogEnd | undefined = undefined;

  readonly #base: PairReader;
  readonly #directory: string;
  readonly #renewBase: () => boolean;

  /** `renewBase` moves the blocks to their newest state; false when that is the current one. */
  constructor(base: PairReader, directory: string, renewBase: () => boolean) {
    this.#base = base;
    this.#directory = directory;
    this.#renewBase = renewBase;
    this.renew();
  }

  get arena(): PairArena {
    return this.#pairs.arena;
  }

  /** Moves to the newest state; false when that is the current one. */
  renew(): boolean {
    const before = this.version;
    for (let attempts = 1; ; attempts++) {
      if (this.#renewBase()) this.version++;
      try {
        // The log is read after the blocks, so that it holds all that they lack.
        this.#readLog();
        return this.version !== before;
      } catch (error) {
        // The other process may have removed a segment, or was writing to it.
        this.#end = undefined;
        if (attempts >= maxAttempts) throw storageError(error, this.#directory);
      }
    }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const ref = this.#pairs.find(key, 0, key.length);
    if (ref === noPair) return this.#base.get(key);
    const value = this.arena.valueOf(ref);
    return value && copyBytes(value, 0, value.length);
  }

  lookup(key: Uint8Array): PairCursor {
    const { arena } = this;
    const ref = this.#pairs.find(key, 0, key.length);
    if (ref === noPair) return this.#base.lookup(key);
    const length = arena.valueLength(ref);
    if (length === removedLength) return new OnePairCursor();
    const keyEnd = arena.keyEnd(ref);
    return OnePairCursor.of(arena.chunkOf(ref), arena.keyStart(ref), keyEnd, keyEnd + length);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new MergedCursor(this, start, end, reversed);
  }

  walk(start: Uint8Array, end: Uint8Array, reversed: boolean): PairWalk {
    return walkBuffer(this.#pairs, start, end, reversed);
  }

  scanBelow(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return this.#base.scan(start, end, reversed);
  }

  commit(): void {
    throw readOnlyError();
  }

  close(): Promise<void> {
    return this.#base.close();
  }

  #readLog(): void {
    const stored = this.#base.get(firstSegmentKey);
    // A database has no log until its first owner has created one.
    if (stored === undefined) return;
    const first = readNumber64(stored, 0);
    let end = this.#end;
    if (end?.first !== first) {
      if (this.#pairs.size > 0) this.version++;
      this.#pairs = new SortedPairs(new PairArena());
      const { nextCommit } = this.#readSegment(first, 0, undefined);
      end = { first, number: first, position: segmentHeaderBytes, nextCommit };
    } else if (!this.#hasGrown(end)) return;
    for (;;) {
      end = { ...end, ...this.#readSegment(end.number, end.position, end.nextCommit) };
      this.#end = end;
      const next = this.#headerOf(end.number + 1);
      if (next === undefined) return;
      // Commits were added after this segment was read.
      if (next.firstCommit > end.nextCommit) continue;
      // What was read last was withdrawn.
      if (next.firstCommit < end.nextCommit) throw movedError();
      end = { ...end, number: next.number, position: segmentHeaderBytes };
    }
  }

  #hasGrown({ number, position }: LogEnd): boolean {
    const path = join(this.#directory, logName(number));
    const bytes = readFrom(path, position - 1, 1 + recordHeaderBytes);
    // What was read last was cut off, because its commit failed.
    if (bytes.length === 0) throw movedError();
    const header = bytes.subarray(1);
    return header.some((byte) => byte !== 0) || this.#headerOf(number + 1) !== undefined;
  }

  /** Reads commits of a segment from a position on; only its header without `nextCommit`. */
  #readSegment(
    number: number,
    position: number,
    nextCommit: number | undefined,
  ): { readonly position: number; readonly nextCommit: number } {
    const header = this.#headerOf(number);
    if (header?.number !== number) throw movedError();
    if (nextCommit === undefined) return { position, nextCommit: header.firstCommit };
    const from = position - (position % sectorBytes);
    const file = readFrom(join(this.#directory, logName(number)), from);
    let batch = new CommitPairs(this.arena);
    const merge = (): void => {
      batch.finish();
      if (batch.size > 0) this.version++;
      this.#pairs.merge(batch.refs, batch.slots);
      batch = new CommitPairs(this.arena);
    };
    const reader = new SegmentReader(
      logName(number),
      file,
      { ...header, firstCommit: nextCommit },
      (key, value) => batch.set(key, value),
      () => {
        if (batch.size >= maxMergedPairs) merge();
      },
    );
    reader.isLive = true;
    reader.end = position - from;
    reader.read(this.#headerOf(number + 1)?.firstCommit ?? Infinity);
    merge();
    return { position: from + reader.end, nextCommit: reader.nextCommit };
  }

  #headerOf(number: number): ReturnType<typeof decodeSegmentHeader> {
    try {
      return decodeSegmentHeader(
        readFrom(join(this.#directory, logName(number)), 0, segmentHeaderBytes),
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Bytes of a file from a position on, up to `maxBytes`. */
function readFrom(path: string, from: number, maxBytes = Infinity): Uint8Array {
  const handle = openSync(path, 'r');
  try {
    const parts: Buffer[] = [];
    let rest = maxBytes;
    for (let at = from; rest > 0;) {
      const part = Buffer.alloc(Math.min(rest, 1024 * 1024));
      const read = readSync(handle, part, 0, part.length, at);
      if (read === 0) break;
      parts.push(part.subarray(0, read));
      at += read;
      rest -= read;
    }
    return Buffer.concat(parts);
  } finally {
    closeSync(handle);
  }
}

function movedError(): RowsmithError {
  return new RowsmithError('CORRUPT_DATA', faults.damagedSegment);
}

const faults = {
  damagedSegment: {
    problem: 'a segment of the write log is missing or damaged',
    fix: 'restore the directory from a backup',
  },
} satisfies FaultTexts;
