/** Types of changes of one row: arguments and results of `patch`, `increment` and `append`. */
import type { KeyParts, QueryError } from '../../model/index.js';
import type {
  AppendKeys,
  Changes,
  ColumnKeys,
  ExistingOptions,
  KeyOf,
  WriteOptions,
} from './entity-types.js';
import type { IncrementKeys, TextMapKeys } from './property-kinds.js';

/** Increments by property; increments of the entries of a column map as a Map. */
export type Increments<E> = {
  readonly [P in IncrementKeys<E>]?: NonNullable<E[P & keyof E]> extends ReadonlyMap<
    infer Q,
    bigint
  >
    ? ReadonlyMap<Q, bigint>
    : bigint;
};

/** Additions to text or bytes by property; additions to entries of a column map as a Map. */
export type Appends<E, K extends KeyParts> = {
  readonly [P in AppendKeys<E, K> | TextMapKeys<E>]?: NonNullable<E[P & keyof E]>;
};

/** Options of `patch`: what goes into its request beside the changes. */
export interface PatchOptions<E, K extends KeyParts> extends WriteOptions<E, K>, ExistingOptions {
  /**
   * Amounts for counters of aggregate families, and as a Map for entries of their column maps.
   * Storage combines each with the stored value: an int64 to add (`aggregate('sum')`), or to
   * compare with (`aggregate('min')`, `aggregate('max')`). The new values are not returned.
   */
  readonly add?: Increments<E>;
  /** Columns, column maps and counters to delete. They are deleted before anything is written. */
  readonly remove?: readonly ColumnKeys<E, K>[];
}

/** An item of `patchMany`. An item with a condition is a separate request. */
export interface PatchItem<E, K extends KeyParts> extends Pick<
  PatchOptions<E, K>,
  'add' | 'remove' | 'if' | 'mustExist'
> {
  /** A value for every segment of the key. */
  readonly key: KeyOf<E, K>;
  /** The columns to write, as in `patch`. */
  readonly changes: Changes<E, K>;
}

/** An item of `incrementMany`. */
export interface IncrementItem<E, K extends KeyParts> {
  /** A value for every segment of the key. */
  readonly key: KeyOf<E, K>;
  /** The amounts by property, as in `increment`. */
  readonly changes: Increments<E>;
  /** As in `increment`. Such a row is a separate request. */
  readonly mustExist?: boolean;
}

/** Options of an `increment` of several amounts. */
export interface IncrementOptions<
  E,
  K extends KeyParts,
  N extends keyof Appends<E, K>,
> extends ExistingOptions {
  /** Text or bytes to append in the same request, as in `append`. */
  readonly append?: Appends<E, K> & { readonly [_ in N]: unknown };
}

/** What the compiler shows for names that `increment` does not take. */
export type CheckIncrements<E, A> = A extends string
  ? unknown
  : {
      readonly [
        P in Exclude<keyof A, IncrementKeys<E>> & string
      ]: QueryError<`'${P}' is neither a counter nor a column map of int64`>;
    };

/** The result of `increment`: the new value, or the new values by property. */
export type Incremented<E, A, N> = A extends string
  ? bigint | undefined
  : NewValues<E, keyof A | N>;

/** The new values of the properties N. */
export type NewValues<E, N> = { readonly [P in N & keyof E]: NonNullable<E[P]> };
