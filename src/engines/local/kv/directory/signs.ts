/**
 * Signs that an owner runs, for processes that cannot see it: new times of its owner file. A thread
 * gives them, because a busy event loop may run no timer for a minute.
 */
import { futimesSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { OwnerSigns } from './disk-tuning.js';

/** The thread. It uses the handle of the owner file, which remains valid if that is renamed. */
const source = `
  const { workerData } = require('node:worker_threads');
  const { futimesSync } = require('node:fs');
  const giveSign = () => {
    try {
      const now = new Date();
      futimesSync(workerData.handle, now, now);
    } catch {}
  };
  giveSign();
  setInterval(giveSign, workerData.interval);
`;

/** Gives signs until it is stopped; a program may end without stopping it. */
export class Signs {
  #lastSign = performance.now();
  #worker: Worker | undefined = undefined;
  /** Starts the thread, or gives signs where there are no threads. */
  #timer: NodeJS.Timeout | undefined;

  readonly #handle: number;
  readonly #interval: number;

  /** `handle` is the open owner file, which must stay open until `stop` has resolved. */
  constructor(handle: number, { interval, threadAfter }: OwnerSigns) {
    this.#handle = handle;
    this.#interval = interval;
    this.#timer = setTimeout(() => this.#startThread(), threadAfter).unref();
  }

  /** Gives a sign if there is no thread and the last one was long ago. */
  renew(): void {
    if (this.#worker === undefined && performance.now() - this.#lastSign > this.#interval)
      this.#giveSign();
  }

  /** Resolves when the handle is no longer used. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #startThread(): void {
    try {
      const workerData = { handle: this.#handle, interval: this.#interval };
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
    if (this.#timer === undefined) return;
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
