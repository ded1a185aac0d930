/**
 * Bigtable's limits (cloud.google.com/bigtable/quotas, google/bigtable/v2/data.proto and
 * bigtable.proto). Sizes are in bytes.
 */
const mebibyte = 1024 * 1024;

/** Length of a row key. */
export const maxRowKeyBytes = 4096;
/** Length of a column qualifier. */
export const maxQualifierBytes = 16_384;
/** Size of the value of one cell. */
export const maxCellBytes = 100 * mebibyte;
/** Total size of a row; larger rows cannot be read. */
export const maxRowBytes = 256 * mebibyte;
/** Sizes that Bigtable recommends not to exceed (cloud.google.com/bigtable/docs/schema-design). */
export const recommendedCellBytes = 10 * mebibyte;
export const recommendedRowBytes = 100 * mebibyte;
/** Number of mutations in one request, over all its entries. */
export const maxMutations = 100_000;
/** Size of a serialized RowFilter. */
export const maxFilterBytes = 20_480;
/** Nesting depth of a RowFilter. */
export const maxFilterDepth = 20;
/**
 * Cells of one row in the output of an interleave or a sink, which copy cells. Our own limit:
 * Bigtable documents none.
 */
export const maxFilteredCells = 1_000_000;
/** Size of a serialized garbage collection rule. */
export const maxGcRuleBytes = 500;

/** Length of the token of an idempotent write, and how long it is kept in milliseconds. */
export const minTokenBytes = 8;
export const idempotencyMs = 15 * 60 * 1000;
/** The table in which embedded engines keep these tokens; it is not listed. */
export const tokenTable = '_rowsmith.tokens';

/** The smallest int64. */
export const minInt64 = -(2n ** 63n);
/** The largest int64. */
export const maxInt64 = 2n ** 63n - 1n;
