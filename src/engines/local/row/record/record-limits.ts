/**
 * Flags of a row record, and the sizes from which cells are stored outside of it; see FORMAT.md.
 */

/** First byte of a record that refers to overflow values (chunks or large cell values). */
export const hasOverflow = 1;
/** Cell values of more bytes than this are stored as overflow values. */
export const maxInlineValueBytes = 4096;
/** A family with more bytes of cells than this in the record is split into chunks... */
export const maxInlineFamilyBytes = 12 * 1024;
/** ...and is stored inline again once it has shrunk to this. */
export const minChunkedFamilyBytes = 6 * 1024;
/** Target size of a chunk in bytes; it is split again at twice this. */
export const chunkBytes = 8 * 1024;
/** Bytes of an overflow ID, a big-endian u64. */
export const overflowIdBytes = 8;
