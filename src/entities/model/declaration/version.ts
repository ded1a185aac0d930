/** Stored versions of a column. */

/** A stored version of a column: an element of a `@Versions` property. */
export interface Version<T> {
  /** The cell's timestamp, in whole milliseconds. */
  at: Date;
  /** The cell's value. */
  value: T;
}
