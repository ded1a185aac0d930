/** Ends writes of many rows when storage no longer answers. */
import { type ErrorCode, RowsmithError, type FaultTexts } from '../../base/index.js';
import type { Engine } from './engine.js';

/** Errors of rows that storage did not write, and may write later. */
const unansweredCodes: readonly ErrorCode[] = ['UNAVAILABLE', 'QUOTA_EXCEEDED'];
/** Errors that may have been found before the row was sent. */
const unsentCodes: readonly ErrorCode[] = ['INVALID_ARGUMENT', 'LIMIT_EXCEEDED'];

/** Timers of the attempts fire up to a millisecond early: this part of the total is enough. */
const nearlyAll = 0.99;
/** A retried call ends before its total, but not before this part, if its next delay exceeds it. */
const least = 1 / 4;

/**
 * The time in which requests for rows were in flight and storage answered none of them. Failures
 * are not counted: during a short outage, requests that are not retried fail at once.
 */
export class Silence {
  /** Undefined for engines that always answer. */
  readonly #totalMs: number | undefined;
  readonly #entity: string;
  #inFlight = 0;
  /** When the silence began; later by the time in which nothing was in flight. */
  #since = 0;
  #idleSince = 0;
  #notSent: RowsmithError | undefined;

  /** `entity` is named in errors. */
  constructor(engine: Engine, entity: string) {
    this.#totalMs = engine.totalTimeoutMs;
    this.#entity = entity;
  }

  /** The error of all further rows, once the silence has lasted for the engine's total timeout. */
  get notSent(): RowsmithError | undefined {
    return this.#notSent;
  }

  /** A request is sent. Returns the time for `end`. */
  start(): number {
    if (this.#totalMs === undefined) return 0;
    const now = performance.now();
    if (this.#inFlight++ === 0) this.#since += now - this.#idleSince;
    return now;
  }

  /** A request that was sent at `sent` has ended with these errors; undefined for written rows. */
  end(sent: number, errors: readonly (RowsmithError | undefined)[]): void {
    if (this.#totalMs === undefined) return;
    const now = performance.now();
    if (errors.some(isAnswer)) this.#since = now;
    else {
      const unanswered = errors.filter((each) => each !== undefined).filter(isUnanswered);
      if (unanswered.length > 0)
        this.#judge(unanswered.find(wasRetried) ?? unanswered[0], sent, now);
    }
    if (--this.#inFlight === 0) this.#idleSince = now;
  }

  #judge(error: RowsmithError, sent: number, now: number): void {
    const totalMs = this.#totalMs!;
    const silentMs = now - this.#since;
    const isSpent = wasRetried(error) && this.#since <= sent && now - sent >= totalMs * least;
    if (isSpent || silentMs >= totalMs * nearlyAll)
      this.#notSent ??= this.#errorOf(error, silentMs);
  }

  #errorOf(cause: RowsmithError, silentMs: number): RowsmithError {
    return new RowsmithError(
      'UNAVAILABLE',
      {
        entity: this.#entity,
        ...faults.rowNotSent(Math.round(silentMs)),
        totalTimeoutMs: this.#totalMs,
        written: false,
      },
      { cause },
    );
  }
}

function isUnanswered({ code }: RowsmithError): boolean {
  return unansweredCodes.includes(code);
}

/** The engine adds the total to errors of calls that it retried until then. */
function wasRetried({ details }: RowsmithError): boolean {
  return details.totalTimeoutMs !== undefined;
}

function isAnswer(error: RowsmithError | undefined): boolean {
  return error === undefined || !(isUnanswered(error) || unsentCodes.includes(error.code));
}

const faults = {
  rowNotSent: (round: number) => ({
    problem: `the row was not sent, because no row was written for ${round} ms`,
    fix: 'write it again once the database answers, or set a longer totalTimeoutMs',
  }),
} satisfies FaultTexts;
