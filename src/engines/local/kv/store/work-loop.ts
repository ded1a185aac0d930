/** Does pieces of work one after another, each in a later turn of the event loop. */
import { setImmediate as nextTurn } from 'node:timers';

export interface PendingWork {
  readonly isDue: () => boolean;
  /** Does one piece; false if none is due. */
  readonly next: () => Promise<boolean>;
  /** Called when the work begins anew after a failure. */
  readonly onRetry: () => void;
  /** Called when the work has failed, and when it has ended. */
  readonly onFailure: () => void;
  readonly onEnd: () => void;
  /** Frees what is kept for a full disk; false if there was nothing. */
  readonly releaseReserve: () => Promise<boolean>;
}

/** Thrown to end work when the store is closed. */
export const stopped = new Error('stopped');

/** Milliseconds before work is attempted again after it has failed. */
const retryMs = 1000;

export class WorkLoop {
  #isRunning = false;
  #isStopped = false;
  #error: Error | undefined = undefined;
  #retry: NodeJS.Timeout | undefined = undefined;
  #waiting: (() => void)[] = [];
  readonly #work: PendingWork;

  constructor(work: PendingWork) {
    this.#work = work;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The last failure, until work succeeds. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Begins the work that is due. */
  wake(): void {
    if (this.#isRunning || this.#isStopped || !this.#mayBeDue()) return;
    this.#isRunning = true;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void this.#run();
  }

  /** Begins the work that is due, and resolves once it has ended. */
  async end(): Promise<void> {
    this.wake();
    await this.#idle();
  }

  /** Ends the work after its current step. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    await this.#idle();
  }

  /** Lets other calls be executed. Throws once the work is stopped. */
  async pause(): Promise<void> {
    await turn();
    if (this.#isStopped) throw stopped;
  }

  async #idle(): Promise<void> {
    while (this.#isRunning) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  /** A plan reads indexes. If that fails, the work does: its caller may be in a commit. */
  #mayBeDue(): boolean {
    try {
      return this.#work.isDue();
    } catch {
      return true;
    }
  }

  async #run(): Promise<void> {
    try {
      // In a later turn: it was begun within a commit.
      await turn();
      if (this.#error !== undefined) this.#work.onRetry();
      while (!this.#isStopped && (await this.#next())) await turn();
      this.#error = undefined;
    } catch (error) {
      if (error !== stopped) this.#fail(error);
    } finally {
      this.#isRunning = false;
      for (const resolve of this.#waiting.splice(0)) resolve();
      this.#work.onEnd();
    }
    // What became due since the last look.
    if (this.#error === undefined) this.wake();
  }

  async #next(): Promise<boolean> {
    try {
      return await this.#work.next();
    } catch (error) {
      if (error === stopped) throw error;
      const hasMore = await this.#work.releaseReserve();
      if (!hasMore && this.#error !== undefined) throw error;
      // Planned anew: a part of a merge may be installed, and after a failure the order is another.
      if (!hasMore) this.#retryAfter(error);
      return true;
    }
  }

  #retryAfter(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
    this.#work.onRetry();
  }

  #fail(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
    this.#work.onFailure();
    if (!this.#isStopped) this.#retry = setTimeout(() => this.wake(), retryMs).unref();
  }
}

/** Lets other calls be executed. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => void nextTurn(resolve));
}
