/** The types of queries that read the entries of an index alone. */
import type {
  After,
  CheckPrefix,
  CoveredNames,
  First,
  GroupHint,
  GroupSegments,
  KeyParts,
  Leading,
  Next,
  NextHint,
  Segments,
  UpTo,
} from '../../model/index.js';
import type { Aggregable } from './aggregate-types.js';
import type { CallOptions, DataKeys, NotWhole } from './entity-types.js';
import type { TextSegment } from './index-types.js';
import type { Answer } from './query-types.js';
import type { ConditionsOf } from './where-types.js';

declare const copied: unique symbol;

/** Never constructed: marks copies in the entries of an index, for the compiler only. */
export interface Copied {
  readonly [copied]?: 'a copy in an index, which may be older or newer than the row';
}

/** The result of a covered query: a plain object of copies, which cannot be saved. */
export type Covered<T> = T & Copied & NotWhole;

/** The covered query of index X. C are the segments of its entries and the covered properties. */
export type CoveredQuery<E extends object, K extends KeyParts, X, I extends KeyParts, V> =
  // Without a name of its own, so that messages show the properties.
  { readonly [P in keyof V]: V[P] } & Readonly<
    Pick<E, CoveredNames<X> & keyof E>
  > extends infer C extends object
    ? CoveredRoot<C, I, Covered<C & Pick<E, Segments<K>[number] & keyof E>>>
    : never;

/** Entries of an index in its order. */
export interface CoveredRows<C extends object, I extends KeyParts, R>
  extends Answer<R>, Aggregable<C> {
  limit(rows: number): CoveredRows<C, I, R>;
  reverse(): CoveredRows<C, I, R>;
  signal(signal: AbortSignal): CoveredRows<C, I, R>;
  /** Returns only these properties and the segments of the entries. */
  select<const A extends readonly (keyof C & string)[]>(
    ...properties: A
  ): CoveredRows<C, I, Covered<Pick<C, (A[number] | I[number]) & keyof C>>>;
  /** Returns only the segments of the entries. */
  keysOnly(): CoveredRows<C, I, Covered<Pick<C, I[number] & keyof C>>>;
  /** Only entries that meet all conditions, on covered properties and on segments. */
  where<N extends DataKeys<C>>(conditions: ConditionsOf<C, N>): this;
}

/** One bound on segment S of an index. */
export interface CoveredBounds<C extends object, I extends KeyParts, S extends keyof C, R> {
  /** `from <= segment < to`, compared by value even if the segment is declared descending. */
  between(segment: S | NextHint<S>, from: C[S], to: C[S]): CoveredRows<C, I, R>;
  /** `segment >= from`. */
  since(segment: S | NextHint<S>, from: C[S]): CoveredRows<C, I, R>;
  /** `segment < to`. */
  until(segment: S | NextHint<S>, to: C[S]): CoveredRows<C, I, R>;
  /** Text segments: entries whose value starts with `text`. */
  startsWith(segment: TextSegment<C, S>, text: string): CoveredRows<C, I, R>;
  /** Domain segments: `domain` itself and all its subdomains. */
  subdomains(segment: TextSegment<C, S>, domain: string): CoveredRows<C, I, R>;
}

/** Conditions on segment S of an index, the one after those that have values. */
export interface CoveredSpans<
  C extends object,
  I extends KeyParts,
  S extends keyof C,
  R,
> extends CoveredBounds<C, I, S, R> {
  /** Entries with one of these values, in the order of the index. */
  oneOf(
    segment: S | NextHint<S>,
    values: readonly C[S][],
  ): CoveredRange<C, I, After<I, S> & keyof C, R>;
  /** The first entry, in the order of the query, for each value of the segment. */
  firstPer<N extends GroupSegments<I, S> & keyof C>(
    segment: N | GroupHint<I, S>,
  ): CoveredRows<C, I, R> & CoveredBounds<C, I, After<I, N> & keyof C, R>;
  /** The values of the segments up to this one that have entries, each combination once. */
  distinct<N extends GroupSegments<I, S> & keyof C>(
    segment: N | GroupHint<I, S>,
  ): Answer<Covered<Readonly<Pick<C, UpTo<I, N> & keyof C>>>>;
}

/** A covered query whose leading segments are fixed. */
export interface CoveredRange<C extends object, I extends KeyParts, S extends keyof C, R>
  extends CoveredRows<C, I, R>, CoveredSpans<C, I, S, R> {}

/** Where covered queries start. */
export interface CoveredRoot<C extends object, I extends KeyParts, R> extends CoveredSpans<
  C,
  I,
  First<I> & keyof C,
  R
> {
  /** Reads one entry by all of its segments. Returns undefined if there is none. */
  get(values: Pick<C, I[number] & keyof C>, options?: CallOptions): Promise<R | undefined>;
  /** Entries whose leading segments equal these values. */
  prefix<N extends keyof C = Leading<I> & keyof C>(
    segments: Pick<C, N> & Partial<Pick<C, Leading<I> & keyof C>> & CheckPrefix<I, N>,
  ): CoveredRange<C, I, Next<I, N> & keyof C, R>;
  /** Entries with one of these prefixes, all of the same segments. */
  prefixes<N extends keyof C = Leading<I> & keyof C>(
    list: readonly (Pick<C, N> & Partial<Pick<C, Leading<I> & keyof C>> & CheckPrefix<I, N>)[],
  ): CoveredRange<C, I, Next<I, N> & keyof C, R>;
  /** Every entry. */
  scanAll(): CoveredRange<C, I, First<I> & keyof C, R>;
}
