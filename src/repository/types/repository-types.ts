/** What a repository offers, as the compiler checks it. */
import type { KeyParts, Leading, CheckPrefix, EntityModel } from '../../model/index.js';
import type { BulkOptions, BulkResult } from './bulk-types.js';
import type {
  AppendKeys,
  CallOptions,
  Changes,
  ColumnKeys,
  CounterKeys,
  Init,
  KeyOf,
  VersionOf,
  WriteOptions,
} from './entity-types.js';
import type { PatternMethods } from './pattern-types.js';
import type { QueryRoot } from './query-types.js';

/** Options of `history`. */
export interface HistoryOptions extends CallOptions {
  /** Most versions, newest first; default all that are stored. */
  readonly limit?: number;
}

/**
 * The rows of one entity class in one database. Reads are blind: nothing is read that was not asked
 * for. Every write of a row is atomic, and nothing spans rows. Errors are RowsmithError; a write
 * that rejects left the row as it was.
 */
export interface Repository<E extends object, K extends KeyParts, P = unknown> extends QueryRoot<
  E,
  K
> {
  /** The checked model of the entity. */
  readonly model: EntityModel<E>;
  /** The access patterns of the entity as methods, each of which gives a query. */
  readonly patterns: PatternMethods<E, K, P>;

  /** An instance from its values; the key segments are checked. Nothing is written. */
  create(init: Init<E>): E;

  /** The entity of a key, or undefined. */
  get(key: KeyOf<E, K>, options?: CallOptions): Promise<E | undefined>;
  /**
   * The entities of many keys, in their order; undefined where there is none. A key given twice
   * gets the same object twice.
   */
  getMany(keys: Iterable<KeyOf<E, K>>, options?: CallOptions): Promise<(E | undefined)[]>;
  /** Whether there is a row. Reads no values. */
  exists(key: KeyOf<E, K>, options?: CallOptions): Promise<boolean>;
  /** Stored versions of a column, newest first, as far as garbage collection kept them. */
  history<P extends ColumnKeys<E, K> & keyof E>(
    key: KeyOf<E, K>,
    property: P,
    options?: HistoryOptions,
  ): Promise<VersionOf<E, P>[]>;

  /**
   * Makes the mapped columns of the row equal to the entity, in one atomic mutation: absent
   * properties are deleted, counters are left alone. Validated first. Takes instances only.
   */
  save(entity: E, options?: WriteOptions<E, K>): Promise<void>;
  /** Writes a new row; ROW_EXISTS when there is one with this key. */
  insert(entity: E, options?: CallOptions): Promise<void>;
  /**
   * Writes only the columns given: undefined is ignored, null deletes. Does not look whether the
   * row exists, unless `if` says so.
   */
  patch(key: KeyOf<E, K>, changes: Changes<E, K>, options?: WriteOptions<E, K>): Promise<void>;
  /** Deletes the row, all of it. Deleting what is not there is no error. */
  delete(key: KeyOf<E, K>, options?: WriteOptions<E, K>): Promise<void>;

  /**
   * Saves any number of entities, from an array, a generator or an async iterable. Not atomic
   * together; the result names each that failed.
   */
  saveMany(entities: Iterable<E> | AsyncIterable<E>, options?: BulkOptions): Promise<BulkResult<E>>;
  /** Deletes any number of rows. */
  deleteMany(
    keys: Iterable<KeyOf<E, K>> | AsyncIterable<KeyOf<E, K>>,
    options?: BulkOptions,
  ): Promise<BulkResult<KeyOf<E, K>>>;
  /**
   * Deletes every row of the entity with these leading segments; closed, so `acme` leaves `acme2`
   * alone, and so are rows of other entities. Not atomic across rows.
   */
  deletePrefix<N extends Leading<K> & keyof E>(
    segments: Pick<E, N> & Partial<Pick<E, Leading<K> & keyof E>> & CheckPrefix<K, N>,
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Adds to a counter, atomically; default 1n. Resolves to the new value, or to undefined in an
   * aggregate family, where storage tells none. Not idempotent.
   */
  increment(
    key: KeyOf<E, K>,
    property: CounterKeys<E>,
    amount?: bigint,
    options?: CallOptions,
  ): Promise<bigint | undefined>;
  /** Appends to a string or bytes column, atomically. Resolves to the new value. Not idempotent. */
  append<P extends AppendKeys<E, K> & keyof E>(
    key: KeyOf<E, K>,
    property: P,
    value: NonNullable<E[P]>,
    options?: CallOptions,
  ): Promise<NonNullable<E[P]>>;
}

/** The repository of an entity class. */
export type RepositoryOf<C> = C extends (new () => infer E extends object) & {
  readonly key: infer K extends KeyParts;
}
  ? Repository<E, K, C extends { readonly patterns: infer P } ? P : unknown>
  : never;
