/** The formats of row keys. */

/** How segments are written and joined; FORMAT.md specifies each. */
export type KeyFormat =
  /** Human-readable, delimiter `#`, escapes with `$`: Bigtable's DelimitedBytes. The default. */
  | 'text'
  /** Binary, exact for every value: Bigtable's OrderedCodeBytes. */
  | 'ordered'
  /**
   * For tables that exist already: text segments joined by a character, no escaping; a value that
   * holds it is refused.
   */
  | { readonly kind: 'delimited'; readonly delimiter: string };
