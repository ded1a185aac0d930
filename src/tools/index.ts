/**
 * Entry point `rowsmith/tools`: import, export, migration, lint, recordings of accesses, and
 * declarations as data. Opening databases, reading and writing need none of it.
 */

// Import, export and migration
export {
  defineMigration,
  exportRows,
  importRows,
  migrate,
  type ByteSink,
  type ByteSource,
  type ExportableQuery,
  type ExportOptions,
  type ExportResult,
  type ImportOptions,
  type ImportResult,
  type KeyCollision,
  type MigrateOptions,
  type Migration,
  type MigrationResult,
  type MovedKeys,
  type RowFormat,
} from './transfer/index.js';

// Lint
export {
  lint,
  type LintFinding,
  type LintOptions,
  type LintResult,
  type SuppressedFinding,
} from './lint/index.js';

// Where tables are accessed over time
export {
  recordAccess,
  type AccessLog,
  type AccessRecorder,
  type AccessWindow,
  type FindingQuery,
  type HeatFinding,
  type KeySample,
  type RecordOptions,
  type TableAccess,
  type TopKey,
} from './heat/index.js';

// Declarations as data
export {
  describeEntity,
  type ColumnDescription,
  type CopyDescription,
  type EntityDescription,
  type FieldDescription,
  type IndexDescription,
  type RollupDescription,
} from '../entities/model/index.js';
