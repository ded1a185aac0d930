/** The repository interface. */
import type {
  CheckPrefix,
  EntityError,
  EntityModel,
  FixedOf,
  KeyParts,
  Leading,
} from '../../model/index.js';
import type { BulkOptions, BulkResult } from './bulk-types.js';
import type {
  AppendKeys,
  CallOptions,
  Changes,
  ColumnKeys,
  CounterKeys,
  DataKeys,
  Init,
  KeyOf,
  VersionOf,
  Whole,
  WriteOptions,
} from './entity-types.js';
import type { PatternMethods } from './pattern-types.js';
import type { QueryRoot } from './query-types.js';

/** Options of `history`. */
export interface HistoryOptions extends CallOptions {
  /** Maximum number of versions, newest first, at least 1; default: all stored versions. */
  readonly limit?: number;
}

/**
 * The rows of one entity class in one database. Each write changes one row atomically; there are no
 * transactions across rows. Errors are RowsmithErrors, except that an aborted call rejects with the
 * signal's reason. A write that rejects left the row unchanged, except after UNAVAILABLE or an
 * abort, when it may have been applied.
 */
export interface KeyedRepository<
  E extends object,
  K extends KeyParts,
  P = unknown,
> extends QueryRoot<E, K> {
  /** The validated model of the entity. */
  readonly model: EntityModel<E>;
  /** The entity's access patterns as methods. Each returns a query. */
  readonly patterns: PatternMethods<E, K, P>;

  /**
   * Creates an instance from property values. Nothing is written. Throws INVALID_KEY if a key
   * segment is missing or invalid, and INVALID_ARGUMENT for an unknown property. Columns are
   * validated when the entity is written.
   */
  create(init: Init<E, FixedOf<K>>): E;

  /** Reads one row by its key. Returns undefined if there is none. */
  get(key: KeyOf<E, K>, options?: CallOptions): Promise<E | undefined>;
  /**
   * Reads many rows by key. The result has one element per key, in the order of the keys: the
   * entity, or undefined if the row does not exist. Equal keys yield the same object.
   */
  getMany(keys: Iterable<KeyOf<E, K>>, options?: CallOptions): Promise<(E | undefined)[]>;
  /** Returns whether the row exists. Values are not read. */
  exists(key: KeyOf<E, K>, options?: CallOptions): Promise<boolean>;
  /**
   * Returns the stored versions of a column, newest first, as far as garbage collection has kept
   * them.
   */
  history<P extends ColumnKeys<E, K> & keyof E>(
    key: KeyOf<E, K>,
    property: P,
    options?: HistoryOptions,
  ): Promise<VersionOf<E, P>[]>;

  /**
   * Replaces the row's mapped columns with the entity, in one atomic mutation: columns that are
   * `undefined` or `null` in the entity are deleted. Counters and columns that the entity does not
   * declare are left unchanged. Takes instances only, so that a partial result cannot delete the
   * columns it lacks. Rejects with INVALID_VALUE, VALIDATION_FAILED or EMPTY_ROW.
   */
  save(entity: Whole<E>, options?: WriteOptions<E, K>): Promise<void>;
  /** Writes a new row. Rejects with ROW_EXISTS if the key already has a row. */
  insert(entity: Whole<E>, options?: CallOptions): Promise<void>;
  /**
   * Writes only the given columns: `null` deletes a column, `undefined` leaves it unchanged.
   * Creates the row if it does not exist; to update existing rows only, pass `{ if: { exists: true
   * } }`.
   */
  patch(key: KeyOf<E, K>, changes: Changes<E, K>, options?: WriteOptions<E, K>): Promise<void>;
  /**
   * Deletes the whole row, including cells that the entity does not declare. Deleting a row that
   * does not exist is not an error.
   */
  delete(key: KeyOf<E, K>, options?: WriteOptions<E, K>): Promise<void>;

  /**
   * Saves any number of entities from an array, a generator or an async iterable, in batches. Each
   * row is atomic, the call is not: rows that fail are listed in the result, and all others are
   * written. Rejects only if the input throws, the signal is aborted, or no row can be written (no
   * such table, database closed).
   */
  saveMany(
    entities: Iterable<Whole<E>> | AsyncIterable<Whole<E>>,
    options?: BulkOptions,
  ): Promise<BulkResult<E>>;
  /** Deletes any number of rows by key. Fails like `saveMany`. */
  deleteMany(
    keys: Iterable<KeyOf<E, K>> | AsyncIterable<KeyOf<E, K>>,
    options?: BulkOptions,
  ): Promise<BulkResult<KeyOf<E, K>>>;
  /**
   * Deletes every row of the entity with these leading segments. Whole values are compared, so
   * `acme` does not delete `acme2`; rows of other entities are kept. Not atomic: rows are deleted
   * one by one, and after a failure the call can be repeated.
   */
  deletePrefix<N extends keyof E = Leading<K> & keyof E>(
    segments: Pick<E, N> & Partial<Pick<E, Leading<K> & keyof E>> & CheckPrefix<K, N>,
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Atomically adds `amount` to a counter: an int64, possibly negative, default 1n; the sum wraps
   * around. Returns the new value, or undefined in an aggregate family, where storage does not
   * report it. Not idempotent: after UNAVAILABLE the amount may or may not have been added.
   */
  increment(
    key: KeyOf<E, K>,
    property: CounterKeys<E>,
    amount?: bigint,
    options?: CallOptions,
  ): Promise<bigint | undefined>;
  /**
   * Atomically appends to a `string` or `bytes` column and returns the new value. Not idempotent:
   * after UNAVAILABLE the value may or may not have been appended.
   */
  append<P extends AppendKeys<E, K> & keyof E>(
    key: KeyOf<E, K>,
    property: P,
    value: NonNullable<E[P]>,
    options?: CallOptions,
  ): Promise<NonNullable<E[P]>>;
}

/**
 * The type of the repository of a class: `RepositoryOf<typeof Cat>`. Use it for parameters and
 * fields that hold a repository.
 */
export type RepositoryOf<C> = C extends (new () => infer E extends object) & {
  readonly key: infer K extends KeyParts;
}
  ? KeyedRepository<E, K, C extends { readonly patterns: infer P } ? P : unknown>
  : never;

/**
 * A repository of entities of type E. With one argument the key is not known, because it belongs to
 * the class and not to its instances: methods without a key work, the others do not compile. Write
 * `RepositoryOf<typeof Cat>` to have them all.
 */
export type Repository<
  E extends object,
  K extends KeyParts = KeyParts,
  P = unknown,
> = number extends K['length'] ? UnkeyedRepository<E> : KeyedRepository<E, K, P>;

type NoKey =
  EntityError<'the key is not known from the instance type: write RepositoryOf<typeof Cat> instead of Repository<Cat>'>;
type KeyUnknown<E> = Pick<E, DataKeys<E>> & NoKey;
/** Assignable to the prefix of every key, and made of nothing that can be passed. */
type Nothing<E> = { readonly [P in keyof E]: never } & EntityError<never>;

/** What a repository offers without knowing the key. Every KeyedRepository of E is one. */
export interface UnkeyedRepository<E extends object> {
  /** The validated model of the entity. */
  readonly model: EntityModel<E>;
  /** As KeyedRepository's. */
  create(init: Init<E>): E;
  /** As KeyedRepository's, without a condition. */
  save(entity: Whole<E>, options?: CallOptions): Promise<void>;
  /** As KeyedRepository's. */
  insert(entity: Whole<E>, options?: CallOptions): Promise<void>;
  /** As KeyedRepository's. */
  saveMany(
    entities: Iterable<Whole<E>> | AsyncIterable<Whole<E>>,
    options?: BulkOptions,
  ): Promise<BulkResult<E>>;
  /** Every row of the entity. */
  scanAll(): UnkeyedScan<E>;
  /** Needs the key: write `RepositoryOf<typeof Cat>`. */
  get(key: KeyUnknown<E>, options?: CallOptions): Promise<E | undefined>;
  /** Needs the key: write `RepositoryOf<typeof Cat>`. */
  exists(key: KeyUnknown<E>, options?: CallOptions): Promise<boolean>;
  /** Needs the key: write `RepositoryOf<typeof Cat>`. */
  patch(key: KeyUnknown<E>, changes: unknown, options?: CallOptions): Promise<void>;
  /** Needs the key: write `RepositoryOf<typeof Cat>`. */
  delete(key: KeyUnknown<E>, options?: CallOptions): Promise<void>;
  /** Needs the key: write `RepositoryOf<typeof Cat>`. */
  prefix(segments: NoKey & Nothing<E>): unknown;
}

/** A full scan of entities whose key is not known. */
export type UnkeyedScan<E> = AsyncIterable<E> & {
  /** The first row, or undefined. */
  first(options?: CallOptions): Promise<E | undefined>;
  /** All rows at once. */
  all(options?: CallOptions): Promise<E[]>;
  /** The rows in arrays of up to 256. */
  pages(options?: CallOptions): AsyncIterableIterator<E[]>;
  /** The number of rows. */
  count(options?: CallOptions): Promise<number>;
};
