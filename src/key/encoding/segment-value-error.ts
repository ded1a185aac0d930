/** Errors of values that have no encoding in a segment. */

/** What a field reader gives for bytes that its field never writes. */
export const notAValue: unique symbol = Symbol('not a value');

/**
 * A value that has no place in a segment: what is wrong and what to do. The key codec adds entity
 * and property.
 */
export class SegmentValueError extends Error {
  /** What to do about it. */
  readonly fix: string;
  /** The value as it was given. */
  readonly value: unknown;

  constructor(problem: string, fix: string, value: unknown) {
    super(problem);
    this.name = 'SegmentValueError';
    this.fix = fix;
    this.value = value;
  }
}

/** Throws a SegmentValueError. */
export function rejectValue(problem: string, fix: string, value: unknown): never {
  throw new SegmentValueError(problem, fix, value);
}
