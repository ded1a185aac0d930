/**
 * Copies: columns that hold a value of another entity's row, such as the author's name in each
 * post. They are declared beside the key and the indexes.
 */
import type { EntityClass, EntityError, KeyParts, Segments } from '../keys/key-types.js';

/** The declaration of one copy: `property` of the source with the key made of `by`. */
export interface CopyDeclaration<
  S extends object = object,
  P extends string = string,
  B extends Readonly<Record<string, string>> = Readonly<Record<string, string>>,
> {
  /** The entity that has the value. */
  readonly source: () => new () => S;
  /** Its property that is copied. */
  readonly property: P;
  /** For each segment of the source's key, the property of this entity that has its value. */
  readonly by: B;
}

/** Copies by the properties that hold them. */
export type Copies = Readonly<Record<string, CopyDeclaration>>;

/** A registered symbol, so that the CommonJS build recognises copies created by the ESM build. */
const copiesSymbol = Symbol.for('rowsmith.copies');

/**
 * A copy of `property` in the row of `source` with the key made of the properties `by`:
 * `{ segment of its key: property of this entity }`.
 * @example authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' })
 */
export function copyOf<
  S extends object,
  const K extends KeyParts,
  const P extends keyof S & string,
  const B extends { readonly [N in Segments<K>[number]]: string },
>(source: () => EntityClass<S, K>, property: P, by: B): CopyDeclaration<S, P, B> {
  return Object.freeze({ source, property, by });
}

/**
 * Declares which columns are copies, as a static property beside the key. The library writes them:
 * with each write of the row, and when a source changes. An index has to begin with the properties
 * by which a source is found.
 * @example
 * static readonly indexes = indexes({ byAuthor: indexOn('tenant', 'authorId') });
 * static readonly copies = copies({
 *   authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' }),
 * });
 */
export function copies<const C extends Copies>(declared: C): C {
  const copy = { ...declared };
  Object.defineProperty(copy, copiesSymbol, { value: true });
  return Object.freeze(copy);
}

/** True for the result of `copies`. */
export function isCopies(value: unknown): value is Copies {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, copiesSymbol);
}

/** A class with copies C. */
export interface HasCopies<C> {
  readonly copies?: C;
}

/** unknown if copies C suit class E, else an EntityError that says what is wrong. */
export type CheckCopies<E, C> = [CopyFault<E, C>] extends [never]
  ? unknown
  : EntityError<CopyFault<E, C>>;

/** What is wrong with copies C of class E, as text; never if nothing is. */
export type CopyFault<E, C> = {
  [N in keyof C & string]: C[N] extends CopyDeclaration<infer S, infer P, infer B>
    ? IsInferred<S, P, B> extends false
      ? never
      : N extends keyof E
        ? [Exclude<B[keyof B], keyof E>] extends [never]
          ? TypeFault<E, S, N, P & keyof S & string> | SegmentTypeFault<E, S, N, B>
          : MissingByFault<N, Exclude<B[keyof B], keyof E>>
        : MissingFault<N>
    : never;
}[keyof C & string];

/** False for a call of copyOf that does not compile: the compiler says what is wrong there. */
type IsInferred<S, P, B> = [keyof S & string] extends [P]
  ? false
  : string extends B[keyof B]
    ? false
    : true;

/** The copy and the original have the same values. */
type TypeFault<E, S, N extends keyof E & string, P extends keyof S & string> = [
  NonNullable<E[N]>,
] extends [NonNullable<S[P]>]
  ? [NonNullable<S[P]>] extends [NonNullable<E[N]>]
    ? never
    : DifferentTypeFault<N, P>
  : DifferentTypeFault<N, P>;

type SegmentTypeFault<E, S, N extends string, B> = {
  [G in keyof B & keyof S & string]: B[G] extends keyof E
    ? NonNullable<E[B[G]]> extends S[G]
      ? never
      : DifferentSegmentFault<N, B[G] & string, G>
    : never;
}[keyof B & keyof S & string];

type MissingFault<N extends string> =
  `copies name '${N}', which is not a property of the class: declare it with @Column, or correct the name`;
type MissingByFault<
  N extends string,
  B extends string,
> = `copy '${N}' is found by '${B}', which is not a property of the class: correct the name`;
type DifferentTypeFault<
  N extends string,
  P extends string,
> = `copy '${N}' has another type than '${P}', which it copies: give both the same type`;
type DifferentSegmentFault<
  N extends string,
  B extends string,
  G extends string,
> = `copy '${N}' is found by '${B}', which has another type than segment '${G}' of the source: give both the same type`;
