/** Rows that follow from other rows, kept right by wrappers of the engine. */
export { PendingWrites } from './pending-writes.js';
export {
  checkRollup,
  type DifferenceKind,
  type RollupCheckOptions,
  type RollupDifference,
  type RollupReport,
} from './rollup/check-rollup.js';
export type { RollupRangeOptions } from './rollup/rollup-range.js';
export { OpenBuckets } from './rollup/open-buckets.js';
export { probeConditionalWrites } from './index/probe-conditional-writes.js';
export { IndexWriter } from './index/index-writer.js';
export { entryKeyOf, type IndexedRow, IndexedRows } from './index/indexed-row.js';
export { entryFormats, IndexStates } from './index/index-states.js';
export { buildIndex } from './check/build-index.js';
export { dropIndex } from './check/drop-index.js';
export { type FindingKind, findingKinds, type StoredFinding } from './check/finding.js';
export { type CheckedPage, checkedPages } from './check/index-check.js';
export { isMaintained, maintainIndexes } from './index/maintain-indexes.js';
export type { Propagation } from './copy/propagation.js';
export { type CopyMode, Propagator } from './copy/propagator.js';
