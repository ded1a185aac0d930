/** Rows that follow from other rows, and the writes that keep them right. */
export { isMaintained, maintainIndexes } from './index/maintain-indexes.js';
export { IndexWriter } from './index/index-writer.js';
export { entryKeyOf, type IndexedRow, IndexedRows } from './index/indexed-row.js';
export { comparedCopies, type StaleCopy } from './copy/check-copies.js';
export type { Propagation } from './copy/propagation.js';
export { type CopyMode, Propagator } from './copy/propagator.js';
