/** Types over an entity class: what create, patch and select take. */
import type { KeyParts, RowKeyOf, Segments, Version } from '../../model/index.js';
/** Names of the data properties of E: everything but methods. */
export type DataKeys<E> = {
  [P in keyof E]-?: E[P] extends (...args: never[]) => unknown ? never : P;
}[keyof E] &
  string;

/** What `create` takes: every data property, optional where the class says so. */
export type Init<E> = Pick<E, DataKeys<E>>;

/** Names of the properties of E outside its key. */
export type ColumnKeys<E, K extends KeyParts> = Exclude<DataKeys<E>, Segments<K>[number]>;

/**
 * What `patch` takes: columns to write. `undefined` (or absent) leaves a column as it is, `null`
 * deletes it. In a column map, entries are set one by one and `null` deletes an entry; versions are
 * added to those stored.
 */
export type Changes<E, K extends KeyParts> = {
  readonly [P in ColumnKeys<E, K>]?:
    (NonNullable<E[P]> extends Map<infer Q, infer V> ? ReadonlyMap<Q, V | null> : E[P]) | null;
};

/** Names of the bigint properties of E: what can be a counter. */
export type CounterKeys<E> = {
  [P in keyof E]-?: NonNullable<E[P]> extends bigint ? P : never;
}[keyof E] &
  string;

/** Names of the text and bytes columns of E: what can be appended to. */
export type AppendKeys<E, K extends KeyParts> = {
  [P in ColumnKeys<E, K>]-?: NonNullable<E[P]> extends string | Uint8Array ? P : never;
}[ColumnKeys<E, K>];

/**
 * The type of the versions `history` gives for property P: of the value itself, or of the elements
 * of a `@Versions` property.
 */
export type VersionOf<E, P extends keyof E> =
  NonNullable<E[P]> extends readonly Version<infer T>[] ? Version<T> : Version<NonNullable<E[P]>>;

/** A partial result: the key segments and the chosen properties. */
export type Selected<E, K extends KeyParts, P extends keyof E> = Pick<
  E,
  P | (Segments<K>[number] & keyof E)
>;

/** When a write may happen. Given together, both must hold. */
export interface WriteCondition<E, K extends KeyParts> {
  /** The row exists (true) or does not (false). */
  readonly exists?: boolean;
  /**
   * Columns hold exactly these values, compared as stored bytes; null stands for a column without a
   * cell.
   */
  readonly equals?: { readonly [P in ColumnKeys<E, K>]?: E[P] | null };
}

/** Options of every call that goes to storage. */
export interface CallOptions {
  /**
   * Ends the call: it rejects with the signal's reason. A write that was already sent may still
   * happen.
   */
  readonly signal?: AbortSignal;
}

/** Options of writes. */
export interface WriteOptions<E, K extends KeyParts> extends CallOptions {
  /**
   * Write only when this holds, checked and written in one atomic step; else CONDITION_FAILED and
   * nothing is written.
   */
  readonly if?: WriteCondition<E, K>;
}

/** Key of one row of E. */
export type KeyOf<E, K extends KeyParts> = Readonly<RowKeyOf<E, K>>;
