/** The repository interface. */
import type {
  CheckIndexScope,
  EntityModel,
  FixedOf,
  Including,
  KeyParts,
  References,
  Version,
} from '../../model/index.js';
import type { BulkOptions, BulkResult, InsertManyOptions } from './bulk-types.js';
import type {
  Appends,
  CheckIncrements,
  Incremented,
  IncrementItem,
  IncrementOptions,
  Increments,
  NewValues,
  PatchItem,
  PatchOptions,
} from './change-types.js';
import type {
  CallOptions,
  Changes,
  ColumnKeys,
  CounterKeys,
  CounterMapHint,
  DataKeys,
  GetOptions,
  EntryKey,
  ExistingOptions,
  EntryValue,
  InitInScope,
  KeyOf,
  PointOptions,
  PointResult,
  Selectable,
  Updatable,
  VersionOf,
  Whole,
  WriteOptions,
} from './entity-types.js';
import type { IndexesOf, IndexHint, IndexQuery } from './index-types.js';
import type { JsonOf } from './json-types.js';
import type { PatternMethods, PatternsOf } from './pattern-types.js';
import type { CounterMapKeys, MapKeys } from './property-kinds.js';
import type { IncludeOptions } from './reference-types.js';
import type { QueryRoot, RowQuery } from './query-types.js';
import type { RollupHint, RollupOf, RollupsOf } from './rollup-types.js';

/** No references. */
type None = Readonly<Record<never, never>>;

// Arrays first: of them the compiler reports the wrong element.
type Items<T> = readonly T[] | Iterable<T> | AsyncIterable<T>;

/** Options of `history`. */
export interface HistoryOptions extends CallOptions {
  /** Maximum number of versions, newest first, at least 1; default: all stored versions. */
  readonly limit?: number;
}

/** Options of `update`. */
export interface UpdateOptions extends CallOptions {
  /** Maximum number of attempts, from 1 to 1,000; default 10. */
  readonly attempts?: number;
}

/**
 * The rows of one entity class in one database. Each write changes one row atomically; there are no
 * transactions across rows. Errors are RowsmithErrors, except that an aborted call rejects with the
 * signal's reason. A write that rejects left the row unchanged, except after UNAVAILABLE or an
 * abort, when it may have been applied. C is the class, with what it declares beside its key.
 */
export interface KeyedRepository<
  E extends object,
  K extends KeyParts,
  C = unknown,
