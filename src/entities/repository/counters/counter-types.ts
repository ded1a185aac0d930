/** Types of buffered counters as users see them. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { RowsmithError } from '../../../base/index.js';
import type { KeyParts } from '../../model/index.js';
import type { CheckIncrements, Increments } from '../types/change-types.js';
import type { CounterKeys, KeyOf } from '../types/entity-types.js';

/** Options of `bufferedCounters`. */
export interface BufferedCountersOptions<Key = unknown> {
  /**
   * Milliseconds after which what was added is written, from 1 to 2,147,483,647; default 1,000. A
   * crash of the process loses what was added since the last flush began.
   */
  readonly flushEvery?: number;
  /**
   * Maximum number of sums in memory, from 1 to 10,000,000; default 10,000. A sum is one counter,
   * or one entry of a column map, of one row. Half of them start a flush; with all of them `add`
   * waits for room.
   */
  readonly maxKeys?: number;
  /**
   * Maximum number of requests in flight, from 1 to 1,024: for many rows of aggregate families, and
   * for one row of other families. Default: 4 for many rows, and 64 for one.
   */
  readonly inFlight?: number;
  /**
   * Called after each flush that wrote something or failed to. What it throws rejects `flush` and
   * `close`; in a flush that the clock or the size began it is an unhandled rejection.
   */
  readonly onFlush?: (result: FlushResult<Key>) => void;
}

/** What was added to one counter, or to one entry of a column map. */
export interface CounterSum<Key = unknown> {
  /** The key of the row, in a scope without its segments. */
  readonly key: Key;
  readonly property: string;
  /** The key of the entry, if the property is a column map. */
  readonly entry?: unknown;
  /** The sum of the additions; in families of minima and maxima the smallest or the largest. */
  readonly amount: bigint;
}

/** A sum that is not stored. */
export interface PendingSum<Key = unknown> extends CounterSum<Key> {
  /** Whether a request with it was sent, and its outcome is not known yet. */
  readonly inFlight: boolean;
  /** Why the last flush did not write it, if there was one. */
  readonly error?: RowsmithError | undefined;
}

/** A sum that was not written. It is pending again, and the next flush sends it. */
export interface FailedSum<Key = unknown> extends CounterSum<Key> {
  readonly error: RowsmithError;
}

/**
 * A sum that may have been written: the request broke off. It is never sent again by itself, and
 * counts towards `maxKeys` until it is settled.
 */
export interface UnknownSum<Key = unknown> extends CounterSum<Key> {
  readonly error: RowsmithError;
  /** Forgets the sum: it is taken as written. Returns false if it was settled before. */
  drop(): boolean;
  /** Adds the sum again: it is taken as not written. Returns false if it was settled before. */
  again(): boolean;
}

/** The outcome of a flush by sum. */
export interface FlushResult<Key = unknown> {
  /** Sums that are stored. */
  readonly written: readonly CounterSum<Key>[];
  /** Sums that are not stored. They are pending again. */
  readonly failed: readonly FailedSum<Key>[];
  /** Sums that may be stored; `close` also lists the sums of earlier flushes. */
  readonly unknown: readonly UnknownSum<Key>[];
}

/**
 * Counters of many rows that are added up in memory and written now and then. Close them: what is
 * pending when the process ends is lost.
 */
export interface BufferedCounters<E extends object, K extends KeyParts> {
  /** Sums in memory: pending, in flight, and of unknown outcome. */
  readonly size: number;
  /** Calls of `add` that wait for room. */
  readonly waiting: number;
  /** What is not known to be stored, except `unknown`: a new list. */
  readonly pending: readonly PendingSum<KeyOf<E, K>>[];
  /** Sums that may have been written, until `drop` or `again` settles them: a new list. */
  readonly unknown: readonly UnknownSum<KeyOf<E, K>>[];
  /** The first error of the newest flush; undefined if it wrote everything. */
  readonly lastError: RowsmithError | undefined;

  /**
   * Adds to a counter, `add(key, 'views')` or `add(key, 'views', 5n)`, or to several counters and
   * entries of one row, `add(key, { views: 1n, perDay: new Map([['2026-11-20', 1n]]) })`. Amounts
   * are int64. Counted when it returns undefined, or else when its promise resolves: with `maxKeys`
   * sums in memory it waits until a flush has made room. Always await it.
   *
   * Throws INVALID_KEY, INVALID_VALUE or INVALID_ARGUMENT, COUNTERS_CLOSED after `close`, and
   * COUNTERS_FULL if amounts for `maxKeys` sums wait already, or unknown sums leave no room; then
   * nothing was counted. A call that waits rejects with the last two.
   */
  add<A extends CounterKeys<E> | Increments<E>>(
    key: KeyOf<E, K>,
    what: A & CheckIncrements<E, A>,
    amount?: A extends string ? bigint : never,
  ): Promise<void> | undefined;

  /**
   * Writes what was added before this call. Never rejects because of storage: the outcome of every
   * sum is in the result. Flushes run one after the other.
   */
  flush(): Promise<FlushResult<KeyOf<E, K>>>;

  /**
   * Rejects further `add`s, and writes everything, also what waits. The result has every sum that
   * was written by this call, that is still pending, and that is of unknown outcome. Calls of `add`
   * for which no room was made reject with COUNTERS_CLOSED. Close again to send what failed again.
   */
  close(): Promise<FlushResult<KeyOf<E, K>>>;

  /** Calls `close`. Rejects with COUNTERS_NOT_WRITTEN unless everything was written. */
  [Symbol.asyncDispose](): Promise<void>;
}
