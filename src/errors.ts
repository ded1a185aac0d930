/**
 * The one error class. A code says what happened (closed list, stable), the message of a code never
 * changes, and everything that belongs to the one occurrence (entity, property, value, fix) is data
 * in `details`.
 */

/**
 * Every code there is, with its constant message. Each line says when it comes; `details.fix` says
 * what to do about it.
 */
export const errorMessages = {
  /**
   * Entities or messages are declared wrongly; `details.faults` holds every fault with its fix.
   * Comes from `open` and `describe`.
   */
  INVALID_DECLARATION: 'The declarations of entities or messages have faults.',
  /** An argument of a call is of the wrong type or outside its range. */
  INVALID_ARGUMENT: 'An argument of the call is not what it takes.',
  /** A segment of a row key is missing, of the wrong type, or has no place in the key's order. */
  INVALID_KEY: 'The values do not make a row key.',
  /**
   * A query the row key cannot serve as a range: a gap, an unknown segment, an order the key does
   * not have.
   */
  INVALID_QUERY: 'The row key cannot serve this query as a range.',
  /** A value cannot be stored in its column exactly as it is. */
  INVALID_VALUE: 'A value cannot be stored in its column.',
  /**
   * The entity's validation rules refuse it; `details.issues` lists every fault with its path.
   * Nothing was written.
   */
  VALIDATION_FAILED: 'The entity does not satisfy its validation rules.',
  /** The entity has no value outside its key, which in Bigtable is no row at all. */
  EMPTY_ROW: 'The entity has no value outside its row key, so there would be no row.',
  /** A cursor is damaged, or belongs to another query. */
  INVALID_CURSOR: 'The cursor does not belong to this query.',
  /**
   * A row's key is not one this entity writes. Comes only where foreign keys are to be reported or
   * thrown.
   */
  FOREIGN_KEY: 'A row key in the table does not belong to the entity.',
  /** The bytes of a cell are not what its column's codec writes. */
  DAMAGED_CELL: 'The bytes of a cell cannot be read as its column declares.',
  /** `insert` found the row there already. Nothing was written. */
  ROW_EXISTS: 'The row exists already.',
  /** The condition of a write did not hold. Nothing was written. */
  CONDITION_FAILED: 'The condition of the write does not hold.',
  /**
   * The stored state does not allow the operation (an increment of a cell that is not 8 bytes, a
   * protected table).
   */
  FAILED_PRECONDITION: 'The stored data does not allow this operation.',
  /** The table does not exist in the database. */
  TABLE_NOT_FOUND: 'The table does not exist.',
  /** A table of that name exists already. */
  TABLE_EXISTS: 'The table exists already.',
  /** The column family does not exist in the table. */
  FAMILY_NOT_FOUND: 'The column family does not exist in the table.',
  /** The stored table contradicts the declared one in a way that cannot be changed in place. */
  SCHEMA_CONFLICT: 'The stored table contradicts the declaration.',
  /**
   * One of Bigtable's limits is exceeded (row key 4,096 bytes, qualifier 16 KiB, cell 100 MiB,
   * 100,000 mutations).
   */
  LIMIT_EXCEEDED: 'A limit of the data model is exceeded.',
  /** The directory holds something that is not a Rowsmith database. Nothing in it was changed. */
  NOT_A_DATABASE: 'The directory is not a Rowsmith database.',
  /** The database was written by a newer version with another format. Nothing in it was changed. */
  FORMAT_TOO_NEW: 'The database has a newer format than this version reads.',
  /** Another process, or another open database of this one, holds the directory. */
  DATABASE_IN_USE: 'The database is in use.',
  /** The database was closed before or during the call. */
  DATABASE_CLOSED: 'The database is closed.',
  /** Stored bytes of the engine's own structure are damaged. */
  CORRUPT_DATA: 'The stored data is damaged.',
  /**
   * Reading or writing the storage failed (disk full, permission, input or output error); `cause`
   * says how.
   */
  STORAGE_FAILED: 'The storage could not be read or written.',
  /**
   * The storage could not be reached, or not in time. Trying again may help; a write that was on
   * its way may have happened.
   */
  UNAVAILABLE: 'The storage could not be reached.',
  /** The credentials do not allow the operation, or are none. */
  PERMISSION_DENIED: 'The credentials do not allow this.',
  /**
   * The storage takes no more requests for now: a quota of the project or the instance is used up.
   * Trying again later may help.
   */
  QUOTA_EXCEEDED: 'A quota of the storage is used up.',
  /** A package that is needed here is not installed; `details.fix` has the command. */
  MISSING_PACKAGE: 'A package that this needs is not installed.',
  /**
   * The project's config, or a module of entities that it names, cannot be loaded or used by the
   * command; `details.file` says which.
   */
  INVALID_CONFIG: 'The configuration of the project cannot be used.',
  /**
   * A file that is read or written beside the database (generated, imported, exported, locked) is
   * not there, not allowed or not what it should be.
   */
  FILE_FAILED: 'A file could not be read or written.',
  /** The engine or the column does not offer this operation. */
  UNSUPPORTED: 'This operation is not offered here.',
} as const;

