/**
 * The properties of an entity by what can be done with their values. Each property is classified
 * once, and the arguments of calls look names up: one mapped type for each use would cost the
 * compiler several times as much.
 */

import type { MakerOf } from '../../model/index.js';

type Kind =
  | 'data'
  | 'text'
  | 'numeric'
  | 'bigint'
  | 'time'
  | 'ordered'
  | 'scalar'
  | 'appended'
  | 'incremented'
  | 'map'
  | 'bigintMap'
  | 'timeMap'
  | 'textMap';
type Method = (...args: never[]) => unknown;
type Nullish = null | undefined;

/** Of the type of the value alone: entities share the results. `any` is of every kind. */
type KindOf<V> = 0 extends 1 & V
  ? Kind
  : [V] extends [string | Nullish]
    ? 'data' | 'text' | 'appended' | 'ordered' | 'scalar'
    : [V] extends [number | Nullish]
      ? 'data' | 'numeric' | 'ordered' | 'scalar'
      : [V] extends [bigint | Nullish]
        ? 'data' | 'bigint' | 'numeric' | 'incremented' | 'ordered' | 'scalar'
        : [V] extends [boolean | Nullish]
          ? 'data' | 'scalar'
          : [V] extends [Date | Nullish]
            ? 'data' | 'time' | 'ordered' | 'scalar'
            : [V] extends [Uint8Array | Nullish]
              ? 'data' | 'appended' | 'ordered' | 'scalar'
              : [V] extends [ReadonlyMap<unknown, unknown> | Nullish]
                ? MapKind<V>
                : MixedKind<V>;

type MapKind<V> =
  | 'data'
  | 'map'
  | ([V] extends [ReadonlyMap<unknown, bigint> | Nullish] ? 'bigintMap' | 'incremented' : never)
  | ([V] extends [ReadonlyMap<Date, unknown> | Nullish] ? 'timeMap' : never)
  | ([V] extends [ReadonlyMap<unknown, string | Uint8Array> | Nullish] ? 'textMap' : never);

/** Unions, and values of no kind. */
type MixedKind<V> =
  | ([V] extends [Method] ? never : 'data')
  | ([V] extends [number | bigint | Nullish] ? 'numeric' : never)
  | ([V] extends [string | Uint8Array | Nullish] ? 'appended' : never)
  | ([V] extends [bigint | ReadonlyMap<unknown, bigint> | Nullish] ? 'incremented' : never)
  | ([V] extends [string | number | bigint | Date | Uint8Array | Nullish] ? 'ordered' : never)
  | ([V] extends [string | number | bigint | boolean | Date | Uint8Array | Nullish]
      ? 'scalar'
      : never);

/** For each kind the names of the properties of E. A kind without properties is absent. */
type Kinds<E> = { readonly [P in keyof E & string as KindOf<E[P]> | MakerOf<E[P]>]: P };

// One type for each kind, and no index: `keyof Kinds<E>` would be computed anew for each use.
/** Names of the data properties of E: every property that is not a method. */
export type DataKeys<E> = DataNames<E> & keyof E & string;
type DataNames<E> = Kinds<E> extends { readonly data: infer P extends string } ? P : never;
/** Names of the properties of E that `create` may leave out, although each entity has a value. */
export type GivenKeys<E> =
  Kinds<E> extends { readonly given: infer P extends string } ? P & keyof E : never;
/** Names of the properties of E that only the library sets. */
export type LibraryKeys<E> =
  Kinds<E> extends { readonly library: infer P extends string } ? P : never;
/** Names of the text properties of E. */
export type TextKeys<E> = Kinds<E> extends { readonly text: infer P extends string } ? P : never;
/** Names of the properties of E that can be added up. */
export type NumericKeys<E> =
  Kinds<E> extends { readonly numeric: infer P extends string } ? P : never;
/** Names of the `bigint` properties of E. */
export type BigintKeys<E> =
  Kinds<E> extends { readonly bigint: infer P extends string } ? P : never;
/** Names of the Date properties of E. */
export type TimeKeys<E> = Kinds<E> extends { readonly time: infer P extends string } ? P : never;
/** Names of the properties of E that have a smallest and a largest value. */
export type OrderedKeys<E> =
  Kinds<E> extends { readonly ordered: infer P extends string } ? P : never;
/** Names of the properties of E that rows can be grouped by. */
export type ScalarKeys<E> =
  Kinds<E> extends { readonly scalar: infer P extends string } ? P : never;
/** Names of the text and bytes properties of E. */
export type AppendedKeys<E> =
  Kinds<E> extends { readonly appended: infer P extends string } ? P : never;
/** Names of the properties of E that `increment` may name: counters, and column maps of int64. */
export type IncrementKeys<E> =
  Kinds<E> extends { readonly incremented: infer P extends string } ? P : never;
/** Names of the column maps of E. */
export type MapKeys<E> = Kinds<E> extends { readonly map: infer P extends string } ? P : never;
/** Names of the column maps of E with `bigint` values, which `incrementEntry` accepts. */
export type CounterMapKeys<E> =
  Kinds<E> extends { readonly bigintMap: infer P extends string } ? P : never;
/** Names of the column maps of E with Dates as keys. */
export type SeriesKeys<E> =
  Kinds<E> extends { readonly timeMap: infer P extends string } ? P : never;
/** Names of the column maps of E with text or bytes as values. */
export type TextMapKeys<E> =
  Kinds<E> extends { readonly textMap: infer P extends string } ? P : never;
