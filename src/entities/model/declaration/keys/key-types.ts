/**
 * What the compiler checks about row keys and prefixes. The messages it shows are the arguments of
 * EntityError and QueryError; each says what is wrong and what to write.
 */
import type { KeyLiteral } from '../declaration.js';

/** The parts of a key that `rowKey` takes: names of segments and literals. */
export type KeyParts = readonly (string | KeyLiteral)[];

/** A value of a segment; null if the segment is declared nullable. */
export type SegmentValue = string | number | bigint | boolean | Date | Uint8Array | null;

declare const problem: unique symbol;
/** Never constructed. M is the message that the compiler shows for a wrong declaration. */
export interface EntityError<M extends string> {
  readonly [problem]: M;
}
/** Never constructed. M is the message that the compiler shows for a wrong query. */
export interface QueryError<M extends string> {
  readonly [problem]: M;
}

/** The segment names of K in key order, without literals. */
export type Segments<K extends KeyParts> = K extends readonly [infer H, ...infer R extends KeyParts]
  ? H extends string
    ? readonly [H, ...Segments<R>]
    : Segments<R>
  : readonly [];

type Names = readonly string[];

/** The names in quotes, for a message: `'tenant', 'device', 'at'`. */
export type NameList<S extends Names> = S extends readonly [
  infer H extends string,
  ...infer R extends Names,
]
  ? R extends readonly []
    ? `'${H}'`
    : `'${H}', ${NameList<R>}`
  : '';

type NextOf<S extends Names, N> = S extends readonly [
  infer H extends string,
  ...infer R extends Names,
]
  ? H extends N
    ? NextOf<R, N>
    : H
  : never;
/** The segments of S before the last one that is in N. */
type BeforeOf<S extends Names, N, Acc extends string = never> = S extends readonly [
  infer H extends string,
  ...infer R extends Names,
]
  ? [N & R[number]] extends [never]
    ? Acc
    : BeforeOf<R, N, Acc | H>
  : Acc;
type LastOf<S extends Names> = S extends readonly [...Names, infer L extends string] ? L : never;

/** The first segment of K. */
export type First<K extends KeyParts> = Segments<K>[0];
/** The first segment of K that is not in N. */
export type Next<K extends KeyParts, N> = NextOf<Segments<K>, N>;
/** The segments that a prefix may fix: all but the last. */
export type Leading<K extends KeyParts> = Exclude<Segments<K>[number], LastOf<Segments<K>>>;
/** The segments that a prefix of the segments N skips; never if it has no gap. */
export type Gaps<K extends KeyParts, N> = Exclude<BeforeOf<Segments<K>, N>, N>;

/** The segment of K after N; never if N is the last. */
export type After<K extends KeyParts, N> = AfterIn<Segments<K>, N>;
type AfterIn<S extends Names, N> = S extends readonly [infer H, ...infer R extends Names]
  ? H extends N
    ? R extends readonly [infer X, ...Names]
      ? X
      : never
    : AfterIn<R, N>
  : never;

/** The segments of K up to N, inclusive. */
export type UpTo<K extends KeyParts, N> = N | PrecedingIn<Segments<K>, N>;
type PrecedingIn<S extends Names, N, Acc = never> = S extends readonly [
  infer H,
  ...infer R extends Names,
]
  ? H extends N
    ? Acc
    : PrecedingIn<R, N, Acc | H>
  : never;

/**
 * The segments by which rows can be grouped if S is the first one without a value: the segment
 * before S, and all segments after it but the last.
 */
export type GroupSegments<K extends KeyParts, S> = GroupsIn<Segments<K>, S>;
type GroupsIn<T extends Names, S, Previous = never> = T extends readonly [
  infer H,
  ...infer R extends Names,
]
  ? H extends S
    ? Previous | InitOf<T>[number]
    : GroupsIn<R, S, H>
  : never;
type InitOf<T extends Names> = T extends readonly [...infer I extends Names, string]
  ? I
  : readonly [];

declare const hint: unique symbol;
/** Never constructed. M is what the compiler shows for a segment that cannot be used here. */
export interface Hint<M extends string> {
  readonly [hint]: M;
}

/** What the compiler says if another segment than S is named. */
export type NextHint<S> = [S] extends [never]
  ? Hint<'every segment of the key has its value: no bound is left'>
  : Hint<`the segment after those given is '${S & string}': give its value too, to bound a later one`>;

/** What the compiler says if rows cannot be grouped by a segment. */
export type GroupHint<K extends KeyParts, S> = [GroupSegments<K, S>] extends [never]
  ? Hint<'only the last segment is left, and every row has its own'>
  : Hint<'rows are grouped by a segment before the last'>;

/** unknown if the segments N are a prefix of K without gaps, else a QueryError. */
export type CheckPrefix<K extends KeyParts, N> = CheckRun<K, N, First<K>, RunOf<Segments<K>, N>>;

