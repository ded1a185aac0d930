/** Types derived from an entity class E and its key K: the arguments of reads and writes. */
import type { FixedOf, Hint, KeyParts, RowKeyOf, Segments, Version } from '../../model/index.js';
import type { Entries, EntryForm } from '../../query/index.js';
import type {
  BigintKeys,
  AppendedKeys,
  MapKeys,
  CounterMapKeys,
  DataKeys,
  GivenKeys,
  LibraryKeys,
} from './property-kinds.js';

export type { DataKeys } from './property-kinds.js';

/**
 * Argument of `create`: the data properties of E, optional where the class declares them so or as
 * `Generated`, and without properties that only the library sets.
 */
export type Init<E> = { [P in keyof InitOf<E, DataKeys<E>>]: InitOf<E, DataKeys<E>>[P] };

/** The same without the segments that a scope has `Given`. */
export type InitInScope<E, Given> = [Given] extends [never]
  ? Init<E>
  : InitOf<E, Exclude<DataKeys<E>, Given>>;

type InitOf<E, P extends keyof E> = [GivenKeys<E> | LibraryKeys<E>] extends [never]
  ? Pick<E, P>
  : Pick<E, Exclude<P, GivenKeys<E> | LibraryKeys<E>>> & Partial<Pick<E, P & GivenKeys<E>>>;

/** Argument of the function of `update`: what only the library sets is read-only. */
export type Updatable<E> = [LibraryKeys<E>] extends [never]
  ? E
  : Omit<E, LibraryKeys<E>> & Readonly<Pick<E, LibraryKeys<E> & keyof E>>;

/** Names of the data properties of E without the segments that a scope gives. */
export type ReadKeys<E, K extends KeyParts> = [FixedOf<K>] extends [never]
  ? DataKeys<E>
  : Exclude<DataKeys<E>, FixedOf<K>>;

/** Names of the data properties of E that are not key segments. */
export type ColumnKeys<E, K extends KeyParts> = Exclude<
  DataKeys<E>,
  Segments<K>[number] | FixedOf<K>
>;

/**
 * Argument of `patch`: the columns to write. `null` deletes a column; an absent or `undefined`
 * property leaves it unchanged. In a column map, entries are set one by one and a `null` entry is
 * deleted. Versions are added to the stored ones.
 */
export type Changes<E, K extends KeyParts> = {
  readonly [P in Exclude<ColumnKeys<E, K>, LibraryKeys<E>>]?:
    | (NonNullable<E[P]> extends ReadonlyMap<infer Q, infer V> ? ReadonlyMap<Q, V | null> : E[P])
    | null;
};

/** Type of the keys of a column map; never for other types. */
export type EntryKey<M> = NonNullable<M> extends ReadonlyMap<infer Q, unknown> ? Q : never;

/** Type of the values of a column map; never for other types. */
export type EntryValue<M> = NonNullable<M> extends ReadonlyMap<unknown, infer V> ? V : never;

/** What the compiler shows if E has none. */
export type CounterMapHint<E> = [CounterMapKeys<E>] extends [never]
  ? Hint<"the entity has no column map of bigint: declare @ColumnMap(family, 'int64')">
  : never;

/** The parts of the column maps of E that `select` takes. */
export type EntriesIn<E> = {
  [P in MapKeys<E>]: Entries<P, EntryKey<E[P & keyof E]>>;
}[MapKeys<E>];

/** Names of the `bigint` properties of E, which `increment` accepts. */
export type CounterKeys<E> = BigintKeys<E>;

/** Names of the `string` and `Uint8Array` columns of E, which `append` accepts. */
export type AppendKeys<E, K extends KeyParts> = Exclude<
  AppendedKeys<E>,
  Segments<K>[number] | FixedOf<K>
>;

/**
 * Type of the versions that `history` returns for property P: versions of its value, or of one
 * element if P is a `@Versions` property.
 */
export type VersionOf<E, P extends keyof E> =
  NonNullable<E[P]> extends readonly Version<infer T>[] ? Version<T> : Version<NonNullable<E[P]>>;

declare const unread: unique symbol;

/** What the compiler shows for a result of `select` where a whole entity is needed. */
type UnreadColumns =
  'a result of select() lacks columns, which saving it would delete: write patch(), or read it without select()';

/**
 * Result row of `select`: the key segments and the selected properties, as a plain object. Its mark
 * exists for the compiler only.
 */
