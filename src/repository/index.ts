/** Where meaning and storage meet. */
export type { BulkFailure, BulkOptions, BulkProgress, BulkResult } from './bulk-write.js';
export type { Clock } from './clock.js';
export { Database } from './database.js';
export type { ApplyOptions, DatabaseAdmin } from './database-admin.js';
export type {
  AppendKeys,
  CallOptions,
  Changes,
  ColumnKeys,
  CounterKeys,
  DataKeys,
  Init,
  KeyOf,
  Selected,
  VersionOf,
  WriteCondition,
  WriteOptions,
} from './entity-types.js';
export { open, type OpenOptions } from './open.js';
export type { PatternMethods, PatternResult } from './pattern-methods.js';
export type { Page, PageRequest, QueryRoot, RangeQuery, RowQuery } from './query-types.js';
export type { HistoryOptions, Repository, RepositoryOf } from './repository-types.js';
export type { UnreadableRow } from './row-pages.js';
export type { SchemaChange, SchemaMode } from './schema-sync.js';
