/** The formats of row keys. */

/** How segments are written and joined. FORMAT.md specifies each format. */
export type KeyFormat =
  /** Human-readable, delimiter `#`, escaped with `$`: Bigtable's DelimitedBytes. The default. */
  | 'text'
  /** Binary, exact for every value: Bigtable's OrderedCodeBytes. */
  | 'ordered'
  /**
   * For existing tables: text segments joined by a delimiter, nothing escaped. A value that
   * contains the delimiter is rejected.
   */
  | { readonly kind: 'delimited'; readonly delimiter: string };
