/** How requests fail. */

/**
 * The body of each response with a status of 400 and above, and of the line `error` in a stream:
 *
 * - 400 a request that cannot be read, or that the library refuses
 * - 401 no cookie: open the link that the terminal printed
 * - 403 another Host or Origin, or a change without `--write` (READ_ONLY)
 * - 404 no such call, row, entity or table
 * - 409 a conflict with another writer; FULL_SCAN, which asks for consent
 * - 413 a body that is too large
 * - 503 the back end cannot be reached
 */
export interface StudioFailure {
  /** An error code of Rowsmith, or one of `StudioCode`. */
  readonly code: string;
  /** What happened, as a sentence. */
  readonly message: string;
  /** What exactly is wrong in this case. */
  readonly problem?: string | undefined;
  /** What to do about it. */
  readonly fix?: string | undefined;
  readonly entity?: string | undefined;
  /** The segment, column or field of the request that is wrong: `where.0.value`. */
  readonly property?: string | undefined;
  readonly table?: string | undefined;
  /** The row key, printable: bytes outside ASCII as `\xNN`. */
  readonly key?: string | undefined;
  /** All values that break rules, of VALIDATION_FAILED. */
  readonly issues?: readonly { readonly property: string; readonly problem: string }[] | undefined;
  /** Of FULL_SCAN. */
  readonly scan?: ScanQuestion | undefined;
}

/** Codes that only the studio has. */
export type StudioCode =
  /** The request is not what the protocol says; `property` names the field. */
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'TOO_LARGE'
  /** The studio runs without `--write`, or beside the owner of a database on disk. */
  | 'READ_ONLY'
  /** The query reads every row: repeat it with `scanAll: true` if that is wanted. */
  | 'FULL_SCAN'
  /** The page of the studio is missing from the package. */
  | 'NOT_BUILT'
  /** A fault of the studio itself. */
  | 'INTERNAL';

/** What a full scan would read. */
export interface ScanQuestion {
  readonly table: string;
  readonly rows: number;
  /** Whether `rows` is an estimate from sizes. */
  readonly estimated: boolean;
  /** About the bytes that are stored in the ranges; undefined if the back end does not say. */
  readonly bytes?: number | undefined;
}

/** Where something stands that takes a while. */
export interface WorkProgress {
  readonly done: number;
  /** Undefined if it is not known. */
  readonly total?: number | undefined;
  /** What is counted: `rows`, `bytes`, `rows and entries`. */
  readonly unit: string;
  /** What is being worked on, if there are several: the name of an entity or a table. */
  readonly what?: string | undefined;
}

/** The last line of a stream that failed; lines before it are valid. */
export interface ErrorLine {
  readonly type: 'error';
  readonly error: StudioFailure;
}

/** A line of a stream that tells how far the work is; at most four a second. */
export interface ProgressLine extends WorkProgress {
  readonly type: 'progress';
}
