/**
 * Bigtable's limits (cloud.google.com/bigtable/quotas, google/bigtable/v2/data.proto and
 * bigtable.proto). Sizes are in bytes.
 */
const mebibyte = 1024 * 1024;

/** A row key. */
export const maxRowKeyBytes = 4096;
/** A column qualifier. */
export const maxQualifierBytes = 16_384;
/** The value of one cell. */
export const maxCellBytes = 100 * mebibyte;
/** All cells of one row, while it can still be read. */
export const maxRowBytes = 256 * mebibyte;
/** Mutations of one request, over all its entries. */
export const maxMutations = 100_000;
/** A serialized RowFilter. */
export const maxFilterBytes = 20_480;
/** Nested levels of a RowFilter. */
export const maxFilterDepth = 20;
/** A serialized garbage collection rule. */
export const maxGcRuleBytes = 500;

/** The smallest int64. */
export const minInt64 = -(2n ** 63n);
/** The largest int64. */
export const maxInt64 = 2n ** 63n - 1n;
