/** One stored version of a column. */
export interface Version<T> {
  /** Timestamp of the cell, in milliseconds. */
  readonly at: Date;
  readonly value: T;
}