> extends QueryRoot<E, K, RowQuery<E, K>> {
  /** The validated model of the entity. */
  readonly model: EntityModel<E>;
  /** The entity's access patterns as methods. Each returns a query. */
  readonly patterns: PatternMethods<E, K, PatternsOf<C>>;
  /**
   * An index, to be queried as the repository itself: `orders.index('byStatus').prefix({ tenant,
   * status: 'open' })`. Throws INVALID_ARGUMENT for a name that is not declared.
   */
  index<N extends keyof IndexesOf<C> & string>(
    name: (N & CheckIndexScope<K, IndexesOf<C>[N]>) | IndexHint<IndexesOf<C>>,
  ): IndexQuery<E, K, C, N>;
  /**
   * The rows of a rollup, `repository.rollup('hourly').prefix({ device }).since('at', day)`: the
   * groups and values as plain objects. Every write that has ended is in them. Throws
   * INVALID_ARGUMENT for a name that is not declared.
   */
  rollup<N extends keyof RollupsOf<C> & string>(
    name: N | RollupHint<RollupsOf<C>>,
  ): RollupOf<E, C, N, FixedOf<K>>;

  /**
   * Creates an instance from property values, and gives it what it lacks: generated ids, initial
   * values and defaults. Nothing is written. Throws INVALID_KEY if a key segment is missing or
   * invalid, INVALID_ARGUMENT for an unknown property, VALIDATION_FAILED for values that break the
   * rules of their properties, and HOOK_FAILED for a schema that is asynchronous, which only writes
   * await. Types of columns are checked when the entity is written.
   */
  create(init: InitInScope<E, FixedOf<K>>): E;

  /**
   * The entity, or a result of `select` or `keysOnly`, as a value that JSON can hold without loss:
   * the form of `rowsmith export`, which `rowsmith generate` describes as a JSON Schema. Columns
   * without a value are absent. Throws INVALID_KEY and INVALID_VALUE for what could not be saved.
   * `JSON.stringify(entity)` writes the same, and the properties that are not mapped.
   */
  toJSON<R extends { readonly [P in DataKeys<E>]?: E[P] }>(row: R): JsonOf<R>;
  /**
   * The entity of such a value. A property that is absent, or null for a column, is undefined, or
   * its default; an absent id is generated. Counters are set as in a row that was read, and no
   * write stores them. In a scope its segments are set, as by `create`. Throws INVALID_KEY without
   * all segments, OUTSIDE_SCOPE for another value of a segment of the scope, INVALID_VALUE for a
   * value of another type, VALIDATION_FAILED for values that break the rules of their properties,
   * INVALID_ARGUMENT for an unknown property, and HOOK_FAILED for a schema that is asynchronous.
   */
  fromJSON(value: unknown): E;

  /** Reads one row by its key. Returns undefined if there is none. */
  get<const A extends readonly Selectable<E, K>[] = never[], const I extends References = None>(
    key: KeyOf<E, K>,
    options?: GetOptions<A> & IncludeOptions<E, K, A, I>,
  ): Promise<Including<PointResult<E, K, A>, I> | undefined>;
  /** As `get`, but rejects with ROW_NOT_FOUND if there is no row. */
  getOrThrow<
    const A extends readonly Selectable<E, K>[] = never[],
    const I extends References = None,
  >(
    key: KeyOf<E, K>,
    options?: GetOptions<A> & IncludeOptions<E, K, A, I>,
  ): Promise<Including<PointResult<E, K, A>, I>>;
  /**
   * Reads many rows by key. The result has one element per key, in the order of the keys: the
   * entity, or undefined if the row does not exist. Equal keys yield the same object.
   */
  getMany<const A extends readonly Selectable<E, K>[] = never[], const I extends References = None>(
    keys: Iterable<KeyOf<E, K>>,
    options?: GetOptions<A> & IncludeOptions<E, K, A, I>,
  ): Promise<(Including<PointResult<E, K, A>, I> | undefined)[]>;
  /** Returns whether the row exists. Values are not read. */
  exists(key: KeyOf<E, K>, options?: PointOptions): Promise<boolean>;
  /**
   * Returns the stored versions of a column, newest first, as far as garbage collection has kept
   * them.
   */
  history<P extends ColumnKeys<E, K> & keyof E>(
    key: KeyOf<E, K>,
    property: P,
    options?: HistoryOptions,
  ): Promise<VersionOf<E, P>[]>;
  /** As `history`, for one entry of a column map. */
  entryHistory<P extends MapKeys<E> & keyof E>(
    key: KeyOf<E, K>,
    property: P,
    entry: EntryKey<E[P]>,
    options?: HistoryOptions,
  ): Promise<Version<EntryValue<E[P]>>[]>;

  /**
   * Replaces the row's mapped columns with the entity, in one atomic mutation: columns that are
   * `undefined` or `null` in the entity are deleted. Counters and columns that the entity does not
   * declare are left unchanged. Takes instances only, so that a partial result cannot delete the
   * columns it lacks. Rejects with INVALID_VALUE, VALIDATION_FAILED or EMPTY_ROW. With `@Revision`
   * it is conditional on the revision of the entity, which it then renews: REVISION_CONFLICT.
   */
  save(entity: Whole<E>, options?: WriteOptions<E, K>): Promise<void>;
  /** Writes a new row. Rejects with ROW_EXISTS if the key already has a row. */
  insert(entity: Whole<E>, options?: CallOptions): Promise<void>;
  /**
   * Writes only the given columns: `null` deletes a column, `undefined` leaves it unchanged. In the
   * same request, `add` adds to counters of aggregate families, and `remove` deletes first.
   * Creates the row if it does not exist, even without its required columns; to change existing
   * rows only, pass `{ mustExist: true }`. With an entity that has a revision as the key, it is
   * conditional on that. With `add` it is not idempotent: after UNAVAILABLE the amounts may or may
   * not have been added.
   */
  patch(key: KeyOf<E, K>, changes: Changes<E, K>, options?: PatchOptions<E, K>): Promise<void>;
  /**
   * Deletes the whole row, including cells that the entity does not declare. Deleting a row that
   * does not exist is not an error. With an entity that has a revision as the key, it is
   * conditional on that.
   */
  delete(key: KeyOf<E, K>, options?: WriteOptions<E, K>): Promise<void>;

  /**
   * Reads the row, calls `change` with the entity, and saves it on the condition that the row has
   * not changed; otherwise it reads again, after a random delay that grows with each attempt. So no
   * other write is lost. `change` is synchronous, may be called several times, and changes the
   * entity in place; it returns `'unchanged'` to write nothing. Resolves to the entity as it was
   * written, or to undefined if there is no row. Rejects with REVISION_CONFLICT if the row changed
   * during all attempts, and with UNSUPPORTED for an entity without `@Revision`.
   */
  update(
    key: KeyOf<E, K>,
    change: (entity: Updatable<E>) => void | 'unchanged',
    options?: UpdateOptions,
  ): Promise<E | undefined>;

  /**
   * Saves any number of entities from an array, a generator or an async iterable, in batches. Each
   * row is atomic, the call is not: rows that fail are counted in the result, which lists the first
   * 100, `onFailure` gets all, and all other rows are written. Rejects if the input throws, the
   * signal is aborted, or no row can be written (no such table, database closed, a declaration or a
   * table that refuses all of them). Rows with a revision are separate requests.
   */
  saveMany(
    entities: Iterable<Whole<E>> | AsyncIterable<Whole<E>>,
    options?: BulkOptions<E>,
  ): Promise<BulkResult<E>>;
  /**
   * Inserts any number of entities, each only if its key has no row: a CheckAndMutateRow for each,
   * several in flight. Rows that exist fail with ROW_EXISTS. Fails like
   * `saveMany`; a row that failed with UNAVAILABLE may have been inserted.
   */
  insertMany(entities: Items<Whole<E>>, options?: InsertManyOptions<E>): Promise<BulkResult<E>>;
  /**
   * Patches any number of rows in batches: `{ key, changes, add, remove, if }` as in `patch`. An
   * item with a condition is a separate request. Fails like `saveMany`; additions of a row that
   * failed with `mayBeWritten` may have been made.
   */
  patchMany(
    items: Items<PatchItem<E, K>>,
    options?: BulkOptions<PatchItem<E, K>>,
  ): Promise<BulkResult<PatchItem<E, K>>>;
  /**
   * Increments counters of any number of rows: `{ key, changes }` as in `increment(key, changes)`.
   * Each row is a ReadModifyWriteRow, several in flight; where all its counters are in aggregate
   * families, rows are sent in batches. The new values are not returned. Fails like `saveMany`. A
   * row that failed with `mayBeWritten` may have been incremented: repeating it may count twice.
   */
  incrementMany(
    items: Items<IncrementItem<E, K>>,
    options?: BulkOptions<IncrementItem<E, K>>,
  ): Promise<BulkResult<IncrementItem<E, K>>>;
  /** Deletes any number of rows by key. Fails like `saveMany`. */
  deleteMany(
    keys: Iterable<KeyOf<E, K>> | AsyncIterable<KeyOf<E, K>>,
    options?: BulkOptions<KeyOf<E, K>>,
  ): Promise<BulkResult<KeyOf<E, K>>>;
  /**
   * Atomically adds to a counter, `increment(key, 'hits', 2n)`, or to several of one row in one
   * request, `increment(key, { hits: 2n, errors: 1n })`, which can `append` too. Amounts are int64,
   * possibly negative; the amount of one counter is 1n by default. Sums wrap around. Returns the
   * new value or values. A counter of an aggregate family is incremented alone, and its value is
   * undefined: storage does not report it. Not idempotent: after UNAVAILABLE the amounts may or may
   * not have been added.
   */
  increment<A extends CounterKeys<E> | Increments<E>, N extends keyof Appends<E, K> = never>(
    key: KeyOf<E, K>,
    what: A & CheckIncrements<E, A>,
    amount?: A extends string ? bigint : IncrementOptions<E, K, N>,
    options?: ExistingOptions,
  ): Promise<Incremented<E, A, N>>;
  /**
   * Atomically appends to text and bytes, and to entries of column maps of them, in one request:
   * `append(key, { log: 'text' })`. Returns the new values. An absent value is empty. Not
   * idempotent: after UNAVAILABLE the values may or may not have been appended.
   */
  append<N extends keyof Appends<E, K> = never>(
    key: KeyOf<E, K>,
    values: Appends<E, K> & { readonly [_ in N]: unknown },
    options?: ExistingOptions,
  ): Promise<NewValues<E, N>>;
  /**
   * As `increment`, for one entry of a column map of `int64`; an absent entry is 0. The other
   * entries are not read or written.
   */
  incrementEntry<P extends CounterMapKeys<E> & keyof E>(
    key: KeyOf<E, K>,
    property: P | CounterMapHint<E>,
    entry: EntryKey<E[P]>,
    amount?: bigint,
    options?: ExistingOptions,
  ): Promise<bigint | undefined>;
}

/**
 * The type of the repository of a class: `Repository<typeof Cat>`. Use it for parameters and fields
 * that hold a repository.
 */
export type Repository<C extends (new () => object) & { readonly key: KeyParts }> =
  C extends (new () => infer E extends object) & { readonly key: infer K extends KeyParts }
    ? KeyedRepository<E, K, C>
    : never;
