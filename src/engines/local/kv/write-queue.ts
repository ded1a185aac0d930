/**
 * All writes of a database, one after the other. What is asked for in one turn of the event loop
 * shares a commit, and so one flush of the disk; each piece of work computes everything before it
 * writes anything, so that one that is refused leaves the others alone.
 */
import { RowsmithError } from '../../../errors.js';
import type { OrderedStore, PairWriter } from './ordered-store.js';

/** Most rows and bytes of one commit: larger ones only hold the event loop longer. */
const mostRows = 10_000;
const mostBytes = 32 * 1024 * 1024;

/** A piece of work; what it throws before its first write is its own failure. */
interface Work {
  readonly rows: number;
  readonly bytes: number;
  run(writer: PairWriter): void;
  done(): void;
  failed(error: unknown): void;
}

/** Runs writes in order, many to a commit. */
export class WriteQueue {
  #waiting: Work[] = [];
  #scheduled = false;
  #closed: RowsmithError | undefined;
  #idle: (() => void)[] = [];

  readonly #store: OrderedStore;
  readonly #undone: () => void;

  /** `undone` is told when a commit failed as a whole. */
  constructor(store: OrderedStore, undone: () => void) {
    this.#store = store;
    this.#undone = undone;
  }

  /** Runs the work inside a commit and resolves to its answer once the commit is durable. */
  enqueue<T>(rows: number, bytes: number, run: (writer: PairWriter) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#closed);
      let answer: T;
      this.#waiting.push({
        rows,
        bytes,
        run: (writer) => void (answer = run(writer)),
        done: () => resolve(answer),
        failed: reject,
      });
      this.#schedule();
    });
  }

  /**
   * Resolves when nothing is waiting any more; what comes later is refused with the error: work
   * that goes on in several commits may still come.
   */
  async close(refusal: RowsmithError): Promise<void> {
    while (this.#waiting.length > 0)
      await new Promise<void>((resolve) => void this.#idle.push(resolve));
    this.#closed = refusal;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit(this.#take());
      if (this.#waiting.length > 0) return this.#schedule();
      for (const resolve of this.#idle.splice(0)) resolve();
    });
  }

  #take(): Work[] {
    let rows = 0;
    let bytes = 0;
    let count = 0;
    while (
      count < this.#waiting.length &&
      (count === 0 ||
        (rows + this.#waiting[count].rows <= mostRows &&
          bytes + this.#waiting[count].bytes <= mostBytes))
    ) {
      rows += this.#waiting[count].rows;
      bytes += this.#waiting[count].bytes;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  #commit(group: readonly Work[]): void {
    const outcomes: (() => void)[] = [];
    try {
      this.#store.commit((writer) => {
        for (const work of group) outcomes.push(runOne(work, writer));
      });
    } catch (error) {
      this.#undone();
      for (const work of group) work.failed(error);
      return;
    }
    for (const settle of outcomes) settle();
  }
}

/**
 * Runs one piece of work; a failure of the storage, or one after it began to write, fails the whole
 * commit.
 */
function runOne(work: Work, writer: PairWriter): () => void {
  let wrote = false;
  const watched: PairWriter = {
    put: (key, value) => ((wrote = true), writer.put(key, value)),
    remove: (key) => ((wrote = true), writer.remove(key)),
  };
  try {
    work.run(watched);
  } catch (error) {
    if (wrote || (error instanceof RowsmithError && error.code === 'STORAGE_FAILED')) throw error;
    return () => work.failed(error);
  }
  return () => work.done();
}
