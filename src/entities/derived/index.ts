/** Rows that follow from other rows; writes of the other rows keep them right. */
export { PendingWrites } from './write/pending-writes.js';
export {
  checkRollup,
  type DifferenceKind,
  type RollupCheckOptions,
  type BucketDifference,
  type BucketReport,
} from './check/check-rollup.js';
export type { RollupRangeOptions } from './rollup/rollup-range.js';
export { OpenBuckets } from './check/open-buckets.js';
export { probeConditionalWrites } from './index/probe-conditional-writes.js';
export { RowWriter } from './write/row-writer.js';
export { entryKeyOf, type WatchedRow, WatchedRows } from './write/watched-rows.js';
export { entryFormats, IndexStates } from './index/index-states.js';
export { whenReady } from './index/when-ready.js';
export { buildIndex } from './check/build-index.js';
export { dropIndex } from './check/drop-index.js';
export { pagesOf } from './check/stored-rows.js';
export { type FindingKind, findingKinds, type StoredFinding } from './check/finding.js';
export { type CheckedPage, checkedPages } from './check/index-check.js';
export { derivedWrites, isMaintained, withDerivedWrites } from './write/derived-writes.js';
export type { Propagation } from './copy/propagation.js';
export { type CopyMode, Propagator } from './copy/propagator.js';
