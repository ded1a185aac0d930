/**
 * The ordered store: a log, buffers in memory, and levels of sorted tables; without a log and
 * files, the same in memory. See FORMAT.md.
 */
import { copyBytes } from '../../../../base/index.js';
import { BufferRun } from '../buffer/buffer-run.js';
import { CommitPairs } from '../buffer/commit-pairs.js';
import { noPair, type PairArena, type PairRef, removedLength } from '../buffer/pair-arena.js';
import { fileHeaderBytes } from '../directory/file-header.js';
import { Levels } from '../levels/levels.js';
import { keyHash } from '../key-filter.js';
import type { Log } from '../log/log.js';
import type { SegmentId } from '../log/log-record.js';
import { noPairCursor, OnePairCursor } from '../one-pair-cursor.js';
import type { CollectPair, OrderedStore, PairCursor, PairWriter } from '../ordered-store.js';
import type { PairRun } from '../pair-run.js';
import { RunOutside } from '../run-outside.js';
import { isRowKey } from '../store-key.js';
import { Buffers } from './buffers.js';
import { Maintenance } from './maintenance.js';
import { type CursorSource, StoreCursor } from './store-cursor.js';
import type { StoreSnapshot } from './snapshot.js';
import { MemoryFiles, type StoreFiles } from './store-files.js';
import { defaultLimits, type StoreLimits } from './store-limits.js';

export interface StoreParts {
  readonly files: StoreFiles;
  /** Undefined in memory. */
  readonly log: Log | undefined;
  readonly buffers: Buffers;
  readonly levels: Levels;
  /** The last commit that is in tables, and the segment of the log with the next one. */
  readonly commit: number;
  readonly segment: SegmentId | undefined;
  readonly limits: StoreLimits;
}

/** A store in memory, by default without pairs. */
export function memoryStore(
  limits: StoreLimits = defaultLimits,
  buffers = new Buffers(),
  levels = Levels.empty,
): TableStore {
  return new TableStore({
    files: new MemoryFiles(),
    log: undefined,
    buffers,
    levels,
    commit: 0,
    segment: undefined,
    limits,
  });
}

export class TableStore implements OrderedStore, CursorSource {
  version = 0;
  readonly #log: Log | undefined;
  readonly #buffers: Buffers;
  readonly #limits: StoreLimits;
  readonly #maintenance: Maintenance;
  readonly #files: StoreFiles;
  #batch: CommitPairs | undefined = undefined;
  #isClosed = false;
  readonly #sliceCursor = new OnePairCursor();

