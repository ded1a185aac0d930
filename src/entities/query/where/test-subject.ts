/** What a condition is tested on, as data. */
import type { MessageShape } from '../../../data/cell/index.js';
import type { Check } from './condition.js';
import type { ValueMatcher } from './matcher.js';

/** The values of a property or a field, and the conditions that they allow. */
export interface Subject {
  /** Path of the property, for errors: `status.battery`. */
  readonly path: string;
  /** Whether values can be compared for equality. */
  readonly equality: boolean;
  /** Whether values have an order. */
  readonly order: boolean;
  /** What the beginning of a value is; undefined if values have none. */
  readonly text: 'string' | 'bytes' | 'any' | undefined;
  /** The fields of the value; `any` if they are not declared; undefined if it has none. */
  readonly fields?: MessageShape | 'any';
  /** Set for segments of the key. */
  readonly segment?: SegmentTest;
  /** A copy of an operand, as it would be read from storage. Throws CodecError. */
  readonly operand: (value: unknown) => unknown;
}

/** Tests of one segment. */
export interface SegmentTest {
  readonly allows: Pick<Subject, 'equality' | 'order' | 'text'>;
  /** Checks an operand of an equality; returns a copy. Throws INVALID_KEY. */
  readonly operand: (value: unknown) => unknown;
  /** Throws INVALID_KEY or INVALID_QUERY for a check that bounds of this segment do not have. */
  readonly check: (check: Check) => void;
  readonly compile: (checks: readonly Check[]) => ValueMatcher;
  /**
   * The bytes that a key contains if the segment has this value; undefined if they depend on where
   * in the key it is.
   */
  readonly keyBytes: (value: unknown) => Uint8Array | undefined;
}
