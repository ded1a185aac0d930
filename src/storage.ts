/**
 * Entry point `rowsmith/storage`: rows, cells and ranges in Bigtable's own terms, for code that
 * works below entities. `db.engine` and `openEngine(url)` speak it.
 */
export { openEngine, type EngineOptions } from './engines/index.js';
export {
  compareBytes,
  copyBytes,
  everyKey,
  fromHex,
  nextPrefix,
  pointRange,
  prefixRange,
  toHex,
  type KeyRange,
} from './base/index.js';
export {
  collectRows,
  copyRow,
  planAfter,
  type Aggregate,
  type AutomatedBackup,
  type Cell,
  type CheckAndMutate,
  type Compaction,
  type DropTarget,
  type Engine,
  type FamilyChange,
  type Filter,
  type Granularity,
  type Micros,
  type Mutation,
  type QualifierBound,
  type ReadModifyWriteRule,
  type ReadOptions,
  type ReadPlan,
  type Row,
  type RowCursor,
  type RowMutation,
  type RowStream,
  type RowChanges,
  type RowReader,
  type SampledKey,
  type TableSchema,
  type TableUpdate,
  type ValueBound,
} from './data/store/index.js';
export type {
  KeyCodec,
  KeyDecoder,
  KeyPart,
  KeyCondition,
  KeyRanges,
  KeySpec,
  SegmentBound,
  ShardSpec,
} from './data/key/index.js';
export { CodecError } from './data/cell/index.js';