  constructor({ files, log, buffers, levels, commit, segment, limits }: StoreParts) {
    this.#files = files;
    this.#log = log;
    this.#buffers = buffers;
    this.#limits = limits;
    this.#maintenance = new Maintenance(
      {
        files,
        limits,
        buffers,
        onChange: () => void this.version++,
        lastSegment: () => log?.current,
        trimLog: () => log?.trim() === true,
        releaseLogReserve: () => log?.releaseReserve() === true,
        freezeRemovals: () => {
          if (buffers.active.size > 0 && buffers.frozen.length <= limits.waiting)
            this.#tryToFreeze();
        },
        onSaved: (first) => {
          if (first !== undefined) log?.removeBefore(first);
        },
      },
      levels,
      { commit, segment },
    );
    // Owners that write little leave a segment each, which every opening reads and flushes.
    if (log !== undefined && log.segments > limits.keptSegments) this.#tryToFreeze();
    this.#maintenance.wake();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const cursor = this.#lookup(key, 0, key.length, this.#sliceCursor);
    if (!cursor.next()) return undefined;
    return copyBytes(cursor.valueBytes, cursor.valueStart, cursor.valueEnd);
  }

  lookup(key: Uint8Array): PairCursor {
    return this.#lookup(key, 0, key.length, new OnePairCursor());
  }

  lookupSlice(bytes: Uint8Array, start: number, end: number): PairCursor {
    return this.#lookup(bytes, start, end, this.#sliceCursor);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return new StoreCursor(this, start, end, reversed);
  }

  runs(start: Uint8Array, end: Uint8Array, reversed: boolean): PairRun[] {
    const runs = [
      ...this.#buffers.runs(start, end, reversed),
      ...this.#maintenance.levels.runs(start, end, reversed),
    ];
    const batch = this.#batch;
    if (batch === undefined || batch.isEmpty) return runs;
    const { arena } = this.#buffers.active;
    const { ranges } = batch;
    const earlier =
      ranges.length === 0 ? runs : runs.map((run) => new RunOutside(run, ranges, reversed));
    return [BufferRun.ofCommit(batch, arena, start, end, reversed), ...earlier];
  }

  commit(work: (writer: PairWriter) => void): void {
    const batch = new CommitPairs(this.#buffers.active.arena);
    this.#batch = batch;
    try {
      work(new BatchWriter(batch, () => void this.version++));
      this.#write(batch);
    } catch (error) {
      batch.discard();
      throw error;
    } finally {
      this.#batch = undefined;
      this.version++;
    }
    this.#freezeIfFull();
  }

  ready(): Promise<void> | undefined {
    if (!this.#maintenance.isBehind) return undefined;
    return this.#maintenance.relief();
  }

  /** Writes the buffer to a table, and merges tables with many removals. */
  async settle(): Promise<void> {
    await this.#freezeAfterWork();
    await this.#maintenance.settle();
  }

  /** Merges all tables. Calls `onStep` after each part with the part that is done, 0 to 1. */
  async compact(onStep: (fraction: number) => void = () => undefined): Promise<void> {
    await this.#freezeAfterWork();
    await this.#maintenance.compact(onStep);
  }

  set collect(collect: CollectPair) {
    this.#maintenance.collect = collect;
  }

  /** Bytes of the tables and the log. */
  get bytes(): number {
    return this.#maintenance.bytes + (this.#log?.bytes ?? 0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#maintenance.stop();
    try {
      const log = this.#log;
      if (log !== undefined && (log.bytes > this.#limits.keptLog || log.isDeleted)) this.#freeze();
      if (this.#log !== undefined) await this.#maintenance.finish();
    } catch {
      // The log still has everything.
    } finally {
      this.#log?.close();
      await this.#files.close();
    }
  }

  /** What the store holds now. Its tables remain until it is released. */
  snapshot(): StoreSnapshot {
    const { levels } = this.#maintenance;
    const { active, frozen } = this.#buffers.clone();
    const tables = [...levels.tables()];
    for (const table of tables) table.pins++;
    return {
      levels,
      buffers: [active, ...frozen.map(({ pairs }) => pairs)],
      release: () => {
        for (const table of tables) table.pins--;
        this.#maintenance.wake();
      },
    };
  }

  /** An independent store in memory with the same pairs, of a store in memory. */
  clone(): TableStore {
    return memoryStore(this.#limits, this.#buffers.clone(), this.#maintenance.levels);
  }

  /** `cursor` is used for the pair. */
  #lookup(bytes: Uint8Array, start: number, end: number, cursor: OnePairCursor): PairCursor {
    const { active } = this.#buffers;
    const ref = this.#findBuffered(bytes, start, end);
    if (ref !== noPair) return pairOf(active.arena, ref, cursor);
    if (this.#batch?.isInRange(bytes, start, end) === true) return noPairCursor;
    const { levels } = this.#maintenance;
    if (this.#buffers.frozen.length === 0 && levels.isEmpty) return noPairCursor;
    const hash = keyHash(bytes, start, end);
    const arena = this.#buffers.findFrozen(bytes, start, end, hash);
    if (arena !== undefined) return pairOf(arena, this.#buffers.foundRef, cursor);
    const table = levels.find(bytes, start, end, hash);
    if (table === undefined || table.isRemoved) return noPairCursor;
    return cursor.reset(table.bytes, table.keyStart, table.keyEnd, table.valueEnd);
  }

  #findBuffered(key: Uint8Array, start: number, end: number): PairRef {
    const pairs = this.#buffers.active;
    const batch = this.#batch;
    if (batch === undefined) return pairs.find(key, start, end);
    let ref = batch.find(key, start, end);
    if (ref !== noPair || batch.isInRange(key, start, end)) return ref;
    // Rows usually arrive in key order.
    if (batch.isAppending && batch.lastSlot === pairs.lastSlot)
      ref = pairs.findNext(key, start, end);
    else ref = pairs.find(key, start, end);
    batch.setSlot(pairs.lastSlot);
    return ref;
  }

  #write(batch: CommitPairs): void {
    const pieces = batch.finish();
    if (batch.isEmpty) return;
    const { active } = this.#buffers;
    const { arena } = active;
    const isRemoved = (ref: PairRef): boolean =>
      arena.valueLength(ref) === removedLength || !isRowPair(arena, ref);
    const onlyRemoves = batch.refs.every(isRemoved);
    if (!onlyRemoves && this.#maintenance.isBehind && this.#maintenance.error !== undefined)
      throw this.#maintenance.error;
    this.#log?.append(pieces, onlyRemoves);
    for (const span of batch.ranges) {
      this.#buffers.removeRange(span);
      this.#maintenance.removeRange(span);
    }
    active.merge(batch.refs, batch.slots);
  }

  #freezeIfFull(): void {
    const { arena } = this.#buffers.active;
    const logBytes = this.#log?.bytes ?? 0;
    const { buffer } = this.#limits;
    if (arena.capacity < buffer && logBytes < 2 * buffer && this.#log?.isShort !== true) return;
    this.#tryToFreeze();
  }

  #tryToFreeze(): void {
    try {
      this.#freeze();
    } catch {
      // The next commit makes another attempt.
    }
  }

  /** On a full disk, after the work that is due, which may free space for another segment. */
  async #freezeAfterWork(): Promise<void> {
    try {
      this.#freeze();
    } catch {
      await this.#maintenance.end();
      this.#freeze();
    }
  }

  /** Makes the buffer one that is written to a table. */
  #freeze(): void {
    const log = this.#log;
    if (this.#buffers.active.size === 0 && (log === undefined || log.bytes <= fileHeaderBytes))
      return;
    const commit = log === undefined ? 0 : log.nextCommit - 1;
    this.#buffers.freeze(commit, log?.rotate());
    this.version++;
    this.#maintenance.wake();
  }
}

/** Writes to a commit. A class, because objects of closures are kept until the next full GC. */
class BatchWriter implements PairWriter {
  readonly #batch: CommitPairs;
  readonly #onWrite: () => void;

  constructor(batch: CommitPairs, onWrite: () => void) {
    this.#batch = batch;
    this.#onWrite = onWrite;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#onWrite();
    this.#batch.set(key, value);
  }

  putSlice(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    this.#onWrite();
    this.#batch.setSlice(bytes, keyStart, keyEnd, valueEnd);
  }

  remove(key: Uint8Array): void {
    this.#onWrite();
    this.#batch.set(key, undefined);
  }

  removeRange(start: Uint8Array, end: Uint8Array): void {
    this.#onWrite();
    this.#batch.removeRange(start, end);
  }
}

function pairOf(arena: PairArena, ref: PairRef, cursor: OnePairCursor): PairCursor {
  const length = arena.valueLength(ref);
  if (length === removedLength) return noPairCursor;
  const keyEnd = arena.keyEnd(ref);
  return cursor.reset(arena.chunkOf(ref), arena.keyStart(ref), keyEnd, keyEnd + length);
}

/** True for pairs of rows, which need space, and false for metadata. */
function isRowPair(arena: PairArena, ref: PairRef): boolean {
  return isRowKey(arena.keyOf(ref));
}
