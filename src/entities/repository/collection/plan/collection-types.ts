/** Types of collections: entities with keys that begin with the same segments, read in one scan. */
import type {
  CheckPrefix,
  EntityClass,
  EntityError,
  KeyParts,
  Next,
  Scoped,
  Segments,
  UpTo,
} from '../../../model/index.js';
import type { DataKeys, Selected } from '../../types/entity-types.js';
import type { Answer, KeyBounds } from '../../types/query-types.js';
import type { CollectionExplanation } from './collection-explanation.js';

/** The members of a collection: entity classes by the names that its rows have as `kind`. */
export type Members = Readonly<Record<string, EntityClass>>;

type Names = readonly string[];
/** The key of a member, without the segments G of a scope. */
type KeyIn<C extends { readonly key: KeyParts }, G> = [G] extends [never]
  ? C['key']
  : Scoped<C['key'], G>;
type KeysOf<M extends Members, G> = { [N in keyof M]: KeyIn<M[N], G> }[keyof M];
/** true for a type that is not a union. */
type IsOne<T, U = T> = [T] extends [never]
  ? false
  : T extends unknown
    ? [U] extends [T]
      ? true
      : false
    : never;
// Not null, which is assignable to strings without strictNullChecks.
type Head<K> = K extends readonly [infer H, ...KeyParts] ? H : false;
type Tail<K> = K extends readonly [unknown, ...infer R extends KeyParts] ? R : never;

/** The segments with which all keys of the union K begin, with the same literals between them. */
export type SharedSegments<K extends KeyParts> =
  IsOne<Head<K>> extends true
    ? Head<K> extends infer H extends string
      ? readonly [H, ...SharedSegments<Tail<K>>]
      : Head<K> extends false
        ? readonly []
        : SharedSegments<Tail<K>>
    : readonly [];

/** The type of property P in each member, in a tuple, so that `IsOne` sees differences. */
type ValuesOf<M extends Members, P> = ValueIn<InstanceType<M[keyof M]>, P>;
type ValueIn<E, P> = E extends unknown ? [E[P & keyof E]] : never;
type Contradicting<M extends Members, P> = P extends unknown
  ? IsOne<ValuesOf<M, P>> extends true
    ? never
    : P
  : never;

/** unknown if the members can be read in one scan, as far as types show it; else an EntityError. */
export type CheckCollection<M extends Members, G = never> =
  SharedSegments<KeysOf<M, G>> extends infer S extends Names
    ? S extends readonly []
      ? [G] extends [never]
        ? // Not an alias, which the compiler would name in its message.
          EntityError<
            {
              [
                N in keyof M & string
              ]: `no shared leading segment: the key of '${N}' begins with ${Beginning<Head<M[N]['key']>>}`;
            }[keyof M & string]
          >
        : unknown
      : CheckConflicts<Contradicting<M, S[number]>>
    : never;

type CheckConflicts<P> = [P] extends [never] ? unknown : EntityError<SegmentConflict<P & string>>;
type SegmentConflict<P extends string> =
  `the entities disagree on the type of the shared segment '${P}'`;
type Beginning<H> = H extends string
  ? `'${H}'`
  : H extends { readonly literal: infer T extends string }
    ? `literal('${T}')`
    : 'nothing';

/** What a row of each member is read as. */
export type Entities<M extends Members> = { readonly [N in keyof M]: InstanceType<M[N]> };

/** One row of a collection: the name of its member, and the entity. */
export type CollectionRow<R> = {
  readonly [N in keyof R]: { readonly kind: N; readonly entity: R[N] };
}[keyof R];

type SharedValues<M extends Members, S extends Names> = {
  readonly [P in S[number]]: ValuesOf<M, P> extends readonly [infer V] ? V : never;
};
/** S with something after it, so that a prefix may have all of it. */
type Open<S extends Names> = readonly [...S, '...'];
type LastOf<S extends Names> = S extends readonly [...Names, infer L] ? L : never;

