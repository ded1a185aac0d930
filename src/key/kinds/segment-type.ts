/**
 * What `@Segment` declares of one segment: its kind and the kind's options. FORMAT.md gives the
 * bytes of each kind.
 */

/**
 * Direction of a segment in the key. `desc` sorts the greatest value first: newest first for times.
 */
export type SegmentOrder = 'asc' | 'desc';

/** The TypeScript value of each segment kind. */
export interface SegmentValues {
  /** Text without lone surrogates. */
  string: string;
  /** Safe integer of either sign. */
  int: number;
  /** Safe integer, zero or more. */
  uint: number;
  /** Integer of any size up to 99 digits; with `width`, fixed width. */
  bigint: bigint;
  /** IEEE 754 double without NaN; -0 is written as 0. */
  float: number;
  /** Decimal number as text, `scale` digits after the point: `'12.34'`. */
  decimal: string;
  bool: boolean;
  /** One of the declared `values`. */
  enum: string;
  /**
   * Moment in `unit` since 1970 (default ms); with `floor`, the start of its hour, day or interval.
   */
  timestamp: Date;
  /** Microseconds since 1970, exact. */
  micros: bigint;
  /** Moment as ISO 8601 text, years 0000 to 9999. */
  isoDate: Date;
  /** Canonical UUID text, lower case. */
  uuid: string;
  /** ULID, upper case. */
  ulid: string;
  /** Any bytes. */
  bytes: Uint8Array;
  /** Sequential id whose digits are reversed to spread writes; equality only. */
  reversedId: number;
  /** Domain name, labels reversed; equality, and domain with sub-domains. */
  domain: string;
}

/** The kinds of segments there are. */
export type SegmentKind = keyof SegmentValues;

/** Options of segments; each kind takes its own, and anything else is a declaration fault. */
export interface SegmentOptions {
  /** Default `asc`. */
  readonly order?: SegmentOrder;
  /** The value may be null, which sorts before everything (after it in `desc`). Default false. */
  readonly nullable?: boolean;
  /**
   * string: longest value in UTF-16 units, so that the worst-case key length is known. bytes:
   * longest in bytes.
   */
  readonly maxLength?: number;
  /** string: normalise to NFC before writing. */
  readonly normalize?: 'NFC';
  /** string: lower-case before writing. */
  readonly lower?: boolean;
  /**
   * uint, int, bigint, decimal, reversedId: decimal digits. Defaults: uint and int 16 (safe
   * integers), reversedId 16, decimal 16.
   */
  readonly width?: number;
  /** uint, int: greatest value, from which the width follows. */
  readonly max?: number;
  /** decimal: digits after the point; required there. */
  readonly scale?: number;
  /** enum: the members, in order; required there. */
  readonly values?: readonly string[];
  /**
   * enum: write names (default, sorts by name) or two-digit ordinals (sorts as declared; reordering
   * is a data migration).
   */
  readonly by?: 'name' | 'ordinal';
  /** timestamp: unit of the number in the key. Default ms. */
  readonly unit?: 's' | 'ms' | 'us' | 'ns';
  /**
   * timestamp: floor (UTC) to the hour, the day, or a whole number of milliseconds, for wide rows.
   */
  readonly floor?: 'hour' | 'day' | number;
  /**
   * timestamp, micros, desc only: subtract from all nines (default) or from Long.MAX_VALUE, as in
   * Bigtable's documentation.
   */
  readonly reverseFrom?: 'nines' | 'long';
  /** isoDate: whole moments (default) or only the day. */
  readonly precision?: 'ms' | 'day';
  /** uuid: 36 characters (default) or 32 without dashes. */
  readonly dashes?: boolean;
}

/** A segment kind with its options. */
export interface SegmentType extends SegmentOptions {
  readonly kind: SegmentKind;
}
