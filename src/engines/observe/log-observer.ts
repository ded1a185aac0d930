/** A line for each call, and a warning for slow scans. */
import type { Observer, Operation, OperationObserver } from './operation.js';
import { outcomeText, requestText } from './operation-text.js';

/** Writes a line when a call has ended. */
export class LogObserver implements Observer {
  readonly #write: (line: string) => void;
  readonly #keys: boolean;

  constructor(write: (line: string) => void, keys: boolean) {
    this.#write = write;
    this.#keys = keys;
  }

  begin(operation: Operation): OperationObserver {
    return { onEnd: (error) => this.#write(this.#line(operation, error)) };
  }

  #line(operation: Operation, error: unknown): string {
    const request = requestText(operation, this.#keys);
    const outcome = outcomeText(operation);
    if (error === undefined) return `${request} -> ${outcome}`;
    return `${request} -> ${errorType(error)} (${outcome})`;
  }
}

/** Warns of a scan that took the engine longer than `millis`. */
export class SlowScanObserver implements Observer {
  readonly #millis: number;
  readonly #warn: (line: string) => void;
  readonly #keys: boolean;

  constructor(millis: number, warn: (line: string) => void, keys: boolean) {
    this.#millis = millis;
    this.#warn = warn;
    this.#keys = keys;
  }

  begin(operation: Operation): OperationObserver {
    return {
      onEnd: () => {
        if (operation.name !== 'readRows' || operation.engineMillis < this.#millis) return;
        this.#warn(`slow scan: ${requestText(operation, this.#keys)} -> ${outcomeText(operation)}`);
      },
    };
  }
}

/** One word that contains no data: the code of the error, otherwise its name. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error.name;
}
