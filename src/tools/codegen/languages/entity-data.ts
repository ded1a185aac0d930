/**
 * Entities as plain data for generators of other languages. It says what the bytes are, with all
 * defaults of the declaration resolved, and nothing of any language.
 */

/** What values must be when they are written, beyond their kind. */
export interface RuleData {
  readonly oneOf: readonly (string | number | bigint)[] | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** As JavaScript has it. */
  readonly pattern: { readonly source: string; readonly flags: string } | undefined;
  readonly min: number | bigint | undefined;
  readonly max: number | bigint | undefined;
}

/** A segment of a key. */
export interface SegmentData {
  readonly property: string;
  /** A kind of `SegmentValues`. */
  readonly kind: string;
  /** The encoding in words, for errors. */
  readonly encoding: string;
  readonly descending: boolean;
  readonly nullable: boolean;
  /** Digits of integers; 0 for a bigint of any size. */
  readonly width: number;
  readonly max: number | undefined;
  readonly scale: number;
  readonly members: readonly string[];
  readonly byOrdinal: boolean;
  readonly unit: 's' | 'ms' | 'us' | 'ns';
  readonly floor: 'hour' | 'day' | number | undefined;
  readonly reverseFromLong: boolean;
  readonly dayOnly: boolean;
  readonly dashes: boolean;
  readonly maxLength: number | undefined;
  readonly normalize: boolean;
  readonly lower: boolean;
  /** Why conditions on a range of its values are refused; undefined if they are not. */
  readonly unordered: string | undefined;
  /** Whether conditions on the start of its texts are possible. */
  readonly startsWith: boolean;
  readonly rules: RuleData | undefined;
}

/** A part of a key. */
export type PartData =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'segment'; readonly segment: SegmentData };

/** A key. */
export interface KeyData {
  readonly format: 'text' | 'ordered' | { readonly delimiter: string };
  readonly parts: readonly PartData[];
  readonly shards: { readonly count: number; readonly by: readonly string[] } | undefined;
}

/** What a cell holds: a scalar, bytes of a codec of the application, or a message. */
export type ValueData =
  | { readonly kind: 'scalar'; readonly scalar: string }
  | { readonly kind: 'custom' }
  | {
      readonly kind: 'message';
      readonly message: string;
      /** The .proto file that `generate proto` writes it to, without its extension. */
      readonly file: string;
      /** Its package; empty for none. */
      readonly package: string;
      /** Whether a Timestamp occurs in it, at any depth. */
      readonly hasTimes: boolean;
    };

/** A column. */
export interface ColumnData {
  readonly property: string;
  readonly kind: 'column' | 'versions' | 'counter' | 'map';
  readonly family: string;
  /** As bytes; empty for maps. */
  readonly qualifier: Uint8Array;
  readonly alsoReads: readonly Uint8Array[];
  readonly value: ValueData;
  /** The keys of a map. */
  readonly qualifiers: SegmentData | undefined;
  readonly aggregate: boolean;
  readonly required: boolean;
  /** A constant; undefined without a default, or with one that is computed. */
  readonly default: string | number | bigint | boolean | undefined;
  readonly rules: RuleData | undefined;
  /** Of messages that TypeScript upgrades: the version that is written, and the field with it. */
  readonly version:
    { readonly current: number; readonly field: string; readonly number: number } | undefined;
}

/** A value of a rollup, computed of cells of its row. */
export interface RollupValueData {
  readonly name: string;
  readonly kind: string;
  readonly decimals: number;
  /** What its numbers are: `single` ones are rounded to 32 bits, `stored` ones are no numbers. */
  readonly number: 'whole' | 'decimal' | 'time' | 'fraction' | 'single' | 'stored';
  /** The column of the row; of a mean the sum. */
  readonly cell: string;
  /** Of a mean, the column with the count. */
  readonly count: string | undefined;
}

/** What a row is. */
export type RowKind =
  | { readonly kind: 'entity' }
  /** An entry of an index; `unique` entries hold the key of the row. */
  | { readonly kind: 'index'; readonly of: string; readonly unique: boolean }
  | { readonly kind: 'rollup'; readonly of: string; readonly values: readonly RollupValueData[] };

/** An entity, or the rows of one of its indexes or rollups. */
export interface EntityData {
  readonly name: string;
  readonly row: RowKind;
  readonly table: string;
  /** Of its declaration as the lock file records it. */
  readonly lockVersion: string;
  readonly key: KeyData;
  readonly columns: readonly ColumnData[];
  readonly marker: { readonly family: string; readonly qualifier: Uint8Array } | undefined;
  readonly cellTime: string | undefined;
  readonly expiry: { readonly property: string; readonly ageMicros: number } | undefined;
  /** Families with cells that garbage collection removes by age, and the rule as text. */
  readonly maxAges: readonly {
    readonly family: string;
    readonly micros: number;
    readonly rule: string;
  }[];
  /** The cell without which a row does not exist; undefined for any of its families. */
  readonly existsBy: { readonly family: string; readonly qualifier: Uint8Array } | undefined;
  /** Why other languages must not write its rows; empty if they may. */
  readonly unwritable: readonly string[];
}
