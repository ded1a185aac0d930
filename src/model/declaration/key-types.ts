/**
 * Compile-time side of row keys: which prefixes, ranges and values a key allows. Error texts ride
 * on phantom types.
 */
import type { KeyLiteral } from './declaration.js';

/** Parts of a key as `rowKey` takes them: names of segments and literals. */
export type KeyParts = readonly (string | KeyLiteral)[];

/** A value a segment can hold; null where the segment is declared nullable. */
export type SegmentValue = string | number | bigint | boolean | Date | Uint8Array | null;

declare const problem: unique symbol;
/** Never constructed; its argument is the message the compiler prints for a wrong declaration. */
export interface EntityError<M extends string> {
  readonly [problem]: M;
}
/** Never constructed; its argument is the message the compiler prints for a wrong query. */
export interface QueryError<M extends string> {
  readonly [problem]: M;
}

/** The segment names of K in order, literals left out. */
export type Segments<K extends KeyParts> = K extends readonly [infer H, ...infer R extends KeyParts]
  ? H extends string
    ? readonly [H, ...Segments<R>]
    : Segments<R>
  : readonly [];

type Names = readonly string[];
type NextOf<S extends Names, N> = S extends readonly [
  infer H extends string,
  ...infer R extends Names,
]
  ? H extends N
    ? NextOf<R, N>
    : H
  : never;
/** The segments of S up to the last one in N. */
export type BeforeOf<S extends Names, N, Acc extends string = never> = S extends readonly [
  infer H extends string,
  ...infer R extends Names,
]
  ? [Extract<N, R[number]>] extends [never]
    ? Acc
    : BeforeOf<R, N, Acc | H>
  : Acc;
type LastOf<S extends Names> = S extends readonly [...Names, infer L extends string] ? L : never;

/** The first segment of K. */
export type First<K extends KeyParts> = Segments<K>[0];
/** The first segment of K that is not in N. */
export type Next<K extends KeyParts, N> = NextOf<Segments<K>, N>;
/** Segments a prefix may hold: all but the last. */
export type Leading<K extends KeyParts> = Exclude<Segments<K>[number], LastOf<Segments<K>>>;
/** unknown when N is a prefix of K without gaps, else the complaint. */
export type CheckPrefix<K extends KeyParts, N> = [N] extends [never]
  ? QueryError<`prefix() needs the leading segment '${First<K> & string}'; to read every row call scanAll()`>
  : [Exclude<BeforeOf<Segments<K>, N>, N>] extends [never]
    ? unknown
    : QueryError<`prefix() takes leading segments without gaps: add '${Exclude<BeforeOf<Segments<K>, N>, N>}'`>;

/** The properties of E that make its key, with their types. */
export type RowKeyOf<E, K extends KeyParts> = Pick<E, Segments<K>[number] & keyof E>;

/** What is wrong with row key K on class E, as text; never when nothing is. */
export type KeyFault<E, K extends KeyParts> =
  string extends Extract<K[number], string>
    ? `declare the key with rowKey('a', 'b', ...) so its order is known to the compiler`
    : [Segments<K>[number]] extends [never]
      ? `the key needs at least one segment besides literals`
      : SegmentFaults<E, Segments<K>>[number];

type SegmentFaults<E, S extends Names> = {
  [I in keyof S]: S[I] extends keyof E
    ? undefined extends E[S[I]]
      ? `row-key segment '${S[I]}' must not be optional`
      : E[S[I]] extends SegmentValue
        ? never
        : `row-key segment '${S[I]}' must be a string, number, bigint, boolean, Date or Uint8Array`
    : `row-key segment '${S[I]}' is not a property of the class`;
};

/**
 * A class that can be an entity: made without arguments, with a static key, and access patterns P
 * where it has some.
 */
export type EntityClass<
  E extends object = object,
  K extends KeyParts = KeyParts,
  P = unknown,
> = (new () => E) & { readonly key: K; readonly patterns?: P };
