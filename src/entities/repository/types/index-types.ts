/** The types of queries of an index. */
import type {
  CoveredNames,
  Hint,
  IndexValue,
  KeyParts,
  ScopedIndexKey,
  Segments,
} from '../../model/index.js';
import type { KeyOf, NotWhole } from './entity-types.js';
import type { Deletable, DerivedQuery, SelectQuery } from './query-types.js';

/** The indexes that class C declares. */
export type IndexesOf<C> = C extends { readonly indexes?: infer X } ? X : unknown;
type IndexOf<C, N> = IndexesOf<C>[N & keyof IndexesOf<C>];

/** The segments of index N of class C. */
type KeyOfIndex<K extends KeyParts, C, N> =
  ScopedIndexKey<K, IndexOf<C, N>> extends infer I extends KeyParts ? I : never;

/** The values of the segments of index N of class C. */
type IndexValues<E, K extends KeyParts, C, N> = {
  readonly [P in KeyOfIndex<K, C, N>[number] & keyof E]: IndexValue<E[P], K, IndexOf<C, N>, P>;
};
type CoveredValues<E, K extends KeyParts, C, N> = IndexValues<E, K, C, N> &
  Readonly<Pick<E, CoveredNames<IndexOf<C, N>> & keyof E>>;

/**
 * Index N of class C, to be queried by its segments, and then by the segments of the row key.
 * Results are rows as they are: each is read and compared with its entry. If the values of a row
 * change during the query, the row may be missed, or be found with both.
 */
export interface IndexQuery<E extends object, K extends KeyParts, C, N> extends DerivedQuery<
  IndexValues<E, K, C, N>,
  KeyOfIndex<K, C, N>,
  SelectQuery<E, K> & Deletable<KeyOf<E, K>>,
  E,
  'index'
> {
  /**
   * Reads the entries alone, without their rows: the segments of the index and of the row key, and
   * the properties of `including()`. Faster, but possibly older or newer than the rows.
   */
  covered(): CoveredQuery<
    CoveredValues<E, K, C, N>,
    KeyOfIndex<K, C, N>,
    Covered<CoveredValues<E, K, C, N> & Pick<E, Segments<K>[number] & keyof E>>
  >;
}

/** The entries of an index. */
type CoveredQuery<C extends object, I extends KeyParts, R> = DerivedQuery<
  C,
  I,
  SelectQuery<C, I, R, keyof C & string>,
  R
>;

/**
 * The result of a covered query: a plain object of copies, which may be older or newer than the
 * row, and cannot be saved.
 */
export type Covered<T> = T & NotWhole;

/** What the compiler shows for an entity without indexes. */
export type IndexHint<X> = [keyof X] extends [never]
  ? Hint<'the entity has no index: declare static readonly indexes = indexes({ ... }) beside its key'>
  : never;
