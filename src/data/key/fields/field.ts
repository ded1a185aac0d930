/**
 * A field writes the values of one segment as raw bytes and reads them back; every segment kind
 * provides one. Escaping, delimiters, text-format null and whole keys are up to the framings. A
 * field declares its own direction and limits, so that nothing is inferred from bytes.
 */
import type { KeyWriter } from '../encoding/key-writer.js';

/** Returns the value of the raw bytes `[start, end)`, or notAValue. Must not keep `bytes`. */
export type FieldReader = (bytes: Uint8Array, start: number, end: number) => unknown;

/** One end of a `between`, in the order of values. */
export interface FieldBound {
  readonly value: unknown;
  readonly inclusive: boolean;
}

/** Maps a bound on values to the bound on the values that keys contain. */
export type BoundMapping = (end: 'from' | 'to', bound: FieldBound) => FieldBound;

/** Values of one segment as raw bytes that sort like the values (reversed when `descending`). */
export interface SegmentField {
  /** Appends the raw bytes of the value; throws a SegmentValueError if it cannot be encoded. */
  write(out: KeyWriter, value: unknown): void;
  /** Creates a reader. It may own small buffers, so every decoder needs its own. */
  reader(): FieldReader;
  /** Minimum number of raw bytes of a value. */
  readonly minLength: number;
  /**
   * Maximum number of raw bytes of a value; Infinity if there is no limit. Equal to minLength for
   * fields of fixed width.
   */
  readonly maxLength: number;
  /**
   * Maximum number of bytes of a value after escaping, if that is less than every raw byte escaped:
   * a character of text either is escaped or takes several bytes, never both.
   */
  readonly maxEscaped?: number;
  /** The lowest raw byte that occurs; a framing need not look for bytes to escape below it. */
  readonly minByte: number;
  /** Values are strings, numbers or bigints, so a reader may return the same one twice. */
  readonly immutable: boolean;
  /** The greatest value sorts first. */
  readonly descending: boolean;
  /** No encoding is a prefix of another, so values sort correctly whatever follows them. */
  readonly prefixFree: boolean;
  /** Why ranges of values cannot be served; undefined if they can. */
  readonly noRanges?: string;
  /** Text fields: appends the raw bytes with which every value that starts with `text` starts. */
  readonly startsWith?: (out: KeyWriter, text: string) => void;
  /**
   * Text fields with a stored form that depends on what follows: the texts for `startsWith`, one of
   * which every value that starts with `text` starts with.
   */
  readonly prefixForms?: (text: string) => readonly string[];
  /** Domain fields: two ranges serve a domain and its subdomains. */
  readonly subdomains?: boolean;
  /** Set if several values share one key (floored times): covers every value that matches. */
  readonly mapBound?: BoundMapping;
  /**
   * The type of the raw bytes in Bigtable's row_key_schema for the ordered format. There, null in
   * STRING and BYTES is escape_nulls.
   */
  readonly sqlType: 'STRING' | 'BYTES' | 'INT64' | 'TIMESTAMP';
  /**
   * Characters that values are written with besides letters and digits; the delimiter of a
   * delimited key must not be one of them.
   */
  readonly punctuation: string;
  /** Enums by name: all values, so that two segments can be compared member by member. */
  readonly members?: readonly string[];
  /** A short human-readable description of the encoding. */
  readonly encoding: string;
}
