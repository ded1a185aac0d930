/**
 * The declaration of one segment in `@Segment`: its kind and the kind's options. FORMAT.md
 * specifies the bytes of each kind.
 */

/**
 * Sort order of a segment in the key. `desc` sorts the greatest value first: newest first for
 * times.
 */
export type SegmentOrder = 'asc' | 'desc';

/** The TypeScript value of each segment kind. */
export interface SegmentValues {
  /** Text without lone surrogates. */
  string: string;
  /** Safe integer, positive or negative. */
  int: number;
  /** Safe integer, zero or more. */
  uint: number;
  /** Integer of up to 99 digits; of fixed width if `width` is set. */
  bigint: bigint;
  /** IEEE 754 double without NaN; -0 is written as 0. */
  float: number;
  /** Decimal number as text, `scale` digits after the point: `'12.34'`. */
  decimal: string;
  bool: boolean;
  /** One of the declared `values`. */
  enum: string;
  /**
   * Time in `unit` since 1970 (default ms); with `floor`, the start of its hour, day or interval.
   */
  timestamp: Date;
  /** Microseconds since 1970, exact. */
  micros: bigint;
  /** Time as ISO 8601 text, years 0000 to 9999. */
  isoDate: Date;
  /** Canonical UUID text, lower case. */
  uuid: string;
  /** ULID, upper case. */
  ulid: string;
  /** Any bytes. */
  bytes: Uint8Array;
  /** Sequential id with reversed digits, to spread writes; supports equality only. */
  reversedId: number;
  /** Domain name, labels reversed; supports equality, and a domain with its subdomains. */
  domain: string;
}

/** All kinds of segments. */
export type SegmentKind = keyof SegmentValues;

/** What the texts and numbers of a segment must be when a row is written. It changes no bytes. */
export interface SegmentRules {
  /**
   * string: minimum length in UTF-16 units of what is written, default 1. With 0, keys may have
   * empty texts. Bounds, prefixes, deletions and rows that are read may always have them.
   */
  readonly minLength?: number;
  /** string: what is written must match, as `RegExp.test` finds: anchor it with ^ and $. */
  readonly pattern?: RegExp;
  /** int, uint: minimum value that is written, inclusive. */
  readonly min?: number;
  /**
   * The id that `create` and `insert` give an entity without one: a random UUID, or a UUID or ULID
   * that begins with the time, so that later ones sort after it. Segments of kind `uuid`, `ulid` or
   * `string`.
   */
  readonly generate?: 'uuid' | 'uuidv7' | 'ulid';
}

/** Options of segments. An option that the kind does not have is a declaration fault. */
export interface SegmentOptions extends SegmentRules {
  /** Default `asc`. */
  readonly order?: SegmentOrder;
  /** Allows null, which sorts before all values (after them in `desc`). Default false. */
  readonly nullable?: boolean;
  /**
   * string: maximum length in UTF-16 units, so that the maximum key length is known. bytes: maximum
   * length in bytes.
   */
  readonly maxLength?: number;
  /** string: normalise to NFC before writing. */
  readonly normalize?: 'NFC';
  /** string: lower-case before writing. */
  readonly lower?: boolean;
  /**
   * uint, int, bigint, decimal, reversedId: number of decimal digits. Default 16 (safe integers);
   * bigint has no default.
   */
  readonly width?: number;
  /** uint, int: maximum value, inclusive; it determines the default width. */
  readonly max?: number;
  /** decimal: digits after the point; required. */
  readonly scale?: number;
  /** enum: the members, in order; required. */
  readonly values?: readonly string[];
  /**
   * enum: store names (the default; sorts by name) or two-digit ordinals (sorts as declared;
   * reordering the members requires a data migration).
   */
  readonly by?: 'name' | 'ordinal';
  /** timestamp: unit of the number in the key. Default ms. */
  readonly unit?: 's' | 'ms' | 'us' | 'ns';
  /** timestamp: floor to the UTC hour or day, or to a multiple of this many ms, for wide rows. */
  readonly floor?: 'hour' | 'day' | number;
  /**
   * timestamp, micros; `desc` only: subtract from all nines (default) or from Long.MAX_VALUE, as in
   * Bigtable's documentation.
   */
  readonly reverseFrom?: 'nines' | 'long';
  /** isoDate: date and time (default) or only the day. */
  readonly precision?: 'ms' | 'day';
  /** uuid: 36 characters (default) or 32 without dashes. */
  readonly dashes?: boolean;
}

/** A segment kind with its options. */
export interface SegmentType extends SegmentOptions {
  readonly kind: SegmentKind;
}
