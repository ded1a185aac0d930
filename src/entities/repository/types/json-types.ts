/** The type of entities as JSON. */
import type { Version } from '../../model/index.js';
import type { DataKeys } from './entity-types.js';

/**
 * The JSON form of an entity E, or of a result of `select`: bigints, dates and bytes are text, a
 * column map is an object by qualifier, and a map in a message is a list of pairs. Numbers may also
 * be 'NaN', 'Infinity', '-Infinity' and '-0'. Columns with a custom codec are base64, which types
 * do not show.
 */
export type JsonOf<E> = {
  [P in keyof Pick<E, DataKeys<E>>]: ColumnJson<E[P]>;
};

type Special = 'NaN' | 'Infinity' | '-Infinity' | '-0';
/** Not `any` and not `unknown`, which `json` columns may have. */
type Untyped<V> = unknown extends V ? true : false;

type ColumnJson<V> =
  Untyped<V> extends true
    ? unknown
    : V extends ReadonlyMap<string, infer T>
      ? { readonly [qualifier: string]: CellJson<T> }
      : V extends readonly Version<infer T>[]
        ? { readonly at: string; readonly value: CellJson<T> }[]
        : CellJson<V>;

type CellJson<V> =
  Untyped<V> extends true
    ? unknown
    : V extends Date
      ? string
      : V extends string | boolean | null | undefined | number | bigint | Uint8Array
        ? ScalarJson<V>
        : MessageJson<V>;

type ScalarJson<V> = V extends bigint | Uint8Array
  ? string
  : V extends number
    ? number extends V
      ? number | Special
      : // The members of an enum are written by name.
        V | string
    : V;

/** A message, or what a `json` column holds. */
type MessageJson<V> = V extends readonly (infer T)[]
  ? FieldJson<T>[]
  : V extends ReadonlyMap<infer K, infer T>
    ? [FieldJson<K>, FieldJson<T>][]
    : V extends (...values: never[]) => unknown
      ? never
      : { [P in keyof Pick<V, DataKeys<V>>]: FieldJson<V[P]> };

/** A timestamp finer than a millisecond keeps its bytes. */
type FieldJson<V> = V extends Date ? string | { readonly '@timestamp': string } : CellJson<V>;
