/**
 * What every segment kind gives: a field, which writes a value as raw bytes and reads them back.
 * Escaping, delimiters, null and whole keys belong to the framings; a field knows nothing of them.
 * The field states its own direction and limits: nobody guesses from bytes.
 */
import type { KeyWriter } from '../encoding/key-writer.js';

/**
 * The value of the raw bytes `[start, end)`, or notAValue. Only indexes `bytes`: they may lie in
 * lmdb's shared buffer.
 */
export type FieldReader = (bytes: Uint8Array, start: number, end: number) => unknown;

/** One end of a `between`, in the order of values. */
export interface FieldBound {
  readonly value: unknown;
  readonly inclusive: boolean;
}

/** Values of one segment as raw bytes, order kept (turned round when `descending`). */
export interface Field {
  /** Appends the raw bytes of the value; throws a SegmentValueError when it has none. */
  write(out: KeyWriter, value: unknown): void;
  /** A reader; it may keep small buffers, so one for each decoder. */
  reader(): FieldReader;
  /** Fewest raw bytes a value takes. */
  readonly minLength: number;
  /**
   * Most raw bytes a value takes; Infinity when nothing limits it. Equal to minLength: fixed width.
   */
  readonly maxLength: number;
  /**
   * Most bytes a value takes however it is escaped, where that is less than every raw byte escaped:
   * a character of text is escaped, or takes many bytes, never both.
   */
  readonly maxEscaped?: number;
  /** No raw byte is less than this, so a framing knows whether it must look for bytes to escape. */
  readonly leastByte: number;
  /** Values are strings, numbers or bigints, so a reader may hand out the same one twice. */
  readonly immutable: boolean;
  /** Greatest value first. */
  readonly descending: boolean;
  /** No encoding is the beginning of another, so order holds whatever follows. */
  readonly prefixFree: boolean;
  /** Why ranges over values cannot be served; undefined when they can. */
  readonly noRanges?: string;
  /** Text fields: raw bytes every value that starts with `text` starts with. */
  readonly startsWith?: (out: KeyWriter, text: string) => void;
  /** Domain fields: two ranges serve a domain and its sub-domains. */
  readonly subdomains?: boolean;
  /**
   * Many values share one key (floored times): the bound on the written values that covers all that
   * answer.
   */
  readonly bound?: (end: 'from' | 'to', bound: FieldBound) => FieldBound;
  /**
   * Type Bigtable's row_key_schema gives the raw bytes in the ordered format; null in STRING and
   * BYTES is escape_nulls there.
   */
  readonly sqlType: 'STRING' | 'BYTES' | 'INT64' | 'TIMESTAMP';
  /**
   * Characters values are written with besides letters and digits; a delimited key must not use one
   * of them.
   */
  readonly punctuation: string;
  /** The encoding in a few words, for people. */
  readonly encoding: string;
}
