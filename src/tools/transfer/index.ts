/** Import and export of rows, and migration to a new declaration. */
export {
  exportRows,
  type ExportableQuery,
  type ExportOptions,
  type ExportProgress,
  type ExportResult,
} from './export/export.js';
export { exportStateFile } from './export/export-state.js';
export { importStateFile } from './import/import-state.js';
export { importRows } from './import/import.js';
export type { ImportOptions, ImportProgress, ImportResult } from './import/import-options.js';
export type { KeyCollision } from './migrate/key-collisions.js';
export { migrate } from './migrate/migrate.js';
export type {
  MigrateOptions,
  MigrationProgress,
  MigrationResult,
  MovedKeys,
} from './migrate/migrate-options.js';
export { defineMigration, type Migration } from './migrate/migration.js';
export { type CsvColumns, csvHeaderText, csvText } from './file/line-reader.js';
export { formatOfName, type RowFormat } from './file/row-format.js';
export { replaceFile } from './file/replace-file.js';
export type { ByteSink, ByteSource } from './file/byte-streams.js';
