/** The conditions that `where` takes. */
import type { QueryError } from '../../model/index.js';
import type { DataKeys } from './entity-types.js';

/** Any property: `null` is absent, `{ not: null }` present. */
export interface PresenceTest {
  /** `null`: the property has a value. */
  readonly not?: null;
}

/** Values that can be compared for equality. All that is given must hold. */
export interface EqualityTest<V> {
  /** Has a value other than this one; `null`: has a value. */
  readonly not?: V | null;
  /** Is one of these; `null` among them is absent. An empty list matches no row. */
  readonly oneOf?: readonly (V | null)[];
  /** Has a value that is none of these. */
  readonly noneOf?: readonly (V | null)[];
}

/** Values with an order. */
export interface OrderedTest<V> extends EqualityTest<V> {
  /** Greater. */
  readonly above?: V;
  /** Greater or equal. */
  readonly atLeast?: V;
  /** Less. */
  readonly below?: V;
  /** Less or equal. */
  readonly atMost?: V;
}

/** Text and bytes, in the order of code points or bytes. */
export interface TextTest<V, T> extends OrderedTest<V> {
  readonly startsWith?: T;
  readonly notStartsWith?: T;
}

/** Packed messages: conditions on their fields. All of them must hold. */
export interface MessageTest<M> extends PresenceTest {
  readonly fields?: FieldConditions<M>;
}

/** Conditions on the fields of a packed message M. */
export type FieldConditions<M> = {
  readonly [P in DataKeys<M>]?: TestOf<M[P]>;
};

/** What a value of type V can be tested for. */
export type ValueTest<V> = [V] extends [boolean]
  ? V | null | EqualityTest<V>
  : [V] extends [number | bigint | Date]
    ? V | null | OrderedTest<V>
    : [V] extends [string]
      ? V | null | TextTest<V, string>
      : [V] extends [Uint8Array]
        ? V | null | TextTest<V, Uint8Array>
        : [V] extends [ReadonlyMap<never, unknown>]
          ? QueryError<'where() cannot test a map: test its entries after reading'>
          : [V] extends [readonly unknown[]]
            ? QueryError<'where() cannot test versions or a list: test them after reading'>
            : [V] extends [object]
              ? null | MessageTest<V>
              : null | PresenceTest;

/** Of the type alone, so that the entities of a program share the results. */
type TestOf<T> = [T] extends [infer V | null | undefined] ? ValueTest<V> : never;

/**
 * The tests named N, which are required, so that `undefined` does not compile. The second part is
 * for completion and for misspelt names.
 */
export type ConditionsOf<E, N extends DataKeys<E>> = { readonly [P in N]: TestOf<E[P]> } & {
  readonly [P in DataKeys<E>]?: unknown;
};

/** The operators of `whereFrom` for a value of type V. */
type OperatorOf<V> = [V] extends [boolean]
  ? 'equals' | keyof EqualityTest<V>
  : [V] extends [number | bigint | Date]
    ? 'equals' | keyof OrderedTest<V>
    : [V] extends [string | Uint8Array]
      ? 'equals' | keyof TextTest<V, V>
      : never;

/** The operators that a request may use, by property; `equals` is the value alone. */
export type AllowedTests<E> = {
  readonly [P in DataKeys<E>]?: readonly OperatorOf<NonNullable<E[P]>>[];
};
