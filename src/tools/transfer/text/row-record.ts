/** A row as one line of a file holds it. */

/** Names in a record that are not properties of the entity, but needed for an exact copy. */
export const extras = {
  /** Timestamps of the cells in microseconds: one number, or one by property if they differ. */
  at: '@at',
  /** Versions other than the newest: by property, `[[microseconds, value], ...]`. */
  older: '@older',
} as const;

/** The name of the marker cell in `@at`. */
export const markerName = '@marker';

/** A record: JSON values by property. */
export type RowRecord = Record<string, unknown>;
