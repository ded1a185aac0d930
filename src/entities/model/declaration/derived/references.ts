/** References: rows of other entities, with keys that the properties of a row make. */
import type { EntityClass, KeyParts, QueryError, Segments } from '../keys/key-types.js';

/** A reference to the row of S with the key that the properties `by` make. */
export interface Reference<
  S extends object = object,
  B extends Readonly<Record<string, string>> = Readonly<Record<string, string>>,
> {
  /** The entity that is referred to. */
  readonly entity: () => new () => S;
  /** For each segment of its key, the property of the row that has its value. */
  readonly by: B;
}

/** A registered symbol, so that the CommonJS build recognises references of the ESM build. */
const referenceSymbol = Symbol.for('rowsmith.reference');

/**
 * The row of `entity` with the key made of properties: `{ segment of its key: property }`. A
 * constant for `include`, which any entity with these properties can use.
 * @example
 * static readonly customer = reference(() => Customer, { tenant: 'tenant', id: 'customerId' });
 */
export function reference<
  S extends object,
  const K extends KeyParts,
  const B extends { readonly [N in Segments<K>[number]]: string },
>(entity: () => EntityClass<S, K>, by: B): Reference<S, B> {
  const made = { entity, by: Object.freeze({ ...by }) };
  Object.defineProperty(made, referenceSymbol, { value: true });
  return Object.freeze(made);
}

/** True for the result of `reference`. */
export function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, referenceSymbol);
}

/** References by the names of the properties that they become. */
export type References = Readonly<Record<string, Reference>>;

/** Rows R with the rows that references I lead to; undefined where there is none. */
export type Including<R, I> = [keyof I] extends [never]
  ? R
  : R & {
      readonly [N in keyof I]: I[N] extends Reference<infer S> ? S | undefined : never;
    };

/**
 * What the compiler shows for references I that rows of E do not have. R are the rows as they are
 * read, and F the segments that a scope gives.
 */
export type CheckReferences<E, R, F, I> = {
  readonly [N in keyof I]: I[N] extends Reference<infer S, infer B>
    ? [ReferenceFault<E, R, F, N, S, B>] extends [never]
      ? unknown
      : QueryError<ReferenceFault<E, R, F, N, S, B>>
    : unknown;
};

type ReferenceFault<E, R, F, N, S, B> = N extends keyof E | keyof R
  ? `'${N & string}' is a property of the entity: give the reference another name`
  : [Exclude<B[keyof B], keyof E | keyof R>] extends [never]
    ? [Exclude<B[keyof B], keyof R | F>] extends [never]
      ? TypeFault<E, S, B>
      : `'${N & string}' is found by '${Exclude<B[keyof B], keyof R | F> & string}': select it, too`
    : UnknownFault<N & string, Exclude<B[keyof B], keyof E | keyof R> & string>;

type UnknownFault<
  N extends string,
  P extends string,
> = `'${N}' is found by '${P}', which is not a property of the entity`;

type TypeFault<E, S, B> = {
  [G in keyof B & keyof S]: NonNullable<E[B[G] & keyof E]> extends S[G]
    ? never
    : `'${B[G] & string}' has another type than segment '${G & string}', which it gives`;
}[keyof B & keyof S];
