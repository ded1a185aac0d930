/** Types of several changes of one row: the arguments and results of `mutate` and `increment`. */
import type { KeyParts, QueryError } from '../../model/index.js';
import type { RowChange } from './bulk-types.js';
import type { AppendKeys, Changes, ColumnKeys, KeyOf, WriteCondition } from './entity-types.js';
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

/** Changes of cells, which one request holds whatever their number. */
export interface CellChanges<E, K extends KeyParts> {
  /** As in `patch`: `null` deletes, and column maps are set entry by entry. */
  readonly set?: Changes<E, K>;
  /** Columns, column maps and counters to delete. They are deleted before anything is written. */
  readonly remove?: readonly ColumnKeys<E, K>[];
  /**
   * Amounts for counters of aggregate families, and as a Map for entries of their column maps.
   * Storage combines each with the stored value: an int64 to add (`aggregate('sum')`), or to
   * compare with (`aggregate('min')`, `aggregate('max')`). The new values are not returned.
   */
  readonly add?: Increments<E>;
}

/**
 * Changes of one row. One request holds `set`, `remove` and `add` together (Bigtable's MutateRow),
 * or `increment` and `append` together (ReadModifyWriteRow).
 */
export interface RowChanges<E, K extends KeyParts> extends CellChanges<E, K> {
  /** Amounts to add to counters of other families, and to entries of column maps of int64. */
  readonly increment?: Increments<E>;
  /** Text or bytes to append, to columns and to entries of column maps. */
  readonly append?: Appends<E, K>;
}

type CellChange = 'set' | 'remove' | 'add';
type ReadModifyChange = 'increment' | 'append';
/** Names of changes. */
export type ChangeName = CellChange | ReadModifyChange;

type Instead = "make two calls, or use 'add' for counters of aggregate families";

/** What the compiler shows for changes that Bigtable cannot make in one request. */
export type CheckMutation<N> = [N & CellChange] extends [never]
  ? unknown
  : [N & ReadModifyChange] extends [never]
    ? unknown
    : QueryError<`'${N & ReadModifyChange}' cannot go in one request with '${N & CellChange}': ${Instead}`>;

/** The result of `mutate`: the values after increments and appends; nothing for other changes. */
export type Mutated<E, N, P> = [N & ReadModifyChange] extends [never]
  ? void
  : { readonly [Q in P & keyof E]: NonNullable<E[Q]> };

/** What the compiler shows for names that `increment` does not take. */
export type CheckIncrements<E, A> = A extends string
  ? unknown
  : {
      readonly [
        P in Exclude<keyof A, IncrementKeys<E>> & string
      ]: QueryError<`'${P}' is neither a counter nor a column map of int64`>;
    };

/** The result of `increment`: the new value, or the new values by property. */
export type Incremented<E, A> = A extends string
  ? bigint | undefined
  : { readonly [P in keyof A & keyof E]: NonNullable<E[P]> };

/** An item of `patchMany` or `mutateMany`, which may have a condition. */
export interface ConditionalChange<E, K extends KeyParts, C> extends RowChange<KeyOf<E, K>, C> {
  /** Changes the row only if the condition holds. Such a row is a separate request. */
  readonly if?: WriteCondition<E, K>;
}

type OneByOne =
  QueryError<'mutateMany() changes rows by set, remove and add: use incrementMany(), or mutate() for each row'>;

/** The changes of an item of `mutateMany`. */
export interface ManyCellChanges<E, K extends KeyParts> extends CellChanges<E, K> {
  readonly increment?: OneByOne;
  readonly append?: OneByOne;
}
