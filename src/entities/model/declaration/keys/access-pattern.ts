/**
 * Access patterns: the named queries of an entity. They are declared beside the key, because
 * decorators cannot change the type of a class.
 */
import type { Gaps, KeyParts, Leading, NameList, Next, Segments } from './key-types.js';

/** A named query. Its values are passed with each call; everything else is declared here. */
export interface AccessPattern {
  /** Leading segments that a call passes values for: without gaps, not all of them. */
  readonly prefix?: readonly string[];
  /**
   * The segment after the prefix, for which a call passes `{ from, to }`: `from <= segment < to`.
   * At most one of `between`, `since`, `until`, `startsWith` and `subdomains` is given.
   */
  readonly between?: string;
  /** The segment after the prefix, for which a call passes the lower bound, inclusive. */
  readonly since?: string;
  /** The segment after the prefix, for which a call passes the upper bound, exclusive. */
  readonly until?: string;
  /** The text segment after the prefix, for which a call passes the beginning of its value. */
  readonly startsWith?: string;
  /** The domain segment after the prefix, for which a call passes the parent domain, inclusive. */
  readonly subdomains?: string;
  /** Reads every row of the entity. A full scan must be requested explicitly. */
  readonly scanAll?: true;
  /** Descending key order. */
  readonly reverse?: true;
  /** Maximum number of rows, at least 1. */
  readonly limit?: number;
  /** The properties to read besides the segments; results are plain objects. */
  readonly select?: readonly string[];
  /** What the pattern is for, in a sentence; printed in the data dictionary. */
  readonly purpose?: string;
}

/** Access patterns by name. */
export type AccessPatterns = Readonly<Record<string, AccessPattern>>;

/** A registered symbol, so that the CommonJS build recognises patterns created by the ESM build. */
const patternsSymbol = Symbol.for('rowsmith.accessPatterns');

/**
 * Declares the queries of an entity, as a static property beside its key. Each becomes a method:
 * `repository.patterns.latestOfDevice({ ... })`. Checked against the key by the compiler (at
 * `@Entity` and defineEntity) and again by buildModel.
 * @example static readonly patterns = accessPatterns({ latestOfDevice: { prefix: ['tenant',
 * 'device'], limit: 1 } });
 */
export function accessPatterns<const P extends AccessPatterns>(patterns: P): P {
  const copy = { ...patterns };
  Object.defineProperty(copy, patternsSymbol, { value: true });
  return Object.freeze(copy);
}

/** True for the result of accessPatterns. */
export function isAccessPatterns(value: unknown): value is AccessPatterns {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, patternsSymbol);
}

/** How a pattern bounds the segment after its prefix. */
export type PatternBound = 'between' | 'since' | 'until' | 'startsWith' | 'subdomains';

type PrefixOf<A> = A extends { readonly prefix: readonly (infer N)[] } ? N : never;

/** What is wrong with access patterns P of class E with key K, as text; never if nothing is. */
export type PatternFault<E, K extends KeyParts, P> = {
  [N in keyof P & string]: FaultOf<E, K, N, P[N]>;
}[keyof P & string];

// Tests for `never` are of type parameters: `[Alias<...>] extends [never]` would compute the alias
// three times.
type FaultOf<E, K extends KeyParts, N extends string, A> = [keyof A] extends [keyof AccessPattern]
  ? RangeFault<
      K,
      N,
      PrefixOf<A>,
      A[keyof A & PatternBound],
      A[keyof A & 'scanAll']
    > extends infer F extends string
    ? [F] extends [never]
      ? SelectFault<E, N, A[keyof A & 'select']>
      : F
    : never
  : UnknownOptionText<N, Exclude<keyof A, keyof AccessPattern> & string>;

/** Of names alone: entities with the same key share the results. */
type RangeFault<
  K extends KeyParts,
  N extends string,
  Prefix,
  Bounded,
  Scan,
  Allowed = Leading<K>,
  Gap extends string = Gaps<K, Prefix>,
  Following = Next<K, Prefix>,
> = [Prefix] extends [Allowed]
  ? [Gap] extends [never]
    ? [Bounded] extends [Following]
      ? [Prefix | Bounded | (Scan & true)] extends [never]
        ? `access pattern '${N}' needs a prefix or a bound; to read every row write scanAll: true`
        : never
      : WrongBoundText<N, Exclude<Bounded, Following> & string, Following & string>
    : `access pattern '${N}' takes leading segments without gaps: add '${Gap}'`
  : PrefixFault<N, Segments<K>, Prefix, Allowed>;

type PrefixFault<N extends string, S extends readonly string[], Prefix, Allowed> = [
  Prefix,
] extends [S[number]]
  ? LastInPrefixText<N, Exclude<Prefix, Allowed> & string>
  : UnknownSegmentText<N, Exclude<Prefix, S[number]> & string, NameList<S>>;

type SelectFault<E, N extends string, Names> = [Names] extends [readonly (keyof E)[]]
  ? never
  : Names extends readonly (infer P)[]
    ? UnknownPropertyText<N, Exclude<P, keyof E> & string>
    : never;

type UnknownOptionText<
  N extends string,
  O extends string,
> = `access pattern '${N}' has the option '${O}', which does not exist: correct or remove it`;
type UnknownSegmentText<
  N extends string,
  S extends string,
  List extends string,
> = `access pattern '${N}' names '${S}', which is not a segment of the key: use one of ${List}`;
type LastInPrefixText<
  N extends string,
  S extends string,
> = `access pattern '${N}' takes all segments but the last: leave '${S}' out of its prefix, or bound it`;
type WrongBoundText<
  N extends string,
  S extends string,
  Following extends string,
> = `access pattern '${N}' bounds '${S}', but '${Following}' follows its prefix: bound '${Following}'`;
type UnknownPropertyText<
  N extends string,
  P extends string,
> = `access pattern '${N}' selects '${P}', which is not a property of the class: correct the name`;

/** The segments that a call of pattern A passes values for. */
export type PatternSegments<A> = PrefixOf<A> | A[keyof A & PatternBound];

/**
 * The values that a call of pattern A passes: the values of its prefix and of the bounded segment.
 */
export type PatternValues<E, A> = { readonly [N in PrefixOf<A> & keyof E]: E[N] } & BoundValues<
  E,
  A,
  keyof A & PatternBound
>;

type BoundValues<E, A, B extends keyof A> = [B] extends [never]
  ? unknown
  : { readonly [N in A[B] & keyof E]: BoundValue<B, E[N]> };

type BoundValue<B, V> = B extends 'between'
  ? { readonly from: V; readonly to: V }
  : B extends 'startsWith' | 'subdomains'
    ? string
    : V;
