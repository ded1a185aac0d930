/** Declarations of entities and messages, their checks, and the model that other layers read. */
export {
  type AccessPattern,
  accessPatterns,
  type AccessPatterns,
  type PatternBound,
  type PatternFault,
  type PatternSegments,
  type PatternValues,
} from './declaration/keys/access-pattern.js';
export { type AggregateOptions, aggregate } from './declaration/columns/aggregate-family.js';
export { argumentError } from './argument-error.js';
export { authorizedView, type AuthorizedViewOptions } from './authorized-view.js';
export { buildModel, buildModels } from './build/build.js';
export { readOnlyView } from './build/build-view.js';
export { isConstantDefault } from './build/build-reading.js';
export { tableSchemas } from './build/check-tables.js';
export {
  type CheckRollups,
  type HasRollups,
  type RollupDeclaration,
  type Rollups,
  rollups,
  type RollupTime,
  type RollupValue,
} from './declaration/derived/rollups.js';
export {
  bucketState,
  marksProperty,
  type RollupCell,
  rollupFamilies,
  type RollupResult,
  type RollupSource,
  rollupTokens,
  rowsProperty,
  stateProperty,
  type Scaled,
} from './rollup-model.js';
export { type RollupModel } from './model.js';
export type {
  CheckScope,
  CheckScopeValues,
  Fixed,
  FixedOf,
  Scoped,
  ScopeValues,
} from './declaration/keys/scope-types.js';
export { scopedModel } from './build/scoped-model.js';
export {
  type CellSource,
  type CellValue,
  type EmittedValue,
  column,
  columnMap,
  type ColumnDefinition,
  type ColumnOptions,
  counter,
  type MapKey,
  type MapOptions,
  type MessageSource,
  packed,
  type PackedOptions,
  type QualifierOptions,
  versions,
} from './declaration/columns/column-definition.js';
export type {
  LintDeclaration,
  LintExpectation,
  LintIgnoreDeclaration,
} from './declaration/lint-declaration.js';
export type {
  Constructor,
  EntityOptions,
  EnumDeclaration,
  CustomCodec,
  CustomWriter,
  KeyLiteral,
  TableDeclaration,
  ClassDeclaration,
  DesignType,
} from './declaration/declaration.js';
export {
  defineEntity,
  type Declared,
  type EntityDefinition,
  type SegmentDefinition,
  type SegmentKindFor,
} from './define-entity.js';
export { createdAt, revision, updatedAt } from './declaration/columns/managed-columns.js';
export { type ManagedRole } from './declaration/declaration.js';
export { defineMessage, type MessageDefinition } from './declaration/messages/define-message.js';
export { describeEntity, keyWarnings } from './describe/describe.js';
export {
  type ColumnDescription,
  type CopyDescription,
  type EntityDescription,
  type FieldDescription,
  type IndexDescription,
  type RollupDescription,
} from './describe/description.js';
export { enumOf } from './declaration/columns/enum-of.js';
export {
  field,
  type FieldDefinition,
  type FieldOptions,
  type FieldSource,
  type FieldValue,
  mapField,
  repeatedField,
} from './declaration/messages/field-definition.js';
export {
  fieldNumbers,
  type FieldNumbers,
  firstReservedNumber,
  lastReservedNumber,
  type UnnumberedMessage,
  unnumberedMessages,
  assignedNumber,
} from './declaration/messages/field-numbers.js';
export {
  type Duration,
  durationMicros,
  gcRuleSize,
  gcRuleText,
  intersection,
  maxAge,
  maxAgeOf,
  maxVersions,
  union,
} from './gc-rule.js';
export { gcRuleKey, normalGcRule } from './normal-gc-rule.js';
export type {
  After,
  CheckPrefix,
  ClassHooks,
  EntityClass,
  EntityStatics,
  EntityError,
  First,
  GroupHint,
  GroupSegments,
  Hint,
  KeyFault,
  KeyParts,
  Leading,
  NameList,
  Next,
  NextHint,
  QueryError,
  RowKeyOf,
  Segments,
  SegmentValue,
  UpTo,
} from './declaration/keys/key-types.js';
export { messagesOf } from './messages-of.js';
export type {
  ColumnModel,
  EntityHooks,
  CopyModel,
  EntityModel,
  EntryColumns,
  EntryExpiry,
  IndexModel,
  ManagedProperties,
  OwnColumn,
  PatternModel,
  SchemaModel,
  SegmentModel,
  SourceModel,
  TableModel,
  ValueRules,
  ViewModel,
} from './model.js';
export {
  indexOn,
  type IndexDeclaration,
  type Indexes,
  indexes,
  type IndexKey,
  type IndexNames,
  type IndexPart,
  type IndexSegment,
  uniqueIndexOn,
} from './declaration/derived/indexes.js';
export type {
  CheckIndexes,
  CheckIndexScope,
  CoveredNames,
  IndexValue,
  ScopedIndexKey,
} from './declaration/derived/index-types.js';
export { entryColumns, isOwnFamily } from './build/derived/entry-columns.js';
export { indexStatesModel, stateColumns } from './build/derived/index-states-model.js';
export {
  type CheckCopies,
  copies,
  type Copies,
  type CopyDeclaration,
  type CopyFault,
  copyOf,
  type HasCopies,
} from './declaration/derived/copies.js';
export {
  type CheckReferences,
  type Including,
  isReference,
  reference,
  type Reference,
  type References,
} from './declaration/derived/references.js';
export { markColumns, markToken } from './build/derived/build-marks.js';
export { storedModels } from './stored-models.js';
export { literal, rowKey } from './declaration/keys/row-key.js';
export type { Generated, MadeBy, MakerOf } from './declaration/made.js';
export { table } from './declaration/table.js';
export type { CheckSchema } from './declaration/keys/check-schema.js';
export type { JudgedType, SchemaOption, StandardSchema } from './declaration/standard-schema.js';
export type { Version } from './declaration/version.js';
export { recordOn, declarationOf } from './declaration/class-record.js';
export {
  fieldDesignTypes,
  scalarDesignTypes,
  segmentDesignTypes,
} from './declaration/design-type.js';
export { defineToJson } from './json/to-json-method.js';
export { type EntityJson, entityJson, plainRowJson } from './json/entity-json.js';
export { invalidValueError, invalidValuesError, isInvalidValue } from './invalid-value.js';
export { columnRulesText, segmentRulesText } from './describe/rules-text.js';
export { idMakers } from './rules/generated-ids.js';
export { givenValues } from './rules/given-values.js';
export { assertValues } from './rules/assert-values.js';
export { byProperty } from './rules/issues-by-property.js';
export { type SchemaRules, schemaRules, type Verdict } from './rules/schema-rules.js';
export {
  type HeldRules,
  declaredRules,
  type Issues,
  issuesError,
  membersText,
  type ValidationIssue,
} from './rules/declared-rules.js';
export { entityName } from './declaration/entity-name.js';
export { declarationDifferences } from './identity/differences.js';
export { isEntityOf, isSameEntity } from './identity/same-entity.js';
export { looksChosen } from './build/check-names.js';
export { qualifiersOf } from './column-qualifiers.js';
