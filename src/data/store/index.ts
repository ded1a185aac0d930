/** Rows, filters, mutations, schemas and the storage engine interface. */
export { databaseClosed } from './closed-database.js';
export { CellClock, type Clock } from './cell-clock.js';
export type { Cell, Micros, Row } from './row.js';
export { Silence } from './silence.js';
export type { RowCursor, RowStream } from './row-cursor.js';
export { collectRows, copyRow, noLabels } from './row-cursor.js';
export type { Filter, QualifierBound, ValueBound } from './filter.js';
export type { CheckAndMutate, Mutation, ReadModifyWriteRule, RowMutation } from './mutation.js';
export { planAfter, type ReadOptions, type ReadPlan } from './read-plan.js';
export type {
  Compaction,
  CompactionOptions,
  CompactionProgress,
  DropTarget,
  Durability,
  Engine,
  GcMode,
  RowChanges,
  RowReader,
  SampledKey,
} from './engine.js';
export type {
  Aggregate,
  AutomatedBackup,
  FamilyChange,
  FamilySchema,
  GcRule,
  Granularity,
  TableSchema,
  TableUpdate,
} from './schema.js';
export {
  checkInteger,
  checkInt64,
  checkMicros,
  checkMutationCount,
  checkMutations,
  checkQualifier,
  checkRowKey,
  checkValue,
  unknownKindError,
} from './check/arguments.js';
export {
  checkCellsShape,
  checkChangesShape,
  checkCheckShape,
  checkDropShape,
  checkReadShape,
  checkRowShape,
  checkRowsShape,
  checkRulesShape,
  checkName,
  checkTransactionShape,
  mutationCount,
} from './check/check-shape.js';
export {
  aggregateProblem,
  checkEmbeddedSettings,
  checkFamilyChanges,
  checkTableSchema,
  checkTableUpdate,
} from './check/check-schema.js';
export { failedRead } from './row-cursor.js';
export type {
  AdminRequest,
  ReadRequest,
  ResultOf,
  SendAdmin,
  SendRead,
  SendWrite,
  WriteRequest,
} from './stage/request.js';
export { type Stage, withStages } from './stage/stage.js';
export { rowMutationBytes } from './mutation-bytes.js';
export { PackedCells, PackedRow } from './packed-rows.js';
export { type ColumnSubset, type SubsetView, TableSubset } from './view/subset-view.js';
export { type OutsideWrite, type TableView, viewStage } from './view/view-stage.js';
