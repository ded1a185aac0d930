/**
 * The error class of this library. `code` is one of a closed, stable list and has a constant
 * message. Everything specific to an occurrence (entity, property, value, fix) is in `details`.
 */
import type { FaultText, ShellText } from './faults.js';

import { grpcStatusOf, httpStatusOf } from './statuses.js';
import { detailText, jsonDetail } from './text/details.js';

/**
 * All error codes with their constant messages. Each docstring describes when the error is thrown;
 * `details.fix` suggests what to do about it.
 */
export const errorMessages = {
  /**
   * Entity or message declarations are invalid. `details.faults` lists every problem with its fix.
   * Thrown by `open` and `describe`.
   */
  INVALID_DECLARATION: 'The entity or message declarations are invalid.',
  /** An argument of a call has the wrong type or is out of range. */
  INVALID_ARGUMENT: 'An argument of the call is invalid.',
  /**
   * A row key segment is missing, has the wrong type, or has a value that cannot be encoded in key
   * order.
   */
  INVALID_KEY: 'The values do not form a valid row key.',
  /**
   * The query cannot be turned into row key ranges: it skips a segment, names an unknown one, or
   * asks for an order that the key does not provide; or a condition of `where` is invalid.
   */
  INVALID_QUERY: 'The query, or a condition in it, is invalid.',
  /**
   * A call on a repository or collection of a scope names a row outside of it. Nothing was read or
   * written.
   */
  OUTSIDE_SCOPE: 'The call reaches outside of its scope.',
  /**
   * A stored row has no value of a column that is `required`. `details.property` names the first
   * one. `onIncompleteRow` of `open` may skip such rows.
   */
  INCOMPLETE_ROW: 'A row lacks a required column.',
  /** A value cannot be stored in its column without changing it. */
  INVALID_VALUE: 'A value cannot be stored in its column.',
  /**
   * The entity violates its validation rules. `details.issues` lists every violation with its path.
   * Nothing was written.
   */
  VALIDATION_FAILED: 'The entity violates its validation rules.',
  /**
   * The entity has no values outside its row key. Bigtable does not store rows without cells, so
   * nothing would be written.
   */
  EMPTY_ROW: 'The entity has no values outside its row key, so no row would be stored.',
  /** The page cursor is damaged or was created by a different query. */
  INVALID_CURSOR: 'The cursor is not valid for this query.',
  /**
   * A row key in the table does not match the key format of the entity. Thrown only if foreign keys
   * are configured to be reported or rejected.
   */
  FOREIGN_KEY: 'A row key in the table does not belong to the entity.',
  /** A stored cell cannot be decoded by the codec of its column. */
  DAMAGED_CELL: 'A stored cell cannot be decoded as the type of its column.',
  /** `getOrThrow` was called for a row that does not exist. `details.key` is its key. */
  ROW_NOT_FOUND: 'The row does not exist.',
  /** `insert` was called for a row that already exists. Nothing was written. */
  ROW_EXISTS: 'The row already exists.',
  /**
   * Another row has the same value in a unique index. `details.holder` is its key. Nothing was
   * written.
   */
  UNIQUE_VIOLATION: 'Another row has this value in a unique index.',
  /** Every attempt conflicted with another writer of the row. Nothing was written. */
  CONTENTION: 'Every attempt conflicted with another writer of the row.',
  /**
   * The index cannot be read yet: entries of rows that were written before it was declared are
   * missing.
   */
  INDEX_NOT_READY: 'The index is not complete yet.',
  /** The condition of a conditional write was not met. Nothing was written. */
  CONDITION_FAILED: 'The condition of the write was not met.',
  /**
   * The row has changed since the entity was read, or it exists and the entity is new.
   * `details.expected` is the revision of the entity and `details.found` the one that is stored;
   * undefined for none. Nothing was written.
   */
  REVISION_CONFLICT: 'The row has another revision than the entity.',
  /**
   * `beforeWrite`, `afterRead` or a schema of the entity threw an error, which is the `cause`; or a
   * promise was returned where it cannot be awaited. Nothing was written.
   */
  HOOK_FAILED: 'A hook or a schema of the entity failed.',
  /**
   * The current state does not allow the operation, for example incrementing a cell that is not 8
   * bytes long, or deleting a protected table.
   */
  FAILED_PRECONDITION: 'The stored state does not allow this operation.',
  /** The table does not exist in the database. */
  TABLE_NOT_FOUND: 'The table does not exist.',
  /** A table with this name already exists. */
  TABLE_EXISTS: 'The table already exists.',
  /** The column family does not exist in the table. */
  FAMILY_NOT_FOUND: 'The column family does not exist in the table.',
  /** The stored table differs from the declared one in a way that cannot be changed in place. */
  SCHEMA_CONFLICT: 'The stored table conflicts with the declaration.',
  /**
   * A Bigtable limit was exceeded: row key 4,096 bytes, qualifier 16 KiB, cell 100 MiB, 100,000
   * mutations per request. Also for a filter that makes more than 1,000,000 cells of a row.
   */
  LIMIT_EXCEEDED: 'A limit of Bigtable was exceeded.',
  /**
   * The directory contains something other than a Rowsmith database. Nothing in it was changed.
   */
  NOT_A_DATABASE: 'The directory is not a Rowsmith database.',
  /** The database was written by a newer version in a newer format. Nothing in it was changed. */
  FORMAT_TOO_NEW: 'The database format is newer than this version supports.',
  /** The directory is locked by another process, or is already open in this one. */
  DATABASE_IN_USE: 'The database is in use.',
  /** The database was closed before or during the call. */
  DATABASE_CLOSED: 'The database is closed.',
  /** The storage engine found its own data structures on disk damaged. */
  CORRUPT_DATA: 'The stored data is corrupt.',
  /**
   * Reading from or writing to storage failed (disk full, missing permission, I/O error). See
   * `cause`.
   */
  STORAGE_FAILED: 'Reading from or writing to storage failed.',
  /**
   * The storage service could not be reached, or did not respond in time. Retrying may help. A
   * write that was already sent may have been applied.
   */
  UNAVAILABLE: 'The storage service could not be reached.',
  /** Credentials are missing, invalid, or do not permit the operation. */
  PERMISSION_DENIED: 'The credentials do not permit this operation.',
  /**
   * A quota of the project or instance is exhausted, and the storage service rejects further
   * requests for now. Retrying later may help.
   */
  QUOTA_EXCEEDED: 'A quota of the storage service is exhausted.',
  /** Something was added to buffered counters after they were closed. Nothing was counted. */
  COUNTERS_CLOSED: 'The buffered counters are closed.',
  /**
   * Buffered counters hold as many sums, or waiting calls, as they may. Nothing was counted.
   */
  COUNTERS_FULL: 'The buffered counters hold as many sums as they may.',
  /**
   * Buffered counters were closed by `await using`, and sums were not written, or it is unknown
   * whether they were. `details.failed` and `details.unknown` list them.
   */
  COUNTERS_NOT_WRITTEN: 'Some sums of the buffered counters may not have been written.',
  /**
   * The program has loaded two versions of Rowsmith, and one got an entity or a database of the
   * other. `details.versions` and `details.files` name both.
   */
  VERSION_MISMATCH: 'Two versions of Rowsmith are loaded.',
  /**
   * A required package is not installed, or cannot be loaded from inside a bundle. `details.fix`
   * contains the install command or the bundler's setting.
   */
  MISSING_PACKAGE: 'A required package is not installed or cannot be loaded.',
  /**
   * The project's config file, or an entity module listed in it, cannot be loaded or is unsuitable
   * for the command. `details.file` names the file.
   */
  INVALID_CONFIG: 'The project configuration cannot be loaded or is invalid.',
  /**
   * A file outside the database (generated, imported, exported or lock file) is missing, not
   * accessible, or has unexpected content.
   */
  FILE_FAILED: 'A file could not be read or written.',
  /**
   * The storage engine, the entity or the column does not support the operation, or the database
   * was opened with `readOnly`.
   */
  UNSUPPORTED: 'This operation is not supported.',
} as const;

