/** One row as a line holds it: the properties of the entity, and what an exact copy also needs. */

/** Names in a record that are no properties. */
export const extras = {
  /** Microseconds of the cells: one number, or by property where they differ. */
  at: '@at',
  /** Versions behind the newest: by property, `[[microseconds, value], ...]`. */
  older: '@older',
} as const;

/** The marker's name in `@at`. */
export const markerName = '@marker';

/** A record: values as JSON holds them. */
export type RowRecord = Record<string, unknown>;
