/** Errors for values that cannot be encoded in a segment. */
import type { FaultText } from '../../../base/index.js';

/** Returned by a field reader for bytes that its field never writes. */
export const notAValue: unique symbol = Symbol('not a value');

/**
 * A value that cannot be encoded in a segment: the problem and how to fix it. The key codec adds
 * the entity and the property.
 */
export class SegmentValueError extends Error {
  /** How to fix it. */
  readonly fix: string;
  /** The value that was passed in. */
  readonly value: unknown;

  constructor({ problem, fix }: FaultText, value: unknown) {
    super(problem);
    this.name = 'SegmentValueError';
    this.fix = fix;
    this.value = value;
  }
}

/** Throws a SegmentValueError. */
export function rejectValue(fault: FaultText, value: unknown): never {
  throw new SegmentValueError(fault, value);
}
