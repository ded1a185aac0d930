/** Runs that take a while: a bar of progress, signals that stop them, and what to do afterwards. */
import { StoppedError, type StopSignal } from '../command.js';
import type { Progress, ProgressStyle } from '../terminal/progress.js';
import type { Terminal } from '../terminal/terminal.js';

/** What a run shows. */
export interface LongRun {
  /** The name beside the bar. */
  readonly name: string;
  /** The number of rows, if it is known. */
  readonly total?: number;
  /** How to continue, in a sentence: printed if the run fails or is stopped. */
  readonly advice?: string | ((error: unknown) => string | undefined);
}

/** Runs with a bar and with a signal that Ctrl-C and SIGTERM abort. `run` draws its last line. */
export function longRun<T>(
  terminal: Terminal,
  { name, total, advice }: LongRun,
  run: (bar: Progress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return stoppable(terminal, advice, (signal) =>
    withBar(terminal, name, (bar) => run(bar, signal), total),
  );
}

/** A check beside what the command is for is shown only if somebody waits for it. */
export const afterOneSecond: ProgressStyle = { afterMs: 1_000 };

/** Runs with a bar, which is removed if the run fails. */
export async function withBar<T>(
  terminal: Terminal,
  name: string,
  run: (bar: Progress) => Promise<T>,
  total?: number,
  style?: ProgressStyle,
): Promise<T> {
  const bar = terminal.progress(name, total, style);
  try {
    return await run(bar);
  } catch (error) {
    bar.clear();
    throw error;
  }
}

/**
 * Runs with a signal that Ctrl-C and SIGTERM abort with StoppedError; a second one ends the process
 * at once. Prints the advice if the run fails.
 */
export async function stoppable<T>(
  terminal: Terminal,
  advice: LongRun['advice'],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void =>
    controller.abort(new StoppedError(signal as StopSignal));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await run(controller.signal);
  } catch (error) {
    const next = typeof advice === 'function' ? advice(error) : advice;
    if (next !== undefined) terminal.note(next);
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