/** A stable identifier of what went wrong. The list is closed; see errorMessages. */
export type ErrorCode = keyof typeof errorMessages;

/** One problem of a declaration: where it is, what is wrong, and how to fix it. */
export interface Fault {
  /** Name of the entity or message class. */
  readonly entity: string;
  /** Property of the class, if the fault concerns a single one. */
  readonly property?: string;
  /** Source location, such as `src/reading.ts:12`. Only set by the command line tool. */
  readonly file?: string | undefined;
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** What to write instead, as a sentence. */
  readonly fix: string;
}

/**
 * Data about one occurrence of an error. Which fields are set depends on the code; `fix` is set
 * whenever the caller can do something about it.
 */
export interface ErrorDetails {
  /** Name of the entity class the error concerns. */
  readonly entity?: string;
  /** Property (segment or column) of the entity, or name of the argument. */
  readonly property?: string;
  /** What exactly is wrong in this case. */
  readonly problem?: string;
  /** How to fix it. */
  readonly fix?: string;
  /** All faults of a declaration. */
  readonly faults?: readonly Fault[];
  /** Anything else that identifies the occurrence: table, family, row key as hex, the value. */
  readonly [name: string]: unknown;
}

/** The property of errors with sentences for the command line. */
const shellText = Symbol.for('rowsmith.shell');

