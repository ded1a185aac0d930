/**
 * Reads with calls that fail: which requests the client sends, what the server responds, and which
 * rows the caller gets. Row keys are trees.
 */
import type { status as grpcStatus } from '@grpc/grpc-js';
import type { ErrorCode } from '../../../src/base/index.js';

export type StatusName = keyof typeof grpcStatus;

/** What a request reads. Without keys and ranges: the whole table. */
export interface ReadSpec {
  readonly keys?: readonly string[];
  /** Intervals: `[ash, elm)`, `(elm, oak]`, and without a bound on one side `(oak, ...)`. */
  readonly ranges?: readonly string[];
  readonly limit?: number;
  readonly reversed?: boolean;
}

/** What a server sends: complete rows, parts of a row, or how far it has scanned. */
export type Sent =
  | string
  /** The first cells of a row, without commit_row. */
  | { readonly partOf: string }
  /** A chunk with reset_row. */
  | { readonly reset: true }
  /** last_scanned_row_key. */
  | { readonly scanned: string };

/** A request and its response. */
export interface Exchange {
  /** What the client must ask for. */
  readonly request: ReadSpec;
  readonly sends?: readonly Sent[];
  /** The status that ends the call; OK if left out. */
  readonly status?: StatusName;
  /** The status text. */
  readonly message?: string;
}

export interface RetryCase {
  readonly name: string;
  /** What the caller reads; what the first request reads if left out. */
  readonly read?: ReadSpec;
  /** Consecutive attempts without progress; default 3. */
  readonly maxAttempts?: number;
  readonly exchanges: readonly Exchange[];
  /** The rows that the caller gets, also rows before an error. */
  readonly rows: readonly string[];
  readonly error?: ErrorCode;
}

const wholeTable: ReadSpec = {};

