/** Rows that follow from other rows, and the writes that keep them right. */
export { maintainIndexes } from './index/maintain-indexes.js';
export { probeConditionalWrites } from './index/probe-conditional-writes.js';
export { IndexWriter } from './index/index-writer.js';
export { entryKeyOf, type IndexedRow, IndexedRows } from './index/indexed-row.js';
export { type IndexState, IndexStates } from './index/index-states.js';
export { buildIndex } from './check/build-index.js';
export { dropIndex } from './check/drop-index.js';
export { type FindingKind, findingKinds, type StoredFinding } from './check/finding.js';
export { type CheckedPage, checkedPages } from './check/index-check.js';
