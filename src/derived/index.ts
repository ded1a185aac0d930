/** Rows that follow from other rows, and the writes that keep them right. */
export { maintainIndexes } from './index/maintain-indexes.js';
export { IndexWriter } from './index/index-writer.js';
export { entryKeyOf, type IndexedRow, IndexedRows } from './index/indexed-row.js';
