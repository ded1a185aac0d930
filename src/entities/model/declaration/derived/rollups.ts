/**
 * Rollups: rows of values that are computed of other rows as these are written. Declared beside the
 * key, in the words of `groupBy` and `aggregate`.
 */
import type { EntityError, KeyParts, Segments } from '../keys/key-types.js';

/** The time of a rollup: a Date segment of the source, floored to a multiple of a width in UTC. */
export interface RollupTime<P extends string = string> {
  /** A Date segment of the source's key. */
  readonly time: P;
  /** A whole number of seconds, minutes, hours or days: `'30s'`, `'15m'`, `'1h'`, `'7d'`. */
  readonly every: string;
}

/**
 * One value of a rollup, as in `aggregate()`. Numbers with a fraction, and decimal text
 * (`as: 'decimal'`), need `decimals`: the digits after the point that are kept, 0 to 15. A value
 * with more digits is rejected when it is written, so that sums are exact.
 */
export type RollupValue =
  | 'count'
  | { readonly count: string }
  | { readonly sum: string; readonly decimals?: number; readonly as?: 'decimal' }
  | { readonly avg: string; readonly decimals?: number }
  | { readonly min: string; readonly decimals?: number; readonly as?: 'decimal' }
  | { readonly max: string; readonly decimals?: number; readonly as?: 'decimal' }
  | { readonly first: string }
  | { readonly last: string };

/** A rollup: what its rows are grouped by, and the values of each group. */
export interface RollupDeclaration {
  /** Segments of the source's key, in the order of the rollup's key; the last is the time. */
  readonly by: readonly (string | RollupTime)[];
  /** The values of a group, under the names of the results. */
  readonly values: Readonly<Record<string, RollupValue>>;
  /** The table of its rows; default: the table of the source and `_rollup`. */
  readonly table?: string;
}

/** Rollups by name. */
export type Rollups = Readonly<Record<string, RollupDeclaration>>;

/** A class that may declare rollups D. */
export interface HasRollups<D> {
  readonly rollups?: D;
}

/** A registered symbol, so that the CommonJS build recognises rollups created by the ESM build. */
const rollupsSymbol = Symbol.for('rowsmith.rollups');

/**
 * Declares the rollups of an entity, as a static property beside its key. Read them with
 * `repository.rollup('hourly')`. Checked when the database is opened.
 * @example static readonly rollups = rollups({ hourly: { by: ['device', { time: 'at', every: '1h'
 * }], values: { n: 'count', mean: { avg: 'temperature', decimals: 2 } } } });
 */
export function rollups<const R extends Rollups>(declared: R): R {
  const copy = { ...declared };
  Object.defineProperty(copy, rollupsSymbol, { value: true });
  return Object.freeze(copy);
}

/** True for the result of rollups. */
export function isRollups(value: unknown): value is Rollups {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, rollupsSymbol);
}

/** unknown if rollups R of class E with key K are right, as far as types show this. */
export type CheckRollups<E, K extends KeyParts, R> = [
  RollupFault<E, Segments<K>[number], R>,
] extends [never]
  ? unknown
  : EntityError<RollupFault<E, Segments<K>[number], R>>;

/** What is wrong with rollups R of class E with key segments S, as text; never if nothing is. */
export type RollupFault<E, S extends string, R> = {
  [N in keyof R & string]: R[N] extends {
    readonly by: readonly (infer B)[];
    readonly values: infer V;
  }
    ? [Exclude<NameOf<B>, S>] extends [never]
      ? [Exclude<PropertyOf<V[keyof V]>, keyof E>] extends [never]
        ? never
        : PropertyFault<N, Exclude<PropertyOf<V[keyof V]>, keyof E> & string>
      : SegmentFault<N, Exclude<NameOf<B>, S> & string>
    : never;
}[keyof R & string];

type NameOf<B> = B extends RollupTime<infer P> ? P : B;
type PropertyOf<V> = V extends string
  ? never
  : V extends object
    ? V[Exclude<keyof V, 'as' | 'decimals'>]
    : never;
type SegmentFault<
  N extends string,
  S extends string,
> = `rollup '${N}' groups by '${S}', which is not a segment of the key: name segments`;
type PropertyFault<
  N extends string,
  P extends string,
> = `rollup '${N}' computes a value of '${P}', which is not a property of the class: correct the name`;
