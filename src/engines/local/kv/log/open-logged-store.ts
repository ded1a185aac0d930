/** Opens the log of a directory, and the store in front of its blocks. */
import type { FaultTexts } from '../../../../base/index.js';
import { join } from 'node:path';
import { rmSync, statfsSync } from 'node:fs';
import type { Durability } from '../../../../data/store/index.js';
import type { BlockStore } from '../block/block-store.js';
import { number64Bytes, readNumber64 } from '../bytes.js';
import { firstSegmentKey } from './checkpoint.js';
import { CommitPairs } from './commit-pairs.js';
import { LogFile } from './log-file.js';
import { logName } from '../disk/file-names.js';
import { Log } from './log.js';
import { type BufferLimits, LoggedStore } from './logged-store.js';
import { PairArena } from './pair-arena.js';
import { corruptLogError, readLog } from './recover-log.js';
import { SortedPairs } from './sorted-pairs.js';
import { storageError } from '../disk/storage-error.js';

/** Pairs that are merged into the buffer at once. */
const maxMergedPairs = 4096;

/** Settings of a logged store. */
export interface LoggedStoreOptions {
  readonly limits?: BufferLimits;
  /** Throws DATABASE_IN_USE if another process owns the directory. */
  readonly checkOwner?: () => void;
}

/**
 * Opens the store of a directory: reads its log, or creates it. Only the holder of the directory
 * may call this.
 */
export function openLoggedStore(
  base: BlockStore,
  directory: string,
  durability: Durability,
  { limits, checkOwner }: LoggedStoreOptions = {},
): LoggedStore {
  try {
    const stored = base.get(firstSegmentKey);
    const first = stored === undefined ? 1 : readNumber64(stored, 0);
    const pairs = new SortedPairs(new PairArena());
    const found = readPairs(pairs, directory, first);
    for (const name of found.obsolete) rmSync(join(directory, name));
    const last = found.segments.at(-1);
    let log: Log;
    if (last === undefined) {
      if (stored !== undefined)
        throw corruptLogError(join(directory, logName(first)), faults.missingFile);
      log = Log.create(directory, durability);
    } else {
      const path = join(directory, logName(last.number));
      const file = LogFile.continue(path, last, found.end, durability === 'durable');
      log = new Log(directory, durability, first, file, found.nextCommit);
    }
    log.checkOwner = checkOwner;
    // From now on, a missing log is detected.
    if (stored === undefined)
      base.commitRows(noRows, (writer) => writer.put(firstSegmentKey, number64Bytes(1)));
    return new LoggedStore(base, log, pairs, limits, () => freeBytesOf(directory));
  } catch (error) {
    throw storageError(error, directory);
  }
}

function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** Reads the pairs of a log into a buffer. */
export function readPairs(
  pairs: SortedPairs,
  directory: string,
  first: number,
): ReturnType<typeof readLog> {
  let batch = new CommitPairs(pairs.arena);
  const merge = (): void => {
    batch.finish();
    pairs.merge(batch.refs, batch.slots);
    batch = new CommitPairs(pairs.arena);
  };
  const found = readLog(
    directory,
    first,
    (key, value) => batch.set(key, value),
    () => {
      if (batch.size >= maxMergedPairs) merge();
    },
  );
  merge();
  return found;
}

const noRows = { count: 0, bytesOf: never, keyStart: never, keyEnd: never, valueEnd: never };

function never(): never {
  throw new Error('There are no rows.');
}

const faults = {
  missingFile: { problem: 'the file is missing' },
} satisfies FaultTexts;
