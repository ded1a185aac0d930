/** Import and export: files go past the page, which only follows the progress. */
import type { ErrorLine, ProgressLine } from './failure.js';
import type { StudioQuery } from './query.js';

/** Forms of files. */
export type FileFormat = 'jsonl' | 'csv';

/** Request of `export`. Nothing is read until the file is downloaded. */
export interface ExportRequest {
  readonly query: StudioQuery;
  readonly format: FileFormat;
}

/**
 * Request of `import`, which needs `--write`. Cells keep the timestamps in the file: a newer stored
 * value stays. Lines that are no rows are counted, with their reasons.
 */
export interface ImportRequest {
  readonly entity: string;
  readonly format: FileFormat;
}

/**
 * Response of `export`, `import` and `downloadCell`. An export and a cell are downloaded by
 * navigating to `href` (GET); a file is sent to it (PUT, the bytes as they are). Each `href` works
 * once, for ten minutes.
 */
export interface Transfer {
  readonly id: string;
  readonly href: string;
  /** The name that the downloaded file will have. */
  readonly name: string;
}

/** Request of the stream `progress`. */
export interface TransferRequest {
  readonly id: string;
}

/** A line of the stream `progress`. When the page goes, the transfer goes on. */
export type TransferLine =
  ProgressLine | { readonly type: 'done'; readonly report: TransferReport } | ErrorLine;

/** How a transfer ended. */
export interface TransferReport {
  readonly rows: number;
  readonly bytes: number;
  /** Lines that were not imported, or rows that were not exported. */
  readonly failed: number;
  /** Why, most frequent first; at most 100 reasons. */
  readonly failures: readonly { readonly problem: string; readonly rows: number }[];
}
