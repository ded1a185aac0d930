/**
 * Executes all writes of a database in order. Writes that are enqueued in one turn of the event
 * loop share a commit, and so one disk flush. Each write computes everything before it writes
 * anything, so a rejected one does not affect the rest of its commit.
 */
import { RowsmithError } from '../../../base/index.js';
import type { OrderedStore, PairWriter } from './ordered-store.js';

/** Bounds of one commit: larger ones only block the event loop longer. */
const maxCommitRows = 10_000;
const maxCommitBytes = 4 * 1024 * 1024;
/** A commit takes no further write once it has run this long. */
const maxCommitMs = 5;

/** Notices writes of one pair. */
export interface PairWatch {
  /** True once the pair has been written, or may have been. */
  readonly changed: boolean;
  /** Must be called when the watch is no longer needed. */
  release(): void;
}

/** An enqueued write. An error thrown before its first `put` or `remove` rejects only itself. */
interface QueuedWrite {
  readonly rows: number;
  readonly bytes: number;
  /** False if it is to run again in the next commit. */
  run(writer: PairWriter): boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** Called with the key of each pair that is written: `[keyStart, keyEnd)` of a buffer. */
type OnWrite = (bytes: Uint8Array, keyStart: number, keyEnd: number) => void;
/** Called with the bounds of each range that is removed. */
type OnWriteRange = (start: Uint8Array, end: Uint8Array) => void;

interface WriteListeners {
  readonly onWrite: OnWrite;
  readonly onWriteRange: OnWriteRange;
}

/** What takes part in every commit. */
export interface CommitHooks {
  /** Called as the last write of a commit. */
  readonly beforeCommit: (writer: PairWriter) => void;
  /**
   * Called after a commit has failed as a whole. If it throws, it is called again before the next
   * commit, which fails if it throws then.
   */
  readonly onRollback: () => void;
}

/** Executes writes in order, many to a commit. */
export class WriteQueue {
  #pending: QueuedWrite[] = [];
  #scheduled = false;
  #closed: RowsmithError | undefined;
  /** True after a failed commit, until `onRollback` has succeeded. */
  #needsRollback = false;
  #idleListeners: (() => void)[] = [];
  /** By the key of the pair, as latin1 text. */
  readonly #watches = new Map<string, Set<{ changed: boolean }>>();

  readonly #store: OrderedStore;
  readonly #hooks: CommitHooks;

  constructor(store: OrderedStore, hooks: CommitHooks) {
    this.#store = store;
    this.#hooks = hooks;
  }

