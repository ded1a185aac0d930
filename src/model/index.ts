/** What an entity is: declarations, their checks, and the model that everything else reads. */
export {
  type AccessPattern,
  accessPatterns,
  type AccessPatterns,
  type PatternBound,
  type PatternFault,
  type PatternValues,
} from './access-pattern.js';
export { type AggregateOptions, max, min, sum } from './aggregate-family.js';
export { buildModel, buildModels } from './build.js';
export { tableSchemas } from './check-tables.js';
export {
  type CellSource,
  type CellValue,
  column,
  columnMap,
  type ColumnDefinition,
  type ColumnOptions,
  counter,
  type MessageSource,
  packed,
  type PackedOptions,
  type QualifierOptions,
  versions,
} from './column-definition.js';
export type {
  Constructor,
  EntityOptions,
  EnumDeclaration,
  ForeignCodec,
  ForeignWriter,
  KeyLiteral,
  TableDeclaration,
} from './declaration.js';
export {
  defineEntity,
  type EntityDefinition,
  type SegmentDefinition,
  type SegmentKindFor,
} from './define-entity.js';
export { defineMessage, type MessageDefinition } from './define-message.js';
export {
  type ColumnDescription,
  describe,
  type EntityDescription,
  type FieldDescription,
  keyWarnings,
} from './describe.js';
export { enumOf } from './enum-of.js';
export {
  field,
  type FieldDefinition,
  type FieldOptions,
  type FieldSource,
  type FieldValue,
  mapField,
  repeatedField,
} from './field-definition.js';
export {
  fieldNumbers,
  type FieldNumbers,
  type UnnumberedMessage,
  unnumberedMessages,
} from './field-numbers.js';
export {
  type Duration,
  gcRuleSize,
  gcRuleText,
  intersection,
  maxAge,
  maxVersions,
  union,
} from './gc-rule.js';
export type {
  CheckPrefix,
  EntityClass,
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
} from './key-types.js';
export { messagesOf } from './messages-of.js';
export type { ColumnModel, EntityModel, PatternModel, SegmentModel, TableModel } from './model.js';
export { literal, rowKey } from './row-key.js';
export { table } from './table.js';
export type { Version } from './version.js';
