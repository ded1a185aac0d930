/** Options, progress and result of `importRows`. */
import type { RowFormat } from '../file/row-format.js';
import type { Rejected } from './reject-file.js';

/** Progress of an import. */
export interface ImportProgress {
  /** Lines written, including lines of earlier runs. */
  readonly written: number;
  /** How many of these lines were written by earlier runs. */
  readonly fromEarlierRuns: number;
  /** Lines rejected, including lines of earlier runs. */
  readonly rejected: number;
  /** Fraction of the file's bytes that was read, 0 to 1; undefined for a stream. */
  readonly fraction: number | undefined;
}

/** Options of `importRows`. */
export interface ImportOptions {
  readonly format: RowFormat;
  /** Whether the input is compressed with gzip; default false. */
  readonly gzip?: boolean;
  /**
   * File for rejected lines, as JSON Lines with their number, the reason and the text; by default
   * they are only counted.
   */
  readonly rejects?: string;
  /** Ends the import with an error once more lines than this are rejected; default: no limit. */
  readonly maxRejected?: number;
  /**
   * Resume a stopped import of this file into the same entity, with the same options for what its
   * lines become; other options are rejected with FILE_FAILED. If there is nothing to resume,
   * import from the start. Default false.
   */
  readonly resume?: boolean;
  /** CSV: the character between fields; default a comma. */
  readonly delimiter?: string;
  /**
   * CSV: the properties of columns with other names in the header: `{ 'Device ID': 'device' }`.
   * Other columns have the names of their properties.
   */
  readonly columns?: Readonly<Record<string, string>>;
  /**
   * CSV: maximum length in characters of a record that spans several lines; default 1,048,576. A
   * longer one is rejected as a quote that is not closed, and the next line is read.
   */
  readonly maxRecordLength?: number;
  /**
   * The time zone of timestamps without one, such as `2026-11-20 09:30:00`: 'UTC' or an offset,
   * '+02:00'. By default they are rejected.
   */
  readonly zone?: string;
  /**
   * The Date segment or column with the timestamps of cells that have none in the file; default:
   * what the entity declares (`cellTimestamp`, `expiresAt`), else the time of the import. A line
   * without a value for it is rejected.
   */
  readonly cellTimes?: string;
  /** Ignore names that are not properties, instead of rejecting the line; default false. */
  readonly ignoreUnknown?: boolean;
  /** Whether schemas and class-validator rules of the entity are checked; default true. */
  readonly validate?: boolean;
  /**
   * Called once for the timestamp of all cells that have none in the file, in milliseconds since
   * 1970; default `Date.now`. A resumed import uses the timestamp of its first run.
   */
  readonly clock?: () => number;
  /**
   * Read and check every line and write nothing: `written` then counts the lines that would be
   * written, and `existing` those that change rows which exist. What only a write finds is not
   * found, such as a value of a unique index that another row has. Default false.
   */
  readonly dryRun?: boolean;
  /** Called with each rejected line, and why it was rejected. */
  readonly onRejected?: (rejected: Rejected) => void;
  /** Called after each batch. */
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of `importRows`. */
export interface ImportResult {
  /** Lines written, including lines of earlier runs. */
  readonly written: number;
  /** Lines rejected, including lines of earlier runs. */
  readonly rejected: number;
  /** Of a dry run: lines of rows that exist already. */
  readonly existing?: number;
  /**
   * Lines that were written, and that no read finds: their cells are older than the `maxAge` of
   * their families. Newer cells of their rows stay, such as the cells of an earlier import.
   */
  readonly expired: number;
  /**
   * Lines with a time in their key that is over by the `maxAge` of their families. They stay as
   * long as new rows, because their cells have the time of the import: `cellTimes` changes that.
   */
  readonly keptLonger?: { readonly property: string; readonly lines: number };
  /**
   * The reasons for the rejected lines, with their number, most frequent first. Reasons of earlier
   * runs are included.
   */
  readonly reasons: readonly { readonly reason: string; readonly lines: number }[];
  /** The line after which this run started; 0 if the import was not resumed. */
  readonly resumedAfter: number;
}