  /**
   * Runs `run` inside a commit and resolves to its result once the commit is durable. `rows` and
   * `bytes` count towards the bounds of the commit.
   */
  enqueue<T>(rows: number, bytes: number, run: (writer: PairWriter) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const once = (writer: PairWriter): boolean => {
        result = run(writer);
        return true;
      };
      this.#add({ rows, bytes, run: once, resolve: () => resolve(result), reject });
    });
  }

  /** As `enqueue`, for many steps: while `run` returns false, the next commit goes on with it. */
  enqueueSteps(rows: number, bytes: number, run: (writer: PairWriter) => boolean): Promise<void> {
    return new Promise((resolve, reject) => this.#add({ rows, bytes, run, resolve, reject }));
  }

  /** Watches a pair, from now until the watch is released. */
  watch(key: Uint8Array): PairWatch {
    const name = watchName(key, 0, key.length);
    const ofKey = this.#watches.get(name) ?? new Set();
    this.#watches.set(name, ofKey);
    const watch = {
      changed: false,
      release: () => {
        if (ofKey.delete(watch) && ofKey.size === 0) this.#watches.delete(name);
      },
    };
    ofKey.add(watch);
    return watch;
  }

  /**
   * Resolves when the queue is empty; later writes are rejected with the error. Until then writes
   * are accepted, because an operation of several commits may still be running.
   */
  async close(error: RowsmithError): Promise<void> {
    while (this.#pending.length > 0)
      await new Promise<void>((resolve) => void this.#idleListeners.push(resolve));
    this.#closed = error;
  }

  #add(write: QueuedWrite): void {
    if (this.#closed !== undefined) return write.reject(this.#closed);
    this.#pending.push(write);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      const waiting = this.#store.ready?.();
      if (waiting === undefined) this.#commitNext();
      else void waiting.then(() => this.#commitNext());
    });
  }

  #commitNext(): void {
    this.#scheduled = false;
    this.#commit(this.#takeBatch());
    if (this.#pending.length > 0) return this.#schedule();
    for (const resolve of this.#idleListeners.splice(0)) resolve();
  }

  /** Removes as many writes from the queue as fit one commit, at least one. */
  #takeBatch(): QueuedWrite[] {
    let rows = 0;
    let bytes = 0;
    let count = 0;
    for (const write of this.#pending) {
      rows += write.rows;
      bytes += write.bytes;
      if (count > 0 && (rows > maxCommitRows || bytes > maxCommitBytes)) break;
      count++;
    }
    return this.#pending.splice(0, count);
  }

  #commit(batch: readonly QueuedWrite[]): void {
    const settlements: (() => void)[] = [];
    const started = performance.now();
    try {
      if (this.#needsRollback) this.#rollBack();
      this.#store.commit((writer) => {
        for (const write of batch) {
          const settle = runWrite(write, writer, this.#listeners);
          if (settle === undefined) break;
          settlements.push(settle);
          if (performance.now() - started > maxCommitMs) break;
        }
        this.#hooks.beforeCommit(writer);
      });
    } catch (error) {
      this.#needsRollback = true;
      for (const write of batch) write.reject(error);
      try {
        this.#rollBack();
      } catch {
        // The store cannot be read either: the next commit rolls back first.
      }
      return;
    }
    this.#pending.unshift(...batch.slice(settlements.length));
    for (const settle of settlements) settle();
  }

  #rollBack(): void {
    this.#hooks.onRollback();
    this.#needsRollback = false;
  }

  readonly #listeners: WriteListeners = {
    onWrite: (bytes, start, end) => {
      if (this.#watches.size === 0) return;
      for (const watch of this.#watches.get(watchName(bytes, start, end)) ?? [])
        watch.changed = true;
    },
    onWriteRange: (start, end) => {
      const [first, last] = [start, end].map((key) => watchName(key, 0, key.length));
      for (const [name, watches] of this.#watches)
        if (name >= first && name < last) for (const watch of watches) watch.changed = true;
    },
  };
}

function watchName(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/**
 * The writer of one write. A class, because adding `putSlice` to an object of closures keeps them,
 * and with them the rows of the write, in memory until the next full garbage collection.
 */
class ObservedWriter implements PairWriter {
  hasWritten = false;
  readonly #writer: PairWriter;
  readonly #onWrite: OnWrite;
  readonly #onWriteRange: OnWriteRange;

  constructor(writer: PairWriter, { onWrite, onWriteRange }: WriteListeners) {
    this.#writer = writer;
    this.#onWrite = onWrite;
    this.#onWriteRange = onWriteRange;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.hasWritten = true;
    this.#onWrite(key, 0, key.length);
    this.#writer.put(key, value);
  }

  putSlice(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    this.hasWritten = true;
    this.#onWrite(bytes, keyStart, keyEnd);
    if (this.#writer.putSlice === undefined)
      this.#writer.put(bytes.subarray(keyStart, keyEnd), bytes.subarray(keyEnd, valueEnd));
    else this.#writer.putSlice(bytes, keyStart, keyEnd, valueEnd);
  }

  remove(key: Uint8Array): void {
    this.hasWritten = true;
    this.#onWrite(key, 0, key.length);
    this.#writer.remove(key);
  }

  removeRange(start: Uint8Array, end: Uint8Array): void {
    this.hasWritten = true;
    this.#onWriteRange(start, end);
    this.#writer.removeRange(start, end);
  }
}

/**
 * Runs one write and returns what settles its promise after the commit; undefined if it goes on in
 * the next one. Throws, which fails the whole commit, when the storage failed or the write failed
 * after it had begun to write.
 */
function runWrite(
  write: QueuedWrite,
  writer: PairWriter,
  listeners: WriteListeners,
): (() => void) | undefined {
  const observed = new ObservedWriter(writer, listeners);
  try {
    if (!write.run(observed)) return undefined;
  } catch (error) {
    const isStorageError = error instanceof RowsmithError && error.code === 'STORAGE_FAILED';
    if (observed.hasWritten || isStorageError) throw error;
    return () => write.reject(error);
  }
  return () => write.resolve();
}
