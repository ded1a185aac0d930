/** The declaration of the qualifiers of a column map: their kind and its options. */
import type { SegmentOptions } from './segment-type.js';

/** The TypeScript value of each kind of qualifier. */
export interface QualifierValues {
  /** Text without lone surrogates, of up to 16 KiB in UTF-8. */
  string: string;
  /** Safe integer, positive or negative. */
  int: number;
  /** Safe integer, zero or more. */
  uint: number;
  /** Integer of up to 99 digits. */
  bigint: bigint;
  /** Time in `unit` since 1970; default milliseconds. */
  timestamp: Date;
  /** One of the declared `values`. */
  enum: string;
}

/** All kinds of qualifiers. */
export type QualifierKind = 'string' | 'int' | 'uint' | 'bigint' | 'timestamp' | 'enum';

/** A kind of qualifiers with its options, which mean what they mean for a segment of that kind. */
export interface QualifierType extends Pick<
  SegmentOptions,
  'order' | 'width' | 'max' | 'unit' | 'values' | 'by'
> {
  readonly kind: QualifierKind;
}