export type Selected<E, K extends KeyParts, P extends keyof E> = Pick<
  E,
  P | (Segments<K>[number] & keyof E)
> &
  NotWhole;

/** Never constructed: marks objects that may lack what is stored, for the compiler only. */
export interface NotWhole {
  readonly [unread]?: UnreadColumns;
}

/** The properties in the result of a `select` of A. */
type SelectedName<A> =
  A extends Entries<infer P, unknown, infer F> ? (F extends 'entries' ? P : never) : A;

/** What `entryKeysOf` and `entryCountOf` read: an array of keys, and a number. */
type SelectedParts<E, A> = {
  readonly [
    X in A as X extends Entries<infer P, unknown, Exclude<EntryForm, 'entries'>> ? P : never
  ]: X extends Entries<infer P, unknown, infer F>
    ? F extends 'count'
      ? number
      : readonly EntryKey<E[P & keyof E]>[]
    : never;
};

/** Result row of a `select` of the names and parts of maps A. */
export type SelectedOf<E, K extends KeyParts, A> = [A] extends [string]
  ? Selected<E, K, A & keyof E>
  : Selected<E, K, SelectedName<A> & keyof E> & SelectedParts<E, Exclude<A, string>>;

/** An entity to save: not a result of `select`, even if it has the type of one. */
export type Whole<E> = E & { readonly [unread]?: never };

/**
 * Precondition of a write, checked atomically with it. At least one of the two is required; if both
 * are given, both must hold.
 */
export interface WriteCondition<E, K extends KeyParts> {
  /** `true`: the row must have a cell, of any column; `false`: it must have none. */
  readonly exists?: boolean;
  /**
   * The newest value of each column must equal the given one, compared as stored bytes. `null`
   * requires that the column has no cell, and `undefined` is refused; the default of a column also
   * equals a column of an existing row that has no cell, since it is what is read. Of a
   * `@ColumnMap`, the entries of the given map are compared, and no others; of `@Versions`, all
   * versions. Counters of aggregate families cannot be compared.
   */
  readonly equals?: { readonly [P in ColumnKeys<E, K>]?: NonNullable<E[P]> | null };
}

/** Options of every call that accesses storage. */
export interface CallOptions {
  /**
   * Aborts the call, which then rejects with the signal's reason rather than a RowsmithError. A
   * write that was already sent may still be applied.
   */
  readonly signal?: AbortSignal;
}

/** Options of calls that change single columns. */
export interface ExistingOptions extends CallOptions {
  /**
   * Whether the row must exist: otherwise nothing is written and the call rejects with
   * CONDITION_FAILED. Default: `mustExist` of the entity, false. It makes the change a conditional
   * write: one request for each row, and on a live table single-cluster routing in the app profile.
   * Increments and appends of plain families cannot be conditional, and are refused with it.
   */
  readonly mustExist?: boolean;
}

/** Options of writes that take a condition. */
export interface WriteOptions<E, K extends KeyParts> extends CallOptions {
  /**
   * Writes only if the condition holds, in one atomic step. Otherwise nothing is written and the
   * call rejects with CONDITION_FAILED.
   */
  readonly if?: WriteCondition<E, K>;
}

/** Key of a row of E: a value for every segment. */
export type KeyOf<E, K extends KeyParts> = Readonly<RowKeyOf<E, K>>;

/** Options of reads by key. */
export interface PointOptions extends CallOptions {
  /** As `asOf` of queries: reads only cells up to and including this time, since 1970. */
  readonly asOf?: Date;
}

/** Options of `get` and `getMany`. The results cannot be saved: they may lack what is stored. */
export interface GetOptions<A> extends PointOptions {
  /**
   * Reads only these properties, or parts of column maps. The results are plain objects, also for
   * rows without a value of them.
   */
  readonly select?: A;
  /** Maximum number of versions in each `@Versions` property, the newest; at least 1. */
  readonly versions?: number;
}

/** What `get` returns for the properties A of its `select`; never[] without one. */
export type PointResult<E, K extends KeyParts, A extends readonly unknown[]> = A extends never[]
  ? E
  : SelectedOf<E, K, A[number]>;

/** What `select` takes: names of properties, and parts of column maps. */
export type Selectable<E, K extends KeyParts> = ReadKeys<E, K> | EntriesIn<E>;
