/** Import and export: files go past the page, which only follows the progress. */
import type { ErrorLine, ProgressLine } from './failure.js';
import type { StudioQuery } from './query.js';

/** Forms of files. */
export type FileFormat = 'jsonl' | 'csv';

/**
 * Request of `export`. Nothing is read until the file is downloaded. Whole rows are written with
 * their timestamps and versions, as `import` reads them. Of `select`, `asOf`, `versions`, entries
 * of an index, rollups and collections, the file has the values that the query finds; lines of a
 * collection name their entity as `@entity`.
 */
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
  /** Reads the file and checks it, and writes nothing; this needs no `--write`. */
  readonly dryRun?: boolean | undefined;
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

/** Request of the stream `progress`, and of `cancel`. */
export interface TransferRequest {
  readonly id: string;
}

/** A line of the stream `progress`. When the page goes, the transfer goes on. */
export type TransferLine =
  ProgressLine | { readonly type: 'done'; readonly report: TransferReport } | ErrorLine;

/** How a transfer ended. */
export interface TransferReport {
  readonly rows: number;
  /** 0 if they were not counted. */
  readonly bytes: number;
  /** Lines that were not imported. */
  readonly failed: number;
  /** Why, most frequent first; at most 100 reasons. */
  readonly failures: readonly { readonly problem: string; readonly rows: number }[];
  /** The first of these lines, at most 100. */
  readonly badLines?: readonly { readonly line: number; readonly problem: string }[] | undefined;
  /** Set for a dry run: `rows` would be written, and so many of them change rows that exist. */
  readonly dryRun?: { readonly existing: number } | undefined;
  /** Rows with cells that are older than the rules of their families: no read finds them. */
  readonly expired?: number | undefined;
  /** Set if it was cancelled. Imported rows stay: `rows`, and maybe a part of the next ones. */
  readonly cancelled?: true | undefined;
}
