/** Timers, replaceable for tests. */

/** Calls functions later. */
export interface Timers {
  /** Calls `run` once after so many milliseconds, unless the function that it returns is called. */
  after(millis: number, run: () => void): () => void;
}

/** The timers of the process. They do not keep it running. */
export const systemTimers: Timers = Object.freeze({
  after(millis: number, run: () => void): () => void {
    const timer = setTimeout(run, millis);
    timer.unref();
    return () => clearTimeout(timer);
  },
});
