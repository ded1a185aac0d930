/** Rows in and out: import, export, and moving rows to a new declaration. */
export {
  exportRows,
  type ExportOptions,
  type ExportProgress,
  type ExportResult,
} from './export.js';
export { exportStateFile } from './export-state.js';
export { importStateFile } from './import-state.js';
export {
  importRows,
  type ImportOptions,
  type ImportProgress,
  type ImportResult,
} from './import.js';
export {
  migrate,
  type MigrateOptions,
  type MigrationProgress,
  type MigrationResult,
  type MovedKeys,
} from './migrate.js';
export { defineMigration, type Migration } from './migration.js';
export type { MigrationPhase } from './migration-state.js';
export { formatOfName, type RowFormat } from './row-file.js';
