/**
 * Signs that an owner runs, for processes that cannot see it: new times of its owner file. A thread
 * gives them, because a busy event loop may run no timer for a minute.
 */
import { futimesSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { OwnerSigns } from './disk-tuning.js';

/** What the thread does with the handle. */
const idle = 0;
const inUse = 1;
const released = 2;
/** Milliseconds that the thread may use the handle for. */
const maxUse = 1000;

/** The thread. It uses the handle of the owner file, which remains valid if that is renamed. */
const source = `
  const { workerData } = require('node:worker_threads');
  const { futimesSync } = require('node:fs');
  const { handle, interval, state } = workerData;
  const giveSign = () => {
    if (Atomics.compareExchange(state, 0, ${idle}, ${inUse}) !== ${idle}) return;
    try {
      const now = new Date();
      futimesSync(handle, now, now);
    } catch {}
    Atomics.store(state, 0, ${idle});
    Atomics.notify(state, 0);
  };
  giveSign();
  setInterval(giveSign, interval);
`;

/** Gives signs until it is stopped; a program may end without stopping it. */
export class Signs {
  #lastSign = performance.now();
  #worker: Worker | undefined = undefined;
  /** Gives signs where there are no threads. */
  #timer: NodeJS.Timeout | undefined = undefined;
  #isStopped = false;
  readonly #state = new Int32Array(new SharedArrayBuffer(4));

  readonly #handle: number;
  readonly #interval: number;

  /**
   * `handle` is the open owner file, which must stay open until `stop` has resolved. The thread is
   * started at once: the event loop may be busy from now on.
   */
  constructor(handle: number, { interval }: OwnerSigns) {
    this.#handle = handle;
    this.#interval = interval;
    this.#startThread();
  }

  /** Gives a sign if there is no thread and the last one was long ago. */
  renew(): void {
    if (this.#worker === undefined && performance.now() - this.#lastSign > this.#interval)
      this.#giveSign();
  }

  /** Resolves when the handle is no longer used. A thread that just starts ends later. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    const ended = worker?.terminate();
    if (!this.#release()) await ended;
  }

  /** Takes the handle from the thread; false if it has not returned it in time. */
  #release(): boolean {
    const state = this.#state;
    if (Atomics.compareExchange(state, 0, idle, released) !== inUse) return true;
    Atomics.wait(state, 0, inUse, maxUse);
    return Atomics.compareExchange(state, 0, idle, released) !== inUse;
  }

  #startThread(): void {
    try {
      const workerData = { handle: this.#handle, interval: this.#interval, state: this.#state };
      // Without the options of the process: it may load modules into each of its threads.
      const worker = new Worker(source, { eval: true, workerData, execArgv: [], env: {} });
      worker.unref();
      worker.once('error', () => this.#useTimer());
      this.#worker = worker;
    } catch {
      this.#useTimer();
    }
  }

  /** Threads may be forbidden (node --permission), or there is no memory for one. */
  #useTimer(): void {
    this.#worker = undefined;
    if (this.#isStopped) return;
    this.#giveSign();
    this.#timer = setInterval(() => this.#giveSign(), this.#interval).unref();
  }

  #giveSign(): void {
    try {
      const now = new Date();
      futimesSync(this.#handle, now, now);
      this.#lastSign = performance.now();
    } catch {
      // The next sign may succeed.
    }
  }
}
