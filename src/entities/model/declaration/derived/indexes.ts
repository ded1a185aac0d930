/**
 * Indexes: separate rows that find rows of an entity by other properties than its key. They are
 * declared beside the key, because decorators cannot change the type of a class.
 */
import type { SegmentKind, SegmentOptions } from '../../../../data/key/index.js';
import type { KeyParts, Segments } from '../keys/key-types.js';

/** A segment of an index that declares a kind or options. */
export interface IndexSegment<N extends string = string> extends SegmentOptions {
  /** The property. */
  readonly segment: N;
  /** Default: the kind of the property in the row key, or the one that suits its column. */
  readonly kind?: SegmentKind;
}

/** A segment of an index: the name of a property, or its name with options. */
export type IndexPart = string | IndexSegment;

/** The declaration of one index. S are its segments, C the properties that it covers. */
export interface IndexDeclaration<
  S extends readonly IndexPart[] = readonly IndexPart[],
  C extends string = string,
  U extends boolean = boolean,
> {
  readonly segments: S;
  /** Whether no two rows may have the same values. */
  readonly unique: U;
  readonly covered: readonly C[];
  /** The table of the entries; undefined for `<table>_index`. */
  readonly table: string | undefined;
  /** Copies columns into the entries, so that `covered()` reads them without the rows. */
  including<const N extends string>(...properties: readonly N[]): IndexDeclaration<S, C | N, U>;
  /** Keeps the entries in this table: the entity's own, or another. */
  in(table: string): IndexDeclaration<S, C, U>;
}

/** Indexes by name. */
export type Indexes = Readonly<Record<string, IndexDeclaration>>;

/** A registered symbol, so that the CommonJS build recognises indexes created by the ESM build. */
const indexesSymbol = Symbol.for('rowsmith.indexes');

interface DeclaredIndex {
  readonly segments: readonly IndexPart[];
  readonly unique: boolean;
  readonly covered: readonly string[];
  readonly table: string | undefined;
}

function declareIndex(declared: DeclaredIndex): IndexDeclaration {
  return Object.freeze({
    ...declared,
    including: (...properties: readonly string[]) =>
      declareIndex({ ...declared, covered: [...declared.covered, ...properties] }),
    in: (table: string) => declareIndex({ ...declared, table }),
  }) as IndexDeclaration;
}

/**
 * A second order of an entity's rows: by these properties, then by the rest of the row key. A row
 * in which one of them is absent has no entry.
 * @example byStatus: indexOn('tenant', 'status', { segment: 'placedAt', order: 'desc' })
 */
export function indexOn<const S extends readonly IndexPart[]>(
  ...segments: S
): IndexDeclaration<S, never, false> {
  return declareIndex({ segments, unique: false, covered: [], table: undefined }) as never;
}

/**
 * An index with values that belong to one row at most: a write of another row with the same values
 * is rejected with UNIQUE_VIOLATION.
 * @example byEmail: uniqueIndexOn('tenant', 'email')
 */
export function uniqueIndexOn<const S extends readonly IndexPart[]>(
  ...segments: S
): IndexDeclaration<S, never, true> {
  return declareIndex({ segments, unique: true, covered: [], table: undefined }) as never;
}

/**
 * Declares the indexes of an entity, as a static property beside its key. Each is queried with
 * `repository.index('name')`.
 * @example static readonly indexes = indexes({ byStatus: indexOn('tenant', 'status') });
 */
export function indexes<const X extends Indexes>(declared: X): X {
  const copy = { ...declared };
  Object.defineProperty(copy, indexesSymbol, { value: true });
  return Object.freeze(copy);
}

/** True for the result of `indexes`. */
export function isIndexes(value: unknown): value is Indexes {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, indexesSymbol);
}

type PartName<P> = P extends { readonly segment: infer N extends string } ? N : P & string;

/** The names of the segments of an index, in order. */
export type IndexNames<S extends readonly IndexPart[]> = {
  readonly [I in keyof S]: PartName<S[I]>;
};

/**
 * The key of the entries: the segments of the index, then the segments of the row key that are
 * left.
 */
export type IndexKey<K extends KeyParts, X> =
  X extends IndexDeclaration<infer S, string, infer U>
    ? U extends true
      ? IndexNames<S>
      : readonly [...IndexNames<S>, ...Rest<Segments<K>, IndexNames<S>[number]>]
    : never;

type Rest<S extends readonly string[], N> = S extends readonly [
  infer H extends string,
  ...infer R extends readonly string[],
]
  ? H extends N
    ? Rest<R, N>
    : readonly [H, ...Rest<R, N>]
  : readonly [];