/** What happened, in one stable word: the closed list of codes, see errorMessages. */
export type ErrorCode = keyof typeof errorMessages;

/** One fault of a declaration: where it is, what is wrong, and what to do. */
export interface Fault {
  /** Entity or message class. */
  readonly entity: string;
  /** Property of the class, where the fault belongs to one. */
  readonly property?: string;
  /** Where it stands, `src/reading.ts:12`; only the command knows it. */
  readonly file?: string | undefined;
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /** What to write instead, in a sentence. */
  readonly fix: string;
}

/**
 * The data of one occurrence. Which fields are there depends on the code; `fix` is there whenever
 * something can be done.
 */
export interface ErrorDetails {
  /** Entity class the error belongs to. */
  readonly entity?: string;
  /** Property (segment or column) of the entity, or argument of the call. */
  readonly property?: string;
  /** What exactly is wrong here. */
  readonly problem?: string;
  /** What to do about it. */
  readonly fix?: string;
  /** All faults of a declaration. */
  readonly faults?: readonly Fault[];
  /**
   * Whatever else identifies the occurrence: table, family, row key as hex, the offending value.
   */
  readonly [name: string]: unknown;
}

/** Everything Rowsmith throws on purpose. Tell occurrences apart by `code`, never by text. */
export class RowsmithError extends Error {
  /** Says what happened; see errorMessages for each. */
  readonly code: ErrorCode;
  /** The data of this occurrence; frozen. */
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: { readonly cause?: unknown }) {
    super(errorMessages[code], options);
    this.code = code;
    this.details = Object.freeze({ ...details });
    // Loggers and test runners print the stack, so the details stand in it; `message` stays
    // constant.
    const frames = this.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
    Object.defineProperty(this, 'stack', {
      value: [`RowsmithError: ${this.explain()}`, ...frames].join('\n'),
      writable: true,
      configurable: true,
    });
  }

  /** The code, the message and the details as text for a person, over several lines. */
  explain(): string {
    const { faults, ...rest } = this.details;
    const lines = [`[${this.code}] ${this.message}`];
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined) lines.push(`    ${name}: ${detailText(value)}`);
    for (const { entity, property, problem, fix } of faults ?? []) {
      lines.push(
        `    ${property === undefined ? entity : `${entity}.${property}`}: ${problem}`,
        `        fix: ${fix}`,
      );
    }
    return lines.join('\n');
  }

  /** For JSON.stringify: the code, the message and the details; bigints as text. */
  toJSON(): {
    readonly name: string;
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: unknown;
  } {
    const details = Object.fromEntries(
      Object.entries(this.details).map(([name, value]) => [name, plainDetail(value)]),
    );
    return { name: this.name, code: this.code, message: this.message, details };
  }

  /**
   * What console.log and an uncaught error show: the stack, which holds the details, without
   * repeating them.
   */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: unknown,
    options: unknown,
    inspect?: (value: unknown, options: unknown) => string,
  ): string {
    const shown = this.stack ?? this.explain();
    return this.cause === undefined || inspect === undefined
      ? shown
      : `${shown}\n  [cause]: ${inspect(this.cause, options)}`;
  }
}

Object.defineProperty(RowsmithError.prototype, 'name', {
  value: 'RowsmithError',
  configurable: true,
  writable: true,
});

/**
 * INVALID_ARGUMENT: which argument or option, what is wrong with it, and what to write instead.
 * `details` may add the entity or the value.
 */
export function invalidArgument(
  property: string,
  problem: string,
  fix: string,
  details: ErrorDetails = {},
  options?: { readonly cause?: unknown },
): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', { property, problem, fix, ...details }, options);
}

/** A detail in a message for people is cut here, in UTF-16 units; the data itself is whole. */
const longestDetail = 500;

function detailText(value: unknown): string {
  const text = wholeText(value);
  return text.length <= longestDetail
    ? text
    : `${text.slice(0, longestDetail)}... (${text.length} characters)`;
}

function wholeText(value: unknown): string {
  const plain = plainDetail(value);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

/**
 * The value as JSON can hold it; text where it cannot. Details are whatever was handed in: nothing
 * about them may hide the error.
 */
function plainDetail(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? `${inner}n` : inner,
    );
    return text === undefined ? String(value) : JSON.parse(text);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
