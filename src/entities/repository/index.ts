/** Repositories: typed reads and writes of entities over a storage engine. */
export type {
  BulkFailure,
  BulkOptions,
  BulkProgress,
  BulkResult,
  DeleteOptions,
  DeleteResult,
  InsertManyOptions,
} from './types/bulk-types.js';
export type {
  DeleteAllOptions,
  DeleteAllProgress,
  DeleteAllReport,
  DeletedRowsOf,
  DeletionMethod,
} from './types/delete-all-types.js';
export type {
  AggregateOf,
  AggregateRow,
  Aggregates,
  GroupedQuery,
  Grouping,
  Groups,
  TimeGroup,
  TimeWidth,
} from './types/aggregate-types.js';
export type { IncrementItem, Increments, PatchItem } from './types/change-types.js';
export { Database, type DatabaseParts, type OpenDatabase } from './database/database.js';
export { type ApplyOptions, DatabaseAdmin } from './database/database-admin.js';
export { differencesOf, findingsOf, isClean } from './derived/admin/clean-report.js';
export { DerivedAdmin } from './derived/admin/derived-admin.js';
export type {
  CheckIndexOptions,
  DerivedFinding,
  DerivedProgress,
  DerivedReport,
  RollupFindings,
  DropIndexOptions,
  FindingCounts,
  IndexInfo,
  RebuildOptions,
  RebuildReport,
} from './derived/admin/derived-types.js';
export type {
  CallOptions,
  Changes,
  ColumnKeys,
  CounterKeys,
  DataKeys,
  GetOptions,
  Init,
  KeyOf,
  NotWhole,
  PointOptions,
  Selected,
  VersionOf,
  WriteCondition,
  WriteOptions,
} from './types/entity-types.js';
export type { Covered, IndexQuery } from './types/index-types.js';
export type { JsonOf } from './types/json-types.js';
export { open, openParts, type OpenOptions } from './database/open.js';
export { shared } from './database/shared.js';
export type { PatternMethods, PatternResult } from './types/pattern-types.js';
export type {
  Answer,
  Deletable,
  DerivedQuery,
  KeyBounds,
  KeyConditions,
  Page,
  PageRequest,
  QueryRoot,
  RangeQuery,
  RowQuery,
  SelectQuery,
} from './types/query-types.js';
export type { Series, SeriesOptions, TimedEntry } from './types/series-types.js';
export type {
  ConditionsOf,
  EqualityTest,
  FieldConditions,
  MessageTest,
  OrderedTest,
  PresenceTest,
  TextTest,
  ValueTest,
} from './types/where-types.js';
export {
  type CollectionExplanation,
  type ExplainedMember,
} from './collection/plan/collection-explanation.js';
export type {
  Collection,
  CollectionGroup,
  CollectionQuery,
  CollectionRange,
  CollectionRoot,
  CollectionRow,
  Entities,
} from './collection/plan/collection-types.js';
export { createEntity } from './create-entity.js';
export { bufferedCounters } from './counters/buffered-counters.js';
export type {
  BufferedCounters,
  BufferedCountersOptions,
  CounterSum,
  FailedSum,
  FlushResult,
  PendingSum,
  UnknownSum,
} from './counters/counter-types.js';
export type { Scope } from './database/scope.js';
export type { RequestCache } from './types/reference-types.js';
export type { RollupAdmin } from './derived/admin/rollup-admin.js';
export type {
  RollupDifference,
  RollupOptions,
  RollupReport,
} from './derived/admin/rollup-admin-types.js';
export type { RollupOf } from './types/rollup-types.js';
export type { CopyMode } from '../derived/index.js';
export type {
  PendingCopies,
  PropagateOptions,
  PropagationReport,
} from './derived/admin/copy-admin.js';
export type {
  HistoryOptions,
  KeyedRepository,
  Repository,
  UpdateOptions,
} from './types/repository-types.js';
export type { UnreadableRowPolicy } from './read/rows/entity-pages.js';
export type { SchemaChange, SchemaMode } from './database/schema-sync.js';
export { conflictError, gcConflict } from './database/schema-sync.js';
export { applySchemaPlan } from './schema-plan/apply-plan.js';
export { type DeclaredSchema, readSchemaPlan, type SchemaPlan } from './schema-plan/schema-plan.js';
export { safetyClasses, storedRuleText } from './schema-plan/schema-step.js';
export { type Safety, type SchemaStep } from './schema-plan/step.js';
export type { Clock } from '../../data/store/index.js';
export { EntityRepository, type QueryStarts } from './entity-repository.js';
export { querySource, type QuerySource } from './read/query/query-source.js';
