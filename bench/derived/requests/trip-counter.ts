/**
 * Counts requests and round trips: answers come as from a distant server, and
 * all take the same time. Requests wait until nothing else happens in the process, and are then sent
 * together: one trip.
 */
import { type Method, RequestCounter } from './request-counter.js';

/** Turns of the event loop without a request after which nothing else happens. */
const quietTurns = 10;

export class TripCounter extends RequestCounter {
  trips = 0;
  #counts = false;
  #waiting: (() => void)[] = [];
  #running = 0;
  /** Called once all requests of the trip are answered. */
  #answered: (() => void)[] = [];
  #seen = 0;

  /** Counts from now on. Until then requests are passed on at once. */
  start(): void {
    this.#counts = true;
  }

  /** Resolves once no request has been made for some turns. */
  async idle(): Promise<void> {
    for (let seen = -1; seen !== this.#seen || this.#running > 0;) {
      seen = this.#seen;
      for (let turn = 0; turn < 2 * quietTurns; turn++) await nextTurn();
    }
  }

  protected override async pass<T>(method: Method, request: () => Promise<T>): Promise<T> {
    if (!this.#counts) return request();
    this.#seen++;
    await new Promise<void>((go) => {
      this.#waiting.push(go);
      if (this.#waiting.length === 1) void this.#departure();
    });
    try {
      return await super.pass(method, request);
    } finally {
      await this.#arrival();
    }
  }

  /** Answers of a trip arrive together, however long the engine takes for each. */
  async #arrival(): Promise<void> {
    const arrived = new Promise<void>((resolve) => void this.#answered.push(resolve));
    if (--this.#running === 0) for (const arrive of this.#answered.splice(0)) arrive();
    await arrived;
  }

  /** Sends the requests that wait, once all that were sent before are answered. */
  async #departure(): Promise<void> {
    let seen = this.#seen;
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await nextTurn();
      if (this.#running > 0 || seen !== this.#seen) quiet = -1;
      seen = this.#seen;
    }
    const sent = this.#waiting;
    this.#waiting = [];
    this.#running += sent.length;
    this.trips++;
    for (const go of sent) go();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