const resuming: readonly RetryCase[] = [
  {
    name: 'no failure: one request',
    exchanges: [{ request: wholeTable, sends: ['ash', 'elm', 'oak'] }],
    rows: ['ash', 'elm', 'oak'],
  },
  {
    name: 'an empty table',
    exchanges: [{ request: wholeTable }],
    rows: [],
  },
  {
    name: 'an empty table after a failure',
    exchanges: [{ request: wholeTable, status: 'UNAVAILABLE' }, { request: wholeTable }],
    rows: [],
  },
  {
    name: 'resumes after the last row',
    exchanges: [
      { request: wholeTable, sends: ['ash', 'elm'], status: 'DEADLINE_EXCEEDED' },
      { request: { ranges: ['(elm, ...)'] }, sends: ['oak'] },
    ],
    rows: ['ash', 'elm', 'oak'],
  },
  {
    name: 'a failure after the last row of the table: the retry finds nothing',
    exchanges: [
      { request: wholeTable, sends: ['ash', 'elm'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, ...)'] } },
    ],
    rows: ['ash', 'elm'],
  },
  {
    name: 'a row of which a part was received is requested again',
    exchanges: [
      { request: wholeTable, sends: ['ash', { partOf: 'elm' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'] }, sends: ['elm', 'oak'] },
    ],
    rows: ['ash', 'elm', 'oak'],
  },
  {
    name: 'a row that was reset is requested again',
    exchanges: [
      {
        request: wholeTable,
        sends: ['ash', { partOf: 'elm' }, { reset: true }],
        status: 'ABORTED',
      },
      { request: { ranges: ['(ash, ...)'] }, sends: ['elm'] },
    ],
    rows: ['ash', 'elm'],
  },
  {
    name: 'part of the first row only: the whole table is requested again',
    exchanges: [
      { request: wholeTable, sends: [{ partOf: 'ash' }], status: 'UNAVAILABLE' },
      { request: wholeTable, sends: ['ash'] },
    ],
    rows: ['ash'],
  },
];

const attempts: readonly RetryCase[] = [
  {
    name: 'gives up after maxAttempts without a row',
    maxAttempts: 4,
    exchanges: [
      { request: wholeTable, status: 'UNAVAILABLE' },
      { request: wholeTable, status: 'ABORTED' },
      { request: wholeTable, status: 'UNAVAILABLE' },
      { request: wholeTable, status: 'DEADLINE_EXCEEDED' },
    ],
    rows: [],
    error: 'UNAVAILABLE',
  },
  {
    name: 'a single attempt',
    maxAttempts: 1,
    exchanges: [{ request: wholeTable, status: 'UNAVAILABLE' }],
    rows: [],
    error: 'UNAVAILABLE',
  },
  {
    name: 'gives up after rows',
    maxAttempts: 2,
    exchanges: [
      { request: wholeTable, sends: ['ash'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'] }, status: 'UNAVAILABLE' },
    ],
    rows: ['ash'],
    error: 'UNAVAILABLE',
  },
  {
    name: 'each row starts the count of attempts again',
    maxAttempts: 3,
    exchanges: [
      { request: wholeTable, status: 'UNAVAILABLE' },
      { request: wholeTable, status: 'UNAVAILABLE' },
      { request: wholeTable, sends: ['ash'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'] }, status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'] }, sends: ['elm'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, ...)'] }, status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, ...)'] }, sends: ['oak'] },
    ],
    rows: ['ash', 'elm', 'oak'],
  },
  {
    name: 'part of a row is no progress',
    maxAttempts: 2,
    exchanges: [
      { request: wholeTable, sends: [{ partOf: 'ash' }], status: 'UNAVAILABLE' },
      { request: wholeTable, sends: [{ partOf: 'ash' }], status: 'UNAVAILABLE' },
    ],
    rows: [],
    error: 'UNAVAILABLE',
  },
];

const keysAndRanges: readonly RetryCase[] = [
  {
    name: 'the start of the current range moves, its closed end stays',
    exchanges: [
      { request: { ranges: ['[ash, yew]'] }, sends: ['ash', 'elm'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, yew]'] }, sends: ['oak', 'yew'] },
    ],
    rows: ['ash', 'elm', 'oak', 'yew'],
  },
  {
    name: 'the start of the current range moves, its open end stays',
    exchanges: [
      { request: { ranges: ['(ash, yew)'] }, sends: ['elm'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, yew)'] }, sends: ['oak'] },
    ],
    rows: ['elm', 'oak'],
  },
  {
    name: 'ranges that were read are dropped',
    exchanges: [
      {
        request: { ranges: ['[ash, cedar]', '[elm, hazel)', '[pine, ...)'] },
        sends: ['ash', 'birch', 'fir'],
        status: 'UNAVAILABLE',
      },
      { request: { ranges: ['(fir, hazel)', '[pine, ...)'] }, sends: ['pine'], status: 'ABORTED' },
      { request: { ranges: ['(pine, ...)'] }, sends: ['yew'] },
    ],
    rows: ['ash', 'birch', 'fir', 'pine', 'yew'],
  },
  {
    name: 'a range whose last key was read is dropped',
    exchanges: [
      {
        request: { ranges: ['[ash, cedar]', '[pine, yew]'] },
        sends: ['ash', 'cedar'],
        status: 'UNAVAILABLE',
      },
      { request: { ranges: ['[pine, yew]'] }, sends: ['rowan'] },
    ],
    rows: ['ash', 'cedar', 'rowan'],
  },
  {
    name: 'keys that were read are dropped, and so are keys without a row before them',
    exchanges: [
      { request: { keys: ['ash', 'birch', 'elm', 'oak'] }, sends: ['elm'], status: 'UNAVAILABLE' },
      { request: { keys: ['oak'] }, sends: ['oak'] },
    ],
    rows: ['elm', 'oak'],
  },
  {
    name: 'a single key',
    exchanges: [
      { request: { keys: ['oak'], limit: 1 }, status: 'UNAVAILABLE' },
      { request: { keys: ['oak'], limit: 1 }, sends: ['oak'] },
    ],
    rows: ['oak'],
  },
  {
    name: 'no request after the last key was read, and no error without attempts left',
    maxAttempts: 1,
    exchanges: [
      { request: { keys: ['ash', 'oak'] }, sends: ['ash', 'oak'], status: 'UNAVAILABLE' },
    ],
    rows: ['ash', 'oak'],
  },
  {
    name: 'no request after the last key of a closed range was read',
    maxAttempts: 1,
    exchanges: [
      { request: { ranges: ['[ash, elm]'] }, sends: ['birch', 'elm'], status: 'ABORTED' },
    ],
    rows: ['birch', 'elm'],
  },
  {
    name: 'keys and ranges together',
    exchanges: [
      {
        request: { keys: ['ash', 'elm', 'yew'], ranges: ['[birch, cedar]', '(fir, pine)'] },
        sends: ['ash', 'birch'],
        status: 'UNAVAILABLE',
      },
      {
        request: { keys: ['elm', 'yew'], ranges: ['(birch, cedar]', '(fir, pine)'] },
        sends: ['elm', 'hazel'],
        status: 'UNAVAILABLE',
      },
      { request: { keys: ['yew'], ranges: ['(hazel, pine)'] }, sends: ['yew'], status: 'ABORTED' },
    ],
    rows: ['ash', 'birch', 'elm', 'hazel', 'yew'],
  },
];

const limits: readonly RetryCase[] = [
  {
    name: 'the limit is reduced by the rows that were read',
    exchanges: [
      { request: { limit: 7 }, sends: ['ash', 'elm', 'fir'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(fir, ...)'], limit: 4 }, sends: ['oak'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(oak, ...)'], limit: 3 }, sends: ['pine', 'yew'] },
    ],
    rows: ['ash', 'elm', 'fir', 'oak', 'pine', 'yew'],
  },
  {
    name: 'no request after the limit is met',
    exchanges: [{ request: { limit: 2 }, sends: ['ash', 'elm'], status: 'UNAVAILABLE' }],
    rows: ['ash', 'elm'],
  },
  {
    name: 'no request after the limit is met, by a retry',
    exchanges: [
      { request: { limit: 3 }, sends: ['ash', 'elm'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, ...)'], limit: 1 }, sends: ['oak'], status: 'UNAVAILABLE' },
    ],
    rows: ['ash', 'elm', 'oak'],
  },
  {
    name: 'a part of a row does not count',
    exchanges: [
      { request: { limit: 2 }, sends: ['ash', { partOf: 'elm' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'], limit: 1 }, sends: ['elm'] },
    ],
    rows: ['ash', 'elm'],
  },
  {
    name: 'keys, ranges, a limit and attempts without rows together',
    maxAttempts: 4,
    exchanges: [
      {
        request: { keys: ['alder', 'oak'], ranges: ['[ash, cedar]', '[pine, rowan)'], limit: 6 },
        status: 'UNAVAILABLE',
      },
      {
        request: { keys: ['alder', 'oak'], ranges: ['[ash, cedar]', '[pine, rowan)'], limit: 6 },
        sends: ['alder', 'birch'],
        status: 'ABORTED',
      },
      {
        request: { keys: ['oak'], ranges: ['(birch, cedar]', '[pine, rowan)'], limit: 4 },
        status: 'UNAVAILABLE',
      },
      {
        request: { keys: ['oak'], ranges: ['(birch, cedar]', '[pine, rowan)'], limit: 4 },
        status: 'DEADLINE_EXCEEDED',
      },
      {
        request: { keys: ['oak'], ranges: ['(birch, cedar]', '[pine, rowan)'], limit: 4 },
        sends: ['oak', 'pine'],
        status: 'UNAVAILABLE',
      },
      { request: { ranges: ['(pine, rowan)'], limit: 2 }, sends: ['plum'] },
    ],
    rows: ['alder', 'birch', 'oak', 'pine', 'plum'],
  },
];

const reversed: readonly RetryCase[] = [
  {
    name: 'a reversed read resumes before the last row',
    exchanges: [
      { request: { reversed: true }, sends: ['yew', 'oak'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(..., oak)'], reversed: true }, sends: ['elm'] },
    ],
    rows: ['yew', 'oak', 'elm'],
  },
  {
    name: 'a reversed read: the end of the current range moves, read ranges and keys are dropped',
    exchanges: [
      {
        request: {
          keys: ['elm', 'yew'],
          ranges: ['[ash, cedar]', '(fir, pine]'],
          limit: 9,
          reversed: true,
        },
        sends: ['yew', 'oak'],
        status: 'UNAVAILABLE',
      },
      {
        request: {
          keys: ['elm'],
          ranges: ['[ash, cedar]', '(fir, oak)'],
          limit: 7,
          reversed: true,
        },
        sends: ['elm', 'birch'],
        status: 'UNAVAILABLE',
      },
      { request: { ranges: ['[ash, birch)'], limit: 5, reversed: true }, sends: ['ash'] },
    ],
    rows: ['yew', 'oak', 'elm', 'birch', 'ash'],
  },
  {
    name: 'a reversed read: no request after the first key of the range was read',
    maxAttempts: 1,
    exchanges: [
      {
        request: { ranges: ['[ash, elm]'], reversed: true },
        sends: ['cedar', 'ash'],
        status: 'UNAVAILABLE',
      },
    ],
    rows: ['cedar', 'ash'],
  },
];

const scanned: readonly RetryCase[] = [
  {
    name: 'resumes after last_scanned_row_key, which does not count towards the limit',
    exchanges: [
      { request: { limit: 5 }, sends: ['ash', { scanned: 'fir' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(fir, ...)'], limit: 4 }, sends: ['oak'] },
    ],
    rows: ['ash', 'oak'],
  },
  {
    name: 'last_scanned_row_key without any row',
    exchanges: [
      { request: { ranges: ['[ash, yew)'] }, sends: [{ scanned: 'fir' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(fir, yew)'] } },
    ],
    rows: [],
  },
  {
    name: 'last_scanned_row_key is progress',
    maxAttempts: 2,
    exchanges: [
      { request: wholeTable, sends: [{ scanned: 'ash' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'] }, sends: [{ scanned: 'elm' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, ...)'] }, sends: [{ scanned: 'oak' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(oak, ...)'] }, sends: ['yew'] },
    ],
    rows: ['yew'],
  },
  {
    name: 'a last_scanned_row_key before the last row is ignored',
    exchanges: [
      { request: wholeTable, sends: ['elm', { scanned: 'ash' }], status: 'UNAVAILABLE' },
      { request: { ranges: ['(elm, ...)'] }, sends: ['oak'] },
    ],
    rows: ['elm', 'oak'],
  },
  {
    name: 'keys and ranges up to last_scanned_row_key are dropped',
    exchanges: [
      {
        request: { keys: ['birch', 'yew'], ranges: ['[elm, hazel]', '[larch, pine)'] },
        sends: ['birch', { scanned: 'maple' }],
        status: 'UNAVAILABLE',
      },
      { request: { keys: ['yew'], ranges: ['(maple, pine)'] }, sends: ['yew'] },
    ],
    rows: ['birch', 'yew'],
  },
  {
    name: 'no request after last_scanned_row_key reached the end of the range',
    maxAttempts: 1,
    exchanges: [
      {
        request: { ranges: ['[ash, elm]'] },
        sends: ['ash', { scanned: 'elm' }],
        status: 'UNAVAILABLE',
      },
    ],
    rows: ['ash'],
  },
  {
    name: 'last_scanned_row_key of a reversed read',
    exchanges: [
      {
        request: { ranges: ['[ash, yew]'], reversed: true },
        sends: ['yew', { scanned: 'oak' }],
        status: 'UNAVAILABLE',
      },
      { request: { ranges: ['[ash, oak)'], reversed: true }, sends: ['elm'] },
    ],
    rows: ['yew', 'elm'],
  },
];

/** A retryable status, with a text if the text decides. */
const retried = ([status, message]: readonly [StatusName, string?]): RetryCase => ({
  name: `${[status, message].filter(Boolean).join(' ')} is retried`,
  exchanges: [
    { request: wholeTable, sends: ['ash'], status, message },
    { request: { ranges: ['(ash, ...)'] }, status, message },
    { request: { ranges: ['(ash, ...)'] }, sends: ['elm'] },
  ],
  rows: ['ash', 'elm'],
});

const notRetried = ([status, error]: readonly [StatusName, ErrorCode]): RetryCase => ({
  name: `${status} is not retried: ${error}`,
  exchanges: [{ request: wholeTable, sends: ['ash'], status }],
  rows: ['ash'],
  error,
});

const statuses: readonly RetryCase[] = [
  retried(['UNAVAILABLE']),
  retried(['ABORTED']),
  retried(['DEADLINE_EXCEEDED']),
  retried(['INTERNAL', 'Received RST_STREAM with code 2']),
  notRetried(['INTERNAL', 'STORAGE_FAILED']),
  notRetried(['INVALID_ARGUMENT', 'INVALID_ARGUMENT']),
  notRetried(['OUT_OF_RANGE', 'INVALID_ARGUMENT']),
  notRetried(['FAILED_PRECONDITION', 'FAILED_PRECONDITION']),
  notRetried(['PERMISSION_DENIED', 'PERMISSION_DENIED']),
  notRetried(['UNAUTHENTICATED', 'PERMISSION_DENIED']),
  notRetried(['UNIMPLEMENTED', 'UNSUPPORTED']),
  notRetried(['RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED']),
  notRetried(['DATA_LOSS', 'STORAGE_FAILED']),
  notRetried(['UNKNOWN', 'STORAGE_FAILED']),
  notRetried(['CANCELLED', 'UNAVAILABLE']),
  {
    name: 'a missing table',
    exchanges: [{ request: wholeTable, status: 'NOT_FOUND', message: 'Table not found: t' }],
    rows: [],
    error: 'TABLE_NOT_FOUND',
  },
  {
    name: 'a status that is not retried, in a retry',
    exchanges: [
      { request: wholeTable, sends: ['ash'], status: 'UNAVAILABLE' },
      { request: { ranges: ['(ash, ...)'] }, sends: ['elm'], status: 'PERMISSION_DENIED' },
    ],
    rows: ['ash', 'elm'],
    error: 'PERMISSION_DENIED',
  },
];

export const retryCases: readonly RetryCase[] = [
  ...resuming,
  ...attempts,
  ...keysAndRanges,
  ...limits,
  ...reversed,
  ...scanned,
  ...statuses,
];
