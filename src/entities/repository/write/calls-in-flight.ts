/** Limited numbers of calls in flight. */
import type { EntityModel } from '../../model/index.js';
import { checkCount } from '../../query/index.js';

const maxInFlight = 1024;
const defaultBatches = 4;
const defaultRows = 64;

/** The option `inFlight`. Throws INVALID_ARGUMENT for an invalid one. */
export function checkInFlight(model: EntityModel, given: unknown): number | undefined {
  return given === undefined ? undefined : checkCount(model, 'inFlight', given, maxInFlight);
}

/** The requests of a call that are in flight, by kind. */
export interface RequestsInFlight {
  /** Requests for many rows. */
  readonly batches: CallsInFlight;
  /** Requests for one row. */
  readonly rows: CallsInFlight;
}

/** A given limit is for requests of both kinds together; by default each kind has its own. */
export function requestsInFlight(limit: number | undefined): RequestsInFlight {
  if (limit === undefined)
    return { batches: new CallsInFlight(defaultBatches), rows: new CallsInFlight(defaultRows) };
  const both = new CallsInFlight(limit);
  return { batches: both, rows: both };
}

/** A limited number of calls in flight. */
export class CallsInFlight {
  readonly #limit: number;
  #count = 0;
  #onSettled: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a call that never rejects. */
  start(call: () => Promise<void>): void {
    this.#count++;
    void call().finally(() => {
      this.#count--;
      this.#onSettled?.();
    });
  }

  /** Undefined if another call may be started; else settles when one may. For one caller. */
  ready(): Promise<void> | undefined {
    if (this.#count < this.#limit) return undefined;
    return this.#until(() => this.#count < this.#limit);
  }

  /** Settles when no call is in flight. */
  async idle(): Promise<void> {
    if (this.#count > 0) await this.#until(() => this.#count === 0);
  }

  // Not Promise.race over the calls: that would add a handler to each of them for every call.
  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onSettled = () => {
        if (!holds()) return;
        this.#onSettled = undefined;
        resolve();
      };
    });
  }
}
