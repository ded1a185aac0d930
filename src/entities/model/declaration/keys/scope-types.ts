/** What the compiler checks about scopes: their values replace the first segments of a key. */
import type { KeyLiteral } from '../declaration.js';
import type { EntityError, KeyParts, QueryError, Segments, SegmentValue } from './key-types.js';

type Names = readonly string[];

/** The values of a scope: leading segments. */
export type ScopeValues = Readonly<Record<string, SegmentValue>>;

/** A segment that a scope gives: a constant of the key, like a literal. Exists in types only. */
export interface Fixed<N extends string> extends KeyLiteral {
  readonly fixed: N;
}

/** Key K with the segments N given by a scope, so that `Segments` leaves them out. */
export type Scoped<K extends KeyParts, N> = {
  [I in keyof K]: K[I] extends N & string ? Fixed<K[I]> : K[I];
};

/** The segments of K that a scope gives. */
export type FixedOf<K extends KeyParts> = Extract<K[number], { readonly fixed: string }>['fixed'];

/** unknown if the values V can be the scope of entity E with key K, else an EntityError. */
export type CheckScope<E, K extends KeyParts, V> =
  ScopeFault<E, Segments<K>, V> extends infer F
    ? [F] extends [never]
      ? unknown
      : EntityError<F & string>
    : never;

type ScopeFault<E, S extends Names, V> = [keyof V] extends [S[number]]
  ? LeadingFault<E, S, V, SkippedBy<S, keyof V>>
  : `the scope gives '${Exclude<keyof V, S[number]> & string}', which is not a segment of the key`;

type LeadingFault<E, S extends Names, V, Skipped extends string> = [Skipped] extends [never]
  ? [S[number]] extends [keyof V]
    ? WholeKeyFault
    : TypeFaults<E, V>
  : `a scope takes leading segments: '${Skipped}' is missing`;

type WholeKeyFault =
  'the scope gives every segment of the key: read the one row with db.repository(...).get()';

type TypeFaults<E, V> = {
  [N in keyof V & keyof E]: V[N] extends E[N]
    ? never
    : `the scope's '${N & string}' is not of the type that the entity declares`;
}[keyof V & keyof E];

/** The segments of S before the last one that is in N, if they are not in N. */
type SkippedBy<S extends Names, N, Skipped extends string = never> = S extends readonly [
  infer H extends string,
  ...infer R extends Names,
]
  ? H extends N
    ? Skipped | SkippedBy<R, N, Skipped>
    : SkippedBy<R, N, Skipped | H>
  : never;

/** unknown if V has values, and none that scope W has; else a QueryError. */
export type CheckScopeValues<V, W = unknown> = [keyof V] extends [never]
  ? QueryError<"a scope has at least one segment: scope({ tenant: 'acme' })">
  : { readonly [N in keyof V & keyof W]: QueryError<`the scope has its '${N & string}' already`> };
