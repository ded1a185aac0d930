/** Rollups of an entity, checked: which cells of a rollup row follow from which source values. */

/** A number that a rollup adds or compares: scaled by its decimals, so that it is an integer. */
export type Scaled = number | bigint;

/** How values become integers and integers values. */
export interface RollupScale {
  /** Digits after the point; 0 for integers and times. */
  readonly decimals: number;
  /**
   * The integer of a value. Throws CodecError for values that are not exact with these decimals.
   */
  readonly scaled: (value: unknown) => Scaled;
  /** The value of an integer. */
  readonly unscaled: (value: bigint) => unknown;
}

/** The property of the source that a cell follows. */
export interface RollupSource {
  readonly property: string;
  /** The column's family and qualifiers, its own first; undefined for a segment of the key. */
  readonly cell?: { readonly family: string; readonly qualifiers: readonly Uint8Array[] };
  /** Decodes the bytes of a cell. */
  readonly decode: (bytes: Uint8Array) => unknown;
}

/** One cell of a rollup row. */
export interface RollupCell {
  /** `rows` and `count` are sums of ones; `first` and `last` hold the bytes of a source cell. */
  readonly kind: 'rows' | 'count' | 'sum' | 'min' | 'max' | 'first' | 'last';
  readonly family: string;
  readonly qualifier: Uint8Array;
  /** The property of the rows' model. */
  readonly property: string;
  /** Undefined for `rows`. */
  readonly source?: RollupSource;
  /** For `sum`, `min` and `max`. */
  readonly scale?: RollupScale;
}

/** One value of the results, computed of cells of the rollup row. */
export interface RollupResult {
  readonly name: string;
  /** As in `aggregate()`. */
  readonly kind: string;
  /** The property of the source; undefined for the number of rows. */
  readonly property?: string;
  readonly decimals?: number;
  /** The value for the cells of a row, by the properties of the rows' model. */
  readonly of: (cells: Readonly<Record<string, unknown>>) => unknown;
}

/** Families of rollup rows. */
export const rollupFamilies = {
  /** Counts and sums. */
  sum: '_sum',
  min: '_min',
  max: '_max',
  /**
   * The cell timestamp of `first` runs backwards, so that the oldest reading is the newest cell.
   */
  first: '_first',
  last: '_last',
  /** Marks: a cell for each write that has not ended; the qualifier is its token. */
  mark: '_mark',
  /** While a build runs: what was added, as in marks. */
  log: '_log',
  /** Columns of the state. */
  state: '_state',
} as const;

/** Columns of the state of a bucket; their qualifiers. */
interface BucketState {
  /** The token of the mark that was added last. */
  readonly revision: Uint8Array;
  /** The build that runs. */
  readonly build: Uint8Array;
  /** A row that had an extreme is gone: `min`, `max`, `first` or `last` must be computed. */
  readonly stale: Uint8Array;
}

export const bucketState: BucketState = Object.freeze({
  revision: new TextEncoder().encode('r'),
  build: new TextEncoder().encode('b'),
  stale: new TextEncoder().encode('s'),
});

/** The property of the rows' model with the number of source rows. */
export const rowsProperty = '_rows';
/** The property of the rows' model with the marks, a Map. */
export const marksProperty = '_marks';
/** The property of the rows' model with the state, a Map. */
export const stateProperty = '_state';
/**
 * The family of source rows with the tokens of the writes that last changed what they add to
 * rollups. The qualifiers are ids of rollups.
 */
export const rollupTokens = '_r';
