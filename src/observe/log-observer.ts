/** A line for each call, and a warning for scans that take long. */
import type { Observer, Operation, Witness } from './operation.js';
import { outcomeText, requestText } from './operation-text.js';

/** Writes a line when a call has ended. */
export class LogObserver implements Observer {
  readonly #write: (line: string) => void;
  readonly #keys: boolean;

  constructor(write: (line: string) => void, keys: boolean) {
    this.#write = write;
    this.#keys = keys;
  }

  begin(operation: Operation): Witness {
    return {
      end: (error) =>
        this.#write(
          `${requestText(operation, this.#keys)} -> ${error === undefined ? outcomeText(operation) : `${wordOf(error)} (${outcomeText(operation)})`}`,
        ),
    };
  }
}

/** Warns of a scan for which the engine took longer than `millis`. */
export class SlowScanObserver implements Observer {
  readonly #millis: number;
  readonly #warn: (line: string) => void;
  readonly #keys: boolean;

  constructor(millis: number, warn: (line: string) => void, keys: boolean) {
    this.#millis = millis;
    this.#warn = warn;
    this.#keys = keys;
  }

  begin(operation: Operation): Witness {
    return {
      end: () => {
        if (operation.name !== 'readRows' || operation.engineMillis < this.#millis) return;
        this.#warn(`slow scan: ${requestText(operation, this.#keys)} -> ${outcomeText(operation)}`);
      },
    };
  }
}

/** What went wrong in a word that holds no data: a code of ours, or the name of the error. */
export function wordOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
