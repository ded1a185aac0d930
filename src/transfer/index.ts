/** Rows in and out: import, export, and moving rows to a new declaration. */
export { exportRows, type ExportOptions, type ExportResult } from './export.js';
export { importRows, type ImportOptions, type ImportProgress, type ImportResult } from './import.js';
export { formatOfName, type RowFormat } from './row-file.js';
