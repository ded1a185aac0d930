/** Time series in wide rows. */
import type { Hint } from '../../model/index.js';
import type { Explanation } from '../../query/index.js';
import type { CallOptions, EntryValue } from './entity-types.js';
import type { SeriesKeys } from './property-kinds.js';

/** One entry of a series. */
export interface TimedEntry<V> {
  readonly at: Date;
  readonly value: V;
}

/** Which entries of a series, and in which order. */
export interface SeriesOptions extends CallOptions {
  /** The first time, inclusive. */
  readonly from?: Date;
  /** The end of the times, exclusive. */
  readonly to?: Date;
  /** Maximum number of entries, of at least 1. */
  readonly limit?: number;
  /** The newest entries first; default false: the oldest. */
  readonly newestFirst?: boolean;
}

/**
 * The entries of several rows in order of time. Nothing is read until they are requested, and then
 * only as far as they are consumed: leaving a `for await` loop ends the read.
 */
export interface Series<V> extends AsyncIterable<TimedEntry<V>> {
  /** Returns the first entry, or undefined if there is none. */
  first(): Promise<TimedEntry<V> | undefined>;
  /** Returns all entries in one array. */
  all(): Promise<TimedEntry<V>[]>;
  /** Describes the plan: the range of rows, and the columns of each. Reads nothing. */
  explain(): Explanation;
}

/** The maps that `series` takes after segment S. */
export type SeriesName<E, S extends keyof E, P> = [E[S]] extends [Date]
  ? P | SeriesHint<E>
  : Hint<`series() needs a value for every segment before the time, and '${S & string}' has none`>;

type SeriesHint<E> = [SeriesKeys<E>] extends [never]
  ? Hint<"the entity has no column map with Dates as keys: @ColumnMap(family, type, { qualifiers: 'timestamp' })">
  : never;

/** The type of the values of the map P. */
export type SeriesValue<E, P> = P extends keyof E ? EntryValue<E[P]> : never;
