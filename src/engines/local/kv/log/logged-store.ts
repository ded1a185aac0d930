/**
 * An ordered store with a write buffer in front of blocks. A commit is appended to the log, if
 * there is one, and its pairs are gathered in memory; they are written to blocks by checkpoints,
 * many at once. Reads merge the buffer with the blocks. See docs/decisions/031-write-log.md.
 */
import { copyBytes, noBytes } from '../../../../base/index.js';
import type { BlockStore } from '../block/block-store.js';
import type { OrderedStore, PairCursor, PairWriter } from '../ordered-store.js';
import { BaseReader } from './base-reader.js';
import { Checkpoint, type CheckpointParts, isRow, writePairs } from './checkpoint.js';
import { CommitPairs } from './commit-pairs.js';
import type { Log } from './log.js';
import { MergedCursor, type MergedSource, noPairCursor, OnePairCursor } from './merged-cursor.js';
import { noPair, PairArena, type PairRef, type Piece, removedLength } from './pair-arena.js';
import { type PairWalk, walkBuffer, walkCommit } from './pair-walk.js';
import { SortedPairs } from './sorted-pairs.js';

/** Sizes in bytes; see docs/decisions/031-write-log.md. */
export interface BufferLimits {
  /**
   * A checkpoint begins when so much was written since the last one began, and without a log also
   * so much is buffered...
   */
  readonly checkpoint: number;
  /** ...or so much, and nothing for a second. */
  readonly idle: number;
  /** While the buffer is larger, commits first write some of it to blocks. */
  readonly buffer: number;
  /** Smallest and largest step of a checkpoint: about 5 and 40 ms. */
  readonly minStep: number;
  readonly maxStep: number;
  /** A commit of so much is written to blocks at once if little is buffered. */
  readonly direct: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: BufferLimits = {
  checkpoint: 32 * mebibyte,
  idle: mebibyte / 4,
  buffer: 96 * mebibyte,
  minStep: mebibyte / 2,
  maxStep: 4 * mebibyte,
  direct: 8 * mebibyte,
};
const idleMs = 1000;
/** At most so much is buffered where a commit is written to blocks at once. */
const maxDirectBuffer = 2 * mebibyte;

/** Buffers the writes of a store of blocks. */
export class LoggedStore implements OrderedStore, MergedSource {
  version = 0;
  readonly arena: PairArena;
  readonly #parts: CheckpointParts;
  readonly #log: Log | undefined;
  readonly #limits: BufferLimits;
  readonly #freeBytes: () => number;
  #batch: CommitPairs | undefined = undefined;
  /** Bytes of the buffer before the commit. */
  #bufferedBefore = 0;
  #checkpoint: Checkpoint | undefined = undefined;
  /** Bytes written since the last checkpoint began, and since its last step. */
  #written = 0;
  #writtenSinceStep = 0;
  #writtenSinceLook = 0;
  #lastCommit = 0;
  #isScheduled = false;
  #idleTimer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;
  readonly #sliceCursor = new OnePairCursor();

  /**
   * Without a log, commits are durable only where `base` is. `freeBytes` returns the free space of
   * the disk.
   */
  constructor(
    base: BlockStore,
    log?: Log,
    pairs = new SortedPairs(new PairArena()),
    limits = defaultLimits,
    freeBytes = () => Infinity,
  ) {
    this.#limits = limits;
    this.#freeBytes = freeBytes;
    this.arena = pairs.arena;
    this.#log = log;
    this.#parts = { pairs, base, reader: new BaseReader(base) };
    this.#written = this.arena.capacity;
    if (pairs.size > 0) this.#onCommit(0);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const ref = this.#find(key, 0, key.length);
    if (ref === noPair) return this.#parts.base.get(key);
    const value = this.arena.valueOf(ref);
    return value && copyBytes(value, 0, value.length);
  }

  lookup(key: Uint8Array): PairCursor {
    return this.#lookup(key, 0, key.length, new OnePairCursor());
  }

  lookupSlice(bytes: Uint8Array, start: number, end: number): PairCursor {
    return this.#lookup(bytes, start, end, this.#sliceCursor);
  }

