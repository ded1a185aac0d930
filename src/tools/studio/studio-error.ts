/** Errors of the studio, and how any error is told to the page. */
import { errorMessage, isRowsmithError, type RowsmithError } from '../../base/index.js';
import type { ScanQuestion, StudioCode, StudioFailure } from './protocol/failure.js';

/** The status of each code. */
const statuses: Readonly<Record<StudioCode, number>> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  TOO_LARGE: 413,
  READ_ONLY: 403,
  FULL_SCAN: 409,
  NOT_BUILT: 503,
  INTERNAL: 500,
};

/** What an error of the studio says. */
export interface StudioErrorText {
  readonly problem: string;
  readonly fix?: string;
}

/** A request that the studio itself refuses. */
export class StudioError extends Error {
  readonly status: number;

  constructor(
    readonly code: StudioCode,
    readonly text: StudioErrorText,
    readonly details: { readonly property?: string; readonly scan?: ScanQuestion } = {},
  ) {
    super(text.problem);
    this.status = statuses[code];
  }
}

/** An error as the page gets it. */
export interface ReportedError {
  readonly status: number;
  readonly failure: StudioFailure;
}

/** Messages of errors that nobody foresaw may be long. */
const maxMessage = 1_000;

/** The status and the body for an error. Only named details of it leave the process. */
export function reportedError(error: unknown): ReportedError {
  if (error instanceof StudioError) {
    const { code, status, text, details } = error;
    return { status, failure: { code, message: messages[code], ...text, ...details } };
  }
  if (isRowsmithError(error)) return { status: statusOf(error), failure: failureOf(error) };
  const problem = errorMessage(error).slice(0, maxMessage);
  return {
    status: statuses.INTERNAL,
    failure: { code: 'INTERNAL', message: messages.INTERNAL, problem },
  };
}

const messages: Readonly<Record<StudioCode, string>> = {
  BAD_REQUEST: 'The request is not what the studio understands.',
  UNAUTHORIZED: 'The studio does not know this browser.',
  FORBIDDEN: 'The request does not come from the page of the studio.',
  NOT_FOUND: 'The studio has nothing of this name.',
  TOO_LARGE: 'The request is too large.',
  READ_ONLY: 'The studio only reads.',
  FULL_SCAN: 'The query reads every row.',
  NOT_BUILT: 'The page of the studio is missing.',
  INTERNAL: 'The studio failed.',
};

/** As for clients of an application, but here the back end is what the user works on. */
function statusOf({ code, httpStatus }: RowsmithError): number {
  if (code === 'TABLE_NOT_FOUND') return 404;
  if (code === 'DATABASE_CLOSED') return 503;
  return httpStatus;
}

function failureOf({ code, message, details }: RowsmithError): StudioFailure {
  const text = (name: string): string | undefined => {
    const value = details[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    code,
    message,
    problem: text('problem'),
    fix: text('fix'),
    entity: text('entity'),
    property: text('property'),
    table: text('table'),
    key: text('key'),
    issues: issuesOf(details.issues),
  };
}

/** The issues of VALIDATION_FAILED. */
function issuesOf(issues: unknown): StudioFailure['issues'] {
  if (!Array.isArray(issues)) return undefined;
  return (issues as readonly { readonly path: string; readonly message: string }[]).map(
    ({ path, message }) => ({ property: path, problem: message }),
  );
}
