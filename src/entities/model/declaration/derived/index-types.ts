/** What the compiler knows of indexes: the segments and values of their entries, and faults. */
import type { IndexDeclaration, IndexKey, IndexNames } from './indexes.js';
import type { EntityError, KeyParts, Segments, SegmentValue } from '../keys/key-types.js';
import type { FixedOf } from '../keys/scope-types.js';
import type { Version } from '../version.js';

/** The key of the entries of index X without the segments that a scope gives. */
export type ScopedIndexKey<K extends KeyParts, X> = [FixedOf<K>] extends [never]
  ? IndexKey<K, X>
  : WithoutLeading<IndexKey<K, X>, FixedOf<K>>;

type WithoutLeading<S, F> = S extends readonly [infer H, ...infer R]
  ? H extends F
    ? WithoutLeading<R, F>
    : S
  : readonly [];

type LeadingIn<S, F, L = never> = S extends readonly [infer H, ...infer R]
  ? H extends F
    ? LeadingIn<R, F, L | H>
    : L
  : L;

/** unknown if the entries of index X begin with the segments that a scope gives. */
export type CheckIndexScope<K extends KeyParts, X> = [FixedOf<K>] extends [never]
  ? unknown
  : [Exclude<FixedOf<K>, LeadingIn<IndexKey<K, X>, FixedOf<K>>>] extends [never]
    ? WithoutLeading<IndexKey<K, X>, FixedOf<K>> extends readonly []
      ? EntityError<'the scope gives every segment of the index: use the index of db.repository()'>
      : unknown
    : EntityError<OutsideScope<FixedOf<K>>>;

type OutsideScope<N extends string> =
  `the index does not begin with '${N}', which the scope gives: use the index of db.repository()`;

/** The values of segment N of index X, of a property of type T: absent ones have no entries. */
export type IndexValue<T, K extends KeyParts, X, N> = N extends Segments<K>[number]
  ? T
  : NonNullable<T> | NullOf<X, N>;

/** null if the segment is declared nullable. */
type NullOf<X, N> =
  X extends IndexDeclaration<infer S, string, boolean>
    ? [Extract<S[number], { readonly segment: N; readonly nullable: true }>] extends [never]
      ? never
      : null
    : never;

/** The properties that index X covers. */
export type CoveredNames<X> = X extends { readonly covered: readonly (infer C)[] } ? C : never;

/** unknown if the indexes X fit E, else an EntityError. */
export type CheckIndexes<E, X> = [IndexFault<E, X>] extends [never]
  ? unknown
  : EntityError<IndexFault<E, X>>;

/** What is wrong with the indexes X of E, as text; never if nothing is. */
type IndexFault<E, X> = {
  [N in keyof X & string]: X[N] extends IndexDeclaration<infer S, infer C, boolean>
    ? FaultOf<E, N, IndexNames<S>[number], C>
    : never;
}[keyof X & string];

type FaultOf<E, N extends string, S, C> = [Exclude<S | C, keyof E>] extends [never]
  ? [UnorderedIn<E, S & keyof E>] extends [never]
    ? ManyFault<N, ManyIn<E, C & keyof E>>
    : `index '${N}' names '${UnorderedIn<E, S & keyof E>}', whose values have no order as bytes: name a scalar property`
  : `index '${N}' names '${Exclude<S | C, keyof E> & string}', which is not a property of the class: correct the name`;

/** Properties that cannot be in a key. */
type UnorderedIn<E, P extends keyof E> = P extends unknown
  ? [NonNullable<E[P]>] extends [SegmentValue]
    ? never
    : P & string
  : never;

/** Properties of more than one cell. */
type ManyIn<E, P extends keyof E> = P extends unknown
  ? NonNullable<E[P]> extends ReadonlyMap<unknown, unknown> | readonly Version<unknown>[]
    ? P & string
    : never
  : never;

type ManyFault<N extends string, P extends string> = [P] extends [never]
  ? never
  : `index '${N}' includes '${P}', which has many values: include a plain column`;
