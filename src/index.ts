/** The front door: names only. */

// Declaring
export * from '../decorators/index.js';
export {
  column,
  columnMap,
  counter,
  packed,
  versions,
  type CellSource,
  type CellValue,
  type ColumnDefinition,
  type ColumnOptions,
  type MessageSource,
  type PackedOptions,
  type QualifierOptions,
} from './model/index.js';
export {
  field,
  mapField,
  repeatedField,
  type FieldDefinition,
  type FieldOptions,
  type FieldSource,
  type FieldValue,
} from './model/index.js';
export { fieldNumbers, type FieldNumbers } from './model/index.js';
export {
  defineEntity,
  type EntityDefinition,
  type SegmentDefinition,
  type SegmentKindFor,
} from './model/index.js';
export { defineMessage, type MessageDefinition } from './model/index.js';
export { accessPatterns, enumOf, literal, rowKey, table } from './model/index.js';
export {
  intersection,
  max,
  maxAge,
  maxVersions,
  min,
  sum,
  union,
  type AggregateOptions,
  type Duration,
} from './model/index.js';
export { fromProto, type ProtoMessage, type ProtoMessageName } from './codegen/index.js';
export { delimited } from './key/index.js';
export type {
  Constructor,
  EntityOptions,
  EnumDeclaration,
  ForeignCodec,
  ForeignWriter,
  KeyLiteral,
  TableDeclaration,
  Version,
} from './model/index.js';
export type {
  SegmentKind,
  SegmentOptions,
  SegmentOrder,
  SegmentType,
  SegmentValues,
} from './key/index.js';
export type { FieldKind, FieldValues, MapKeyKind, ScalarKind, ScalarValues } from './cell/index.js';
export { CellFault, unknownFields, type CellCodec } from './cell/index.js';

// What was declared
export {
  describe,
  type ColumnDescription,
  type EntityDescription,
  type FieldDescription,
} from './model/index.js';
export type {
  AccessPattern,
  AccessPatterns,
  PatternBound,
  PatternFault,
  PatternModel,
  PatternValues,
} from './model/index.js';
export type {
  ColumnModel,
  EntityClass,
  EntityModel,
  SegmentModel,
  TableModel,
} from './model/index.js';
export type {
  CheckPrefix,
  EntityError,
  First,
  KeyFault,
  KeyParts,
  Leading,
  Next,
  QueryError,
  RowKeyOf,
  Segments,
  SegmentValue,
} from './model/index.js';
export type { FieldShape, FieldType, MessageShape } from './cell/index.js';
export type {
  KeyCodec,
  KeyDecoder,
  KeyFormat,
  KeyPart,
  KeyQuestion,
  KeyRanges,
  KeySpec,
  SegmentBound,
  ShardSpec,
} from './key/index.js';

// Opening, asking and writing
export type { LiveSettings } from './engines/bigtable/index.js';
export * from './repository/index.js';
export { Explanation, type ExplainedRange } from './query/index.js';
export type { ObserveOptions } from './observe/index.js';
export type { ValidationIssue } from './mapping/index.js';

// Rows in and out
export { defineMigration, exportRows, importRows, migrate } from './transfer/index.js';
export type {
  ExportOptions,
  ExportProgress,
  ExportResult,
  ImportOptions,
  ImportProgress,
  ImportResult,
  MigrateOptions,
  Migration,
  MigrationPhase,
  MigrationProgress,
  MigrationResult,
  MovedKeys,
  RowFormat,
} from './transfer/index.js';

// Storage in Bigtable's own terms
export * from './store/index.js';
export type { KeyRange } from './bytes/index.js';
export { everyKey, nextPrefix, pointRange, prefixRange } from './bytes/index.js';

// Errors
export {
  errorMessages,
  RowsmithError,
  type ErrorCode,
  type ErrorDetails,
  type Fault,
} from './errors.js';
