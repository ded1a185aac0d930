/** One stored version of a column: an element of a `@Versions` property. */

/** A value of a column and the moment it was written for. */
export interface Version<T> {
  /** Timestamp of the cell, in whole milliseconds. */
  at: Date;
  /** The value stored then. */
  value: T;
}
