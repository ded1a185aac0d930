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

/** Index X of entity E with key K. */
export type IndexQueryOf<E extends object, K extends KeyParts, X> =
  ScopedIndexKey<K, X> extends infer I extends KeyParts
    ? // Without a name of its own, so that messages show the properties.
      {
        readonly [N in I[number] & keyof E]: IndexValue<E[N], K, X, N>;
      } extends infer V
      ? { readonly [P in keyof V]: V[P] } & Readonly<
          Pick<E, CoveredNames<X> & keyof E>
        > extends infer C extends object
        ? IndexQuery<E, K, I, V, C>
        : never
      : never
    : never;

/**
 * An index, to be queried by its segments, and then by the segments of the row key. Results are
 * rows as they are: each is read and compared with its entry. If the values of a row change during
 * the query, the row may be missed, or be found with both. I are the segments of the index and V
 * their values; C are these and the covered properties.
 */
export interface IndexQuery<
  E extends object,
  K extends KeyParts,
  I extends KeyParts,
  V,
  C extends object,
> extends DerivedQuery<V, I, SelectQuery<E, K> & Deletable<KeyOf<E, K>>, E, 'index'> {
  /**
   * Reads the entries alone, without their rows: the segments of the index and of the row key, and
   * the properties of `including()`. Faster, but possibly older or newer than the rows.
   */
  covered(): CoveredQuery<C, I, Covered<C & Pick<E, Segments<K>[number] & keyof E>>>;
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