/** Marks errors. A registered symbol is the same in all copies of this library. */
const brand = Symbol.for('rowsmith.error');

/**
 * The error thrown by all of Rowsmith's functions. Distinguish errors by `code`, not by their text.
 */
export class RowsmithError extends Error {
  /** What went wrong; see errorMessages. */
  readonly code: ErrorCode;
  /** Data about this occurrence; frozen. */
  readonly details: ErrorDetails;

  /** Errors of other copies of this class are instances too. Subclasses have only their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this === RowsmithError) return isRowsmithError(value);
    return Function.prototype[Symbol.hasInstance].call(this, value);
  }

  /** Holds the frames, which become text when they are read; undefined when none were captured. */
  readonly #captured: { readonly stack?: string } | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: { readonly cause?: unknown }) {
    const limit = Error.stackTraceLimit;
    Reflect.set(Error, 'stackTraceLimit', 0);
    super(errorMessages[code], options);
    Reflect.set(Error, 'stackTraceLimit', limit);
    this.code = code;
    const { shell, ...own } = details;
    this.details = Object.freeze(own);
    // Neither logs nor JSON show it.
    if (shell !== undefined) Object.defineProperty(this, shellText, { value: shell });
    // Loggers and test runners print the stack, so it includes the details. `message` stays
    // constant. Frames become text when it is read, and not in super() above: that takes 50 us, and
    // a bulk write may reject 100,000 rows.
    if (limit !== 0) {
      const captured: { stack?: string } = {};
      Error.captureStackTrace(captured, new.target);
      this.#captured = captured;
    }
    // If it were replaced and not deleted, the text of the old one would be made first.
    Reflect.deleteProperty(this, 'stack');
    Object.defineProperty(this, 'stack', RowsmithError.#stack);
  }

  /** The property `stack` of each error. */
  static readonly #stack: PropertyDescriptor = {
    get(this: RowsmithError): string {
      return stackText(this, #captured in this ? this.#captured?.stack : undefined);
    },
    set(this: RowsmithError, value: unknown): void {
      Object.defineProperty(this, 'stack', { value, writable: true, configurable: true });
    },
    configurable: true,
  };

