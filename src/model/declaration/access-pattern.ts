/**
 * Access patterns: the questions an entity is made for, each with a name. They stand beside the
 * key, because decorators cannot change the type of a class.
 */
import type { BeforeOf, KeyParts, Leading, Next, Segments } from './key-types.js';

/** One question by name. Its values come with each call; everything else is fixed here. */
export interface AccessPattern {
  /** Leading segments whose values a call gives: without gaps, not all of them. */
  readonly prefix?: readonly string[];
  /**
   * The segment after the prefix, for which a call gives `{ from, to }`: `from <= segment < to`. At
   * most one of these five is there.
   */
  readonly between?: string;
  /** The segment after the prefix, for which a call gives the least value. */
  readonly since?: string;
  /** The segment after the prefix, for which a call gives the value it stays below. */
  readonly until?: string;
  /** The text segment after the prefix, for which a call gives the beginning. */
  readonly startsWith?: string;
  /** The domain segment after the prefix, for which a call gives the domain. */
  readonly subdomains?: string;
  /** Every row of the entity: a full scan, which must be asked for by name. */
  readonly scanAll?: true;
  /** Descending key order. */
  readonly reverse?: true;
  /** Most rows, at least 1. */
  readonly limit?: number;
  /** Only these properties besides the segments; results are plain objects. */
  readonly select?: readonly string[];
  /** What it is for, in a sentence, for the data dictionary. */
  readonly purpose?: string;
}

/** Access patterns by name. */
export type AccessPatterns = Readonly<Record<string, AccessPattern>>;

/** A registered symbol, so that patterns made by the ESM build are known to the CommonJS build. */
const PATTERNS = Symbol.for('rowsmith.accessPatterns');

/**
 * The questions an entity is made for, as a static property beside its key. Each becomes a method:
 * `repository.patterns.latestOfDevice({ ... })`. Checked against the key by the compiler (at
 * `@Entity` and defineEntity) and when the model is built.
 * @example static readonly patterns = accessPatterns({ latestOfDevice: { prefix: ['tenant',
 * 'device'], limit: 1 } });
 */
export function accessPatterns<const P extends AccessPatterns>(patterns: P): P {
  const copy = { ...patterns };
  Object.defineProperty(copy, PATTERNS, { value: true });
  return Object.freeze(copy);
}

/** Whether accessPatterns made it. */
export function isAccessPatterns(value: unknown): value is AccessPatterns {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, PATTERNS);
}

/** How a pattern bounds the segment after its prefix. */
export type PatternBound = 'between' | 'since' | 'until' | 'startsWith' | 'subdomains';

type PrefixOf<A> = A extends { readonly prefix: readonly (infer N)[] } ? N : never;
type BoundsOf<A> = Extract<keyof A, PatternBound>;
type BoundedOf<A> = BoundsOf<A> extends infer B extends keyof A ? A[B] : never;
type SelectOf<A> = A extends { readonly select: readonly (infer P)[] } ? P : never;

/** What is wrong with access patterns P of class E with key K, as text; never when nothing is. */
export type PatternFault<E, K extends KeyParts, P> = {
  [N in keyof P & string]: FaultOf<E, K, N, P[N]>;
}[keyof P & string];

type FaultOf<E, K extends KeyParts, N extends string, A> = [
  Exclude<keyof A, keyof AccessPattern>,
] extends [never]
  ? [Exclude<PrefixOf<A>, Segments<K>[number]>] extends [never]
    ? [Exclude<PrefixOf<A>, Leading<K>>] extends [never]
      ? [Exclude<BeforeOf<Segments<K>, PrefixOf<A>>, PrefixOf<A>>] extends [never]
        ? BoundFault<E, K, N, A>
        : `access pattern '${N}' takes leading segments without gaps: add '${Exclude<BeforeOf<Segments<K>, PrefixOf<A>>, PrefixOf<A>>}'`
      : `access pattern '${N}' takes all segments but the last, and '${Exclude<PrefixOf<A>, Leading<K>> & string}' is the last`
    : `access pattern '${N}' names '${Exclude<PrefixOf<A>, Segments<K>[number]> & string}', which is not a segment of the key`
  : `access pattern '${N}' has the option '${Exclude<keyof A, keyof AccessPattern> & string}', which does not exist`;

type BoundFault<E, K extends KeyParts, N extends string, A> = [BoundsOf<A>] extends [never]
  ? [PrefixOf<A>] extends [never]
    ? A extends { readonly scanAll: true }
      ? SelectFault<E, N, A>
      : `access pattern '${N}' needs a prefix or a bound; to read every row say scanAll: true`
    : SelectFault<E, N, A>
  : [Exclude<BoundedOf<A>, Next<K, PrefixOf<A>>>] extends [never]
    ? SelectFault<E, N, A>
    : `access pattern '${N}' bounds '${Exclude<BoundedOf<A>, Next<K, PrefixOf<A>>> & string}', but the segment after its prefix is '${Next<K, PrefixOf<A>>}'`;

type SelectFault<E, N extends string, A> = [Exclude<SelectOf<A>, keyof E>] extends [never]
  ? never
  : `access pattern '${N}' selects '${Exclude<SelectOf<A>, keyof E> & string}', which is not a property of the class`;

/** The values a call of pattern A gives: those of its prefix, and of the segment it bounds. */
export type PatternValues<E, A> = { readonly [N in PrefixOf<A> & keyof E]: E[N] } & (A extends {
  readonly between: infer S extends keyof E;
}
  ? { readonly [_ in S]: { readonly from: E[S]; readonly to: E[S] } }
  : unknown) &
  (A extends { readonly since: infer S extends keyof E } ? { readonly [_ in S]: E[S] } : unknown) &
  (A extends { readonly until: infer S extends keyof E } ? { readonly [_ in S]: E[S] } : unknown) &
  (A extends { readonly startsWith: infer S extends keyof E }
    ? { readonly [_ in S]: string }
    : unknown) &
  (A extends { readonly subdomains: infer S extends keyof E }
    ? { readonly [_ in S]: string }
    : unknown);