/** The selected properties of each member. */
export type CollectionSelection<M extends Members> = {
  readonly [A in keyof M]?: readonly DataKeys<InstanceType<M[A]>>[];
};
type SelectedEntities<M extends Members, R, Properties, G> = {
  readonly [A in keyof R]: A extends keyof Properties & keyof M
    ? Properties[A] extends readonly (infer P)[]
      ? Selected<InstanceType<M[A]>, KeyIn<M[A], G>, P & keyof InstanceType<M[A]>>
      : R[A]
    : R[A];
};

/**
 * The rows that are equal in the segments up to N. A member with a key that ends there is one
 * entity, or undefined; all other members are arrays, in key order.
 */
export type CollectionGroup<M extends Members, S extends Names, N, R, G> = {
  readonly [P in UpTo<S, N> & keyof SharedValues<M, S>]: SharedValues<M, S>[P];
} & {
  readonly members: {
    readonly [A in keyof R]: A extends keyof M
      ? LastOf<Segments<M[A]['key']>> extends N | G
        ? R[A] | undefined
        : readonly R[A][]
      : never;
  };
};

/** What rows are read as: R, or entities. */
type RowsOf<M extends Members, R> = [R] extends [never] ? Entities<M> : R;

/** Rows of several entities, in key order. R has the members with fewer properties, if any. */
export interface CollectionQuery<
  M extends Members,
  S extends Names,
  R = never,
  G = never,
> extends Answer<CollectionRow<RowsOf<M, R>>, CollectionExplanation> {
  /**
   * Returns at most this many rows, or so many of single members: `limit({ messages: 20 })`.
   * Rows beyond the limit of a member are skipped, not read. In groups, the limit of a member
   * applies to each group, and a number is one of groups. Whole numbers of at least 1.
   */
  limit(rows: number | { readonly [A in keyof RowsOf<M, R>]?: number }): this;
  /**
   * Reads only these properties of single members, besides the segments: `select({ messages:
   * ['subject'] })`. Their results are plain objects. Without properties only segments are read.
   */
  select<const P extends CollectionSelection<M>>(
    properties: P,
  ): CollectionQuery<M, S, SelectedEntities<M, RowsOf<M, R>, P, G>, G>;
  /** Reads only these members. */
  only<A extends keyof RowsOf<M, R>>(
    ...kinds: readonly A[]
  ): CollectionQuery<M, S, Pick<RowsOf<M, R>, A>, G>;
  /** Groups the rows that are equal in the segments up to this one, which all members share. */
  groupBy<N extends S[number]>(
    segment: N,
  ): Answer<CollectionGroup<M, S, N, RowsOf<M, R>, G>, CollectionExplanation>;
}

/** Where queries of a collection start. */
export interface CollectionRoot<M extends Members, S extends Names, G> {
  /** Rows with leading segments that equal these values: shared segments, without gaps. */
  prefix<N extends keyof SharedValues<M, S>>(
    segments: Pick<SharedValues<M, S>, N> & Partial<SharedValues<M, S>> & CheckPrefix<Open<S>, N>,
  ): CollectionRange<M, S, G, N>;
  /** Every row of the members. */
  scanAll(): CollectionQuery<M, S, never, G>;
}

/** A query with values for the segments N, which bounds the segment after them. */
export interface CollectionRange<M extends Members, S extends Names, G, N>
  extends
    CollectionQuery<M, S, never, G>,
    KeyBounds<
      SharedValues<M, S>,
      Next<Open<S>, N> & keyof SharedValues<M, S>,
      CollectionQuery<M, S, never, G>
    > {}

/**
 * Entities of one table with keys that begin with the same segments, read in one scan:
 * `db.collection({ device: Device, readings: Reading })`.
 */
export type Collection<M extends Members, G = never> =
  SharedSegments<KeysOf<M, G>> extends infer S extends Names ? CollectionRoot<M, S, G> : never;
