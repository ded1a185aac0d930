/** Signals that end a command that runs until it is stopped. */

/**
 * The signal that asks to stop; SIGHUP comes when the terminal is closed. A second signal has the
 * system's effect and ends the process.
 */
export function stopSignal(
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): Promise<string> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const each of signals) process.off(each, stop);
      resolve(signal);
    };
    for (const signal of signals) process.once(signal, stop);
  });
}
