/**
 * Batch write flow control: the rate at which MutateRows requests are sent follows what the server
 * says of its load. The rules and bounds come from Google's Java client
 * (RateLimitingServerStreamingCallable). As in the C++ client (mutate_rows_limiter.cc), only a rate
 * that has delayed a request grows: otherwise it would rise for as long as a program writes little,
 * and limit nothing when the server slows down.
 */
import { statusCode, type RateLimit } from '../../protocol/index.js';

/** Requests per second, once the server has asked for a limit. */
const initialRate = 10;
const minRate = 0.1;
const maxRate = 100_000;
/** Bounds of one change. */
const minFactor = 0.7;
const maxFactor = 1.3;
/** In milliseconds: a longer period would keep a wrong rate for too long. */
const maxPeriodMs = 60_000;

/** The rate of the bulk writes of one database. */
export class RequestRate {
  #rate = initialRate;
  /** The time between changes that the server last asked for. */
  #periodMs = 0;
  #isLimited = false;
  /** Whether a request was delayed since the rate last changed. */
  #hasDelayed = false;
  #nextChange = -Infinity;
  #lastLimit = -Infinity;
  /** When the next request may be sent. */
  #nextTurn = -Infinity;

  readonly #now: () => number;

  /** `now` is in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Reserves the turn of a request. Returns the milliseconds until then. */
  reserve(): number {
    if (!this.#isLimited) return 0;
    const now = this.#now();
    const turn = Math.max(now, this.#nextTurn);
    this.#nextTurn = turn + 1000 / this.#rate;
    if (turn > now) this.#hasDelayed = true;
    return turn - now;
  }

  /** The server has sent a limit. One without a positive factor and period says nothing. */
  readonly follow = ({ factor, periodMs }: RateLimit): void => {
    if (!(factor > 0 && periodMs > 0)) return;
    this.#isLimited = true;
    this.#lastLimit = this.#now();
    this.#periodMs = Math.min(periodMs, maxPeriodMs);
    this.#change(factor);
  };

  /**
   * A request that was sent at `sentAt` has succeeded. If no limit has arrived since then, there is
   * none any more; but it is not lifted before the next change.
   */
  release(sentAt: number): void {
    if (this.#lastLimit < sentAt && this.#now() >= this.#nextChange) this.#isLimited = false;
  }

  /** A request has failed. Says nothing of a server that does not limit the rate. */
  fail(code: number): void {
    if (this.#isLimited && overloadCodes.includes(code)) this.#change(minFactor);
  }

  #change(factor: number): void {
    const now = this.#now();
    if (now < this.#nextChange) return;
    this.#nextChange = now + this.#periodMs;
    if (factor > 1 && !this.#hasDelayed) return;
    this.#hasDelayed = false;
    const bounded = Math.min(Math.max(factor, minFactor), maxFactor);
    this.#rate = Math.min(Math.max(this.#rate * bounded, minRate), maxRate);
  }
}

/** Of servers that are overloaded. */
const overloadCodes: readonly number[] = [
  statusCode.DEADLINE_EXCEEDED,
  statusCode.UNAVAILABLE,
  statusCode.RESOURCE_EXHAUSTED,
];