/** The segments with which S begins, as far as they are in N; never all of them. */
type RunOf<S extends Names, N, Run = never> = S extends readonly [
  infer H,
  infer X extends string,
  ...infer R extends Names,
]
  ? H extends N
    ? RunOf<readonly [X, ...R], N, Run | H>
    : Run
  : Run;

// One test, and one reference if it fails: while N is inferred, the compiler looks into both
// results of every test that it meets.
type CheckRun<K extends KeyParts, N, H, Run> = [H, N] extends [N, Run]
  ? unknown
  : QueryError<PrefixFault<K, N, Segments<K>>>;

type PrefixFault<K extends KeyParts, N, S extends Names> = [N] extends [never]
  ? EmptyPrefixFault<S[0]>
  : [N] extends [S[number]]
    ? LastOf<S> extends N
      ? LastSegmentFault<S>
      : `prefix() takes leading segments without gaps: add '${Gaps<K, N>}'`
    : NoPrefixFault<S>;

/** The segments of a whole key, or its last ones. */
type LastSegmentFault<S extends Names> = S extends readonly [string]
  ? NoPrefixFault<S>
  : `a prefix leaves the last segment out: bound '${LastOf<S>}' with since() or between(), or read one row with get()`;

/** Whole keys and entities have more: only literals are checked for further properties. */
type NoPrefixFault<S extends Names> = S extends readonly [...infer R extends Names, string]
  ? R extends readonly []
    ? `a key of one segment has no prefix: read one row with get()`
    : `prefix() takes leading segments and nothing else: ${NameList<R>}`
  : never;
type EmptyPrefixFault<N extends string> =
  `prefix() needs the leading segment '${N}'; to read every row call scanAll()`;

/** The properties of E that are its row key, with their types. */
export type RowKeyOf<E, K extends KeyParts> = Pick<E, Segments<K>[number] & keyof E>;

/** What is wrong with row key K on class E, as text; never if nothing is. */
export type KeyFault<E, K extends KeyParts> = string extends K[number]
  ? `the class needs a row key: write static readonly key = rowKey('a', 'b', ...)`
  : SegmentsFault<E, Segments<K>>;

type SegmentsFault<E, S extends Names> = S extends readonly []
  ? `the row key has no segment: add the name of a property to rowKey(...)`
  : [S[number]] extends [keyof E]
    ? SegmentTypesFault<E, S, E[S[number] & keyof E]>
    : SegmentFaults<E, S>[number];

/** V is of all segments together: one test, and one for each only to say which is wrong. */
type SegmentTypesFault<E, S extends Names, V> = undefined extends V
  ? SegmentFaults<E, S>[number]
  : [V] extends [SegmentValue]
    ? never
    : SegmentFaults<E, S>[number];

type SegmentFaults<E, S extends Names> = {
  [I in keyof S]: S[I] extends keyof E
    ? IsOptional<E, S[I]> extends true
      ? `row key segment '${S[I]}' must not be optional: write '${S[I]}!:' instead of '${S[I]}?:'`
      : E[S[I]] extends SegmentValue
        ? never
        : SegmentTypeFault<S[I]>
    : MissingPropertyFault<S[I]>;
};

/**
 * Whether property N may be undefined. Without strictNullChecks undefined is assignable to every
 * type, and only the `?` of a property tells.
 */
type IsOptional<E, N extends keyof E> = undefined extends E[N]
  ? undefined extends string
    ? object extends Pick<E, N>
      ? true
      : false
    : true
  : false;
type SegmentTypeFault<N extends string> =
  `row key segment '${N}' must be a string, number, bigint, boolean, Date or Uint8Array`;
type MissingPropertyFault<N extends string> =
  `row key segment '${N}' is not a property of the class: declare it with @Segment, or correct the name`;

/**
 * The static methods of an entity class that writes and reads call. With undefined, a function that
 * returns a promise is not assignable. An inherited hook takes the base class, from which E must
 * not be inferred.
 */
export interface ClassHooks<E> {
  /** Called with an entity before it is written whole; may change it. */
  beforeWrite?(entity: NoInfer<E>): void | undefined;
  /** Called with each whole entity that was read. */
  afterRead?(entity: NoInfer<E>): void | undefined;
}

/** What a class declares beside its properties. */
export interface EntityStatics<K extends KeyParts, P, X> {
  readonly key: K;
  readonly patterns?: P;
  readonly indexes?: X;
}

/**
 * A class that can be an entity: constructed without arguments, with a static key and, optionally,
 * access patterns P, indexes X and hooks. Hooks are synchronous: `beforeWrite` runs before an
 * entity is written whole and may change it, `afterRead` on each entity that was read.
 */
export type EntityClass<
  E extends object = object,
  K extends KeyParts = KeyParts,
  P = unknown,
  X = unknown,
> = (new () => E) & EntityStatics<K, P, X> & ClassHooks<E>;