  scan(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    const batch = this.#batch;
    if (batch === undefined || batch.size === 0)
      return new MergedCursor(this, start, end, reversed);
    return new MergedCursor(this.#withBatch(batch), start, end, reversed);
  }

  walk(start: Uint8Array, end: Uint8Array, reversed: boolean): PairWalk {
    return walkBuffer(this.#parts.pairs, start, end, reversed);
  }

  scanBelow(start: Uint8Array, end: Uint8Array, reversed: boolean): PairCursor {
    return this.#parts.base.scan(start, end, reversed);
  }

  commit(work: (writer: PairWriter) => void): void {
    // Only when checkpoints did not keep up.
    while (this.arena.capacity > this.#limits.buffer && this.#parts.pairs.size > 0) this.#step();
    this.#bufferedBefore = this.arena.capacity;
    const batch = new CommitPairs(this.arena);
    this.#batch = batch;
    try {
      work({
        put: (key, value) => {
          this.version++;
          batch.set(key, value);
        },
        putSlice: (bytes, keyStart, keyEnd, valueEnd) => {
          this.version++;
          batch.setSlice(bytes, keyStart, keyEnd, valueEnd);
        },
        remove: (key) => {
          this.version++;
          batch.set(key, undefined);
        },
      });
      this.#write(batch);
    } catch (error) {
      batch.discard();
      throw error;
    } finally {
      this.#batch = undefined;
      this.version++;
    }
    this.#onCommit(batch.bytes);
  }

  /** Writes everything that is buffered to blocks. Other calls are executed in between. */
  async flush(): Promise<void> {
    while (this.#parts.pairs.size > 0 || this.#checkpoint !== undefined) {
      this.#step();
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  /**
   * Writes what is buffered now to blocks, and not what is written meanwhile. Other calls are
   * executed in between.
   */
  async settle(): Promise<void> {
    // A checkpoint that runs has passed some of it.
    await this.#finish(this.#checkpoint);
    if (this.#isClosed || this.#parts.pairs.size === 0) return;
    this.#step();
    await this.#finish(this.#checkpoint);
  }

  async #finish(checkpoint: Checkpoint | undefined): Promise<void> {
    while (checkpoint !== undefined && this.#checkpoint === checkpoint && !this.#isClosed) {
      await new Promise((resolve) => void setImmediate(resolve));
      if (this.#checkpoint === checkpoint && !this.#isClosed) this.#step();
    }
  }

  /** Frees what the log has allocated ahead, for something that frees more space itself. */
  releaseReserve(): void {
    this.#log?.releaseReserve();
  }

  /** Closes the files. What was not flushed remains in the log. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#log?.close();
    await this.#parts.base.close();
  }

  /** An independent store with the same pairs over a copy of the blocks. */
  clone(base: BlockStore): LoggedStore {
    return new LoggedStore(base, undefined, this.#parts.pairs.clone(this.arena.clone()));
  }

  /** `cursor` is used for a pair of the buffer. */
  #lookup(bytes: Uint8Array, start: number, end: number, cursor: OnePairCursor): PairCursor {
    const ref = this.#find(bytes, start, end);
    if (ref === noPair) {
      if (this.#batch !== undefined) return this.#parts.reader.lookup(bytes, start, end);
      return this.#parts.base.lookup(bytes.subarray(start, end));
    }
    const { arena } = this;
    const length = arena.valueLength(ref);
    if (length === removedLength) return noPairCursor;
    const keyEnd = arena.keyEnd(ref);
    return cursor.reset(arena.chunkOf(ref), arena.keyStart(ref), keyEnd, keyEnd + length);
  }

  #find(key: Uint8Array, start: number, end: number): PairRef {
    const { pairs } = this.#parts;
    const batch = this.#batch;
    if (batch === undefined) return pairs.find(key, start, end);
    let ref = batch.find(key, start, end);
    if (ref !== noPair) return ref;
    // Rows usually arrive in key order.
    if (batch.isAppending && batch.lastSlot === pairs.lastSlot)
      ref = pairs.findNext(key, start, end);
    else ref = pairs.find(key, start, end);
    batch.setSlot(pairs.lastSlot);
    return ref;
  }

  /** What a scan during a commit reads. */
  #withBatch(batch: CommitPairs): MergedSource {
    const version = (): number => this.version;
    return {
      arena: this.arena,
      get version() {
        return version();
      },
      walk: (start, end, reversed) => walkCommit(batch, start, end, reversed),
      scanBelow: (start, end, reversed) => new MergedCursor(this, start, end, reversed),
    };
  }

  #write(batch: CommitPairs): void {
    const pieces = batch.finish();
    if (batch.size === 0) return;
    const { pairs } = this.#parts;
    if (
      batch.bytes >= this.#limits.direct &&
      this.#checkpoint === undefined &&
      this.#bufferedBefore <= maxDirectBuffer
    ) {
      this.#writeDirectly(batch);
      return;
    }
    this.#append(pieces, batch.refs);
    pairs.merge(batch.refs, batch.slots);
  }

  #append(pieces: readonly Piece[], refs: readonly PairRef[]): void {
    const { arena } = this;
    const isRemoved = (ref: PairRef): boolean => arena.valueLength(ref) === removedLength;
    const onlyRemoves = refs.every((ref) => isRemoved(ref) || !isRow(arena, ref));
    try {
      this.#log?.append(pieces, onlyRemoves);
    } catch (error) {
      // Segments are removed after a checkpoint.
      this.#schedule();
      throw error;
    }
    if (onlyRemoves && this.#log?.isShort === true) this.#schedule();
  }

  /** Writes what is buffered and a large commit to blocks, instead of writing it twice. */
  #writeDirectly(batch: CommitPairs): void {
    const { pairs } = this.#parts;
    const refs = mergeRefs(pairs, batch.refs);
    const log = this.#log;
    const firstSegment = log?.rotate();
    writePairs(this.#parts, refs, firstSegment);
    if (firstSegment !== undefined) log!.removeBefore(firstSegment);
    pairs.remove({ leaf: 0, index: 0 }, pairs.size);
    batch.discard();
  }

  #onCommit(bytes: number): void {
    this.#written += bytes;
    this.#writtenSinceStep += bytes;
    if (this.#checkpoint !== undefined || this.#isCheckpointDue() || this.#isSpaceShort(bytes))
      this.#schedule();
    else if (this.#written >= this.#limits.idle) this.#awaitIdle();
  }

  #isCheckpointDue(): boolean {
    const { checkpoint } = this.#limits;
    if (this.#written < checkpoint) return false;
    // There is no log to shorten where rows are written again and again.
    return this.#log !== undefined || this.arena.capacity >= checkpoint;
  }

  /**
   * True when there is hardly space for a checkpoint, without which no segment of the log can be
   * removed.
   */
  #isSpaceShort(bytes: number): boolean {
    this.#writtenSinceLook += bytes;
    if (this.#writtenSinceLook < this.#limits.idle) return false;
    this.#writtenSinceLook = 0;
    return this.#freeBytes() < 2 * this.arena.capacity;
  }

  #awaitIdle(): void {
    this.#lastCommit = performance.now();
    if (this.#idleTimer !== undefined) return;
    const check = (): void => {
      const restMs = this.#lastCommit + idleMs - performance.now();
      this.#idleTimer = undefined;
      if (this.#isClosed || this.#checkpoint !== undefined || this.#written < this.#limits.idle)
        return;
      if (restMs <= 0) this.#schedule();
      else this.#idleTimer = setTimeout(check, restMs).unref();
    };
    this.#idleTimer = setTimeout(check, idleMs).unref();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isClosed) return;
      try {
        this.#step();
      } catch {
        // The pairs are still buffered, and in the log. The next commit makes another attempt.
        return;
      }
      if (this.#checkpoint !== undefined) this.#schedule();
    }).unref();
  }

  #step(): void {
    const log = this.#log;
    if (this.#checkpoint === undefined) {
      this.#checkpoint = new Checkpoint(this.#parts, log?.rotate());
      this.#written = 0;
    }
    const checkpoint = this.#checkpoint;
    const { minStep, maxStep } = this.#limits;
    const bytes = Math.min(maxStep, Math.max(minStep, 2 * this.#writtenSinceStep));
    checkpoint.step(bytes);
    this.#writtenSinceStep = 0;
    this.version++;
    if (!checkpoint.done) return;
    this.#checkpoint = undefined;
    if (checkpoint.firstSegment !== undefined) log!.removeBefore(checkpoint.firstSegment);
  }
}

/** All pairs of the buffer and of a commit; a pair of the commit replaces one of the buffer. */
function mergeRefs(pairs: SortedPairs, added: readonly PairRef[]): PairRef[] {
  const { arena } = pairs;
  const refs: PairRef[] = [];
  const position = { leaf: 0, index: 0 };
  pairs.seek(position, noBytes);
  for (const ref of added) {
    let old = pairs.at(position);
    for (; old !== noPair && arena.compare(old, ref) < 0; old = pairs.at(position)) {
      refs.push(old);
      position.index++;
    }
    if (old !== noPair && arena.compare(old, ref) === 0) position.index++;
    refs.push(ref);
  }
  for (let old = pairs.at(position); old !== noPair; old = pairs.at(position)) {
    refs.push(old);
    position.index++;
  }
  return refs;
}
