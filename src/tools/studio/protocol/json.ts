/** Values in requests and responses. */

/** What JSON can hold. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Bytes as base64 with padding: row keys, qualifiers, and the values of stored cells. */
export type Base64 = string;

/** A time in ISO 8601 and UTC; times of cells have microseconds if they are not 0. */
export type IsoTime = string;

/**
 * The value of a segment or a column as JSON, without loss, in the form of `repository.toJSON()`
 * and `rowsmith get --json`. Which form it is follows from the kind in `SegmentInfo` or
 * `ColumnInfo`:
 *
 * - integers of up to 53 bits: a number; `bigint`, `micros` and integers of 64 bits: digits as text
 * - `float` and `double`: a number, or `"NaN"`, `"Infinity"`, `"-Infinity"`, `"-0"`
 * - `timestamp` and `isoDate`: `IsoTime`; `decimal`, `uuid`, `ulid`, `enum`, `domain`: text
 * - bytes, and values of custom codecs: `Base64`
 * - messages: an object with the fields of `MessageInfo`
 * - column maps: an object from entry keys to values; versions: a list of `{ at, value }`
 *
 * Text is whatever was stored: markup and control characters included.
 */
export type JsonValue = Json;

/** A part of a value that was too large to be sent with its row. */
export interface Cut {
  /** The property of the column, then the way into the value: fields, entry keys, positions. */
  readonly path: readonly (string | number)[];
  /** `text` in UTF-16 units, `bytes` in bytes, `list` in elements, `map` in entries. */
  readonly kind: 'text' | 'bytes' | 'list' | 'map';
  /** The stored size, in the unit of the kind. */
  readonly size: number;
  /** How much of it was sent: the first part, in the same unit. */
  readonly shown: number;
}