  /** The HTTP status for a client of the program, 400 to 503: docs/guide/errors.md has a table. */
  get httpStatus(): number {
    return httpStatusOf(this.code);
  }

  /** The gRPC status for a client of the program, a number of google/rpc/code.proto. */
  get grpcStatus(): number {
    return grpcStatusOf(this.code);
  }

  /** Human-readable text of several lines: code, message and details. */
  explain(): string {
    const { faults, ...rest } = this.details;
    const lines = [`[${this.code}] ${this.message}`];
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined) lines.push(`    ${name}: ${detailText(value)}`);
    for (const { entity, property, problem, fix } of faults ?? []) {
      const subject = property === undefined ? entity : `${entity}.${property}`;
      lines.push(`    ${subject}: ${problem}`, `        fix: ${fix}`);
    }
    return lines.join('\n');
  }

  /**
   * Code, message and details for JSON.stringify. Bigints become strings such as `12n`, and
   * undefined details are left out.
   */
  toJSON(): {
    readonly name: string;
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: unknown;
  } {
    const details = Object.fromEntries(
      Object.entries(this.details)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, jsonDetail(value)]),
    );
    return { name: this.name, code: this.code, message: this.message, details };
  }

  /**
   * What console.log prints: only the stack and the cause. The stack already includes the details.
   */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: unknown,
    options: unknown,
    inspect?: (value: unknown, options: unknown) => string,
  ): string {
    const text = this.stack ?? this.explain();
    if (this.cause === undefined || inspect === undefined) return text;
    return `${text}\n  [cause]: ${inspect(this.cause, options)}`;
  }
}

function stackText(error: RowsmithError, captured = ''): string {
  const frames = captured.split('\n').filter((line) => /^\s+at /.test(line));
  return [`RowsmithError: ${error.explain()}`, ...frames].join('\n');
}

Object.defineProperty(RowsmithError.prototype, 'name', {
  value: 'RowsmithError',
  configurable: true,
  writable: true,
});
Object.defineProperty(RowsmithError.prototype, brand, { value: true });
// esbuild renames classes that refer to themselves.
Object.defineProperty(RowsmithError, 'name', { value: 'RowsmithError', configurable: true });

/**
 * Runs a step, and creates its errors without stack frames. For bulk writes that may be
 * rejected row by row: the frames of an error take longer to capture than the row takes to write.
 */
export function withoutFrames(step: () => void): void {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    step();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

/**
 * An INVALID_ARGUMENT error: the argument or option, what is wrong with it, and what to pass
 * instead. `details` may add the entity or the value.
 */
export function invalidArgument(
  property: string,
  fault: FaultText,
  details: ErrorDetails = {},
  options?: { readonly cause?: unknown },
): RowsmithError {
  return new RowsmithError(
    'INVALID_ARGUMENT',
    { property, problem: fault.problem, fix: fault.fix, shell: fault.shell, ...details },
    options,
  );
}

/** The details of an error with the sentences for the command line, as far as it has them. */
export function shellDetails(error: RowsmithError): ErrorDetails {
  const shell = Reflect.get(error, shellText) as ShellText | undefined;
  return shell === undefined ? error.details : { ...error.details, ...shell };
}

/**
 * Whether a value is an error of this library, also of another copy of it: a program may load the
 * ESM and the CommonJS build, and bundlers copy packages. `error instanceof RowsmithError` is the
 * same.
 */
export function isRowsmithError(error: unknown): error is RowsmithError {
  return typeof error === 'object' && error !== null && brand in error;
}

/**
 * Whether a write that failed with this error may have been applied: no answer came, or one that
 * says nothing about it. An embedded engine leaves the row as it was whenever it rejects a write.
 */
export function mayBeApplied({ code, details }: RowsmithError): boolean {
  if (code === 'UNAVAILABLE') return details.written !== false;
  return code === 'STORAGE_FAILED' && details.status !== undefined;
}
