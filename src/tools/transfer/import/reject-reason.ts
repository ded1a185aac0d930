/** Why a line is rejected, and which errors reject a line instead of ending the import. */
import { type ErrorCode, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { InvalidLine } from '../file/line-reader.js';
import type { Rejected } from './reject-file.js';

/** Errors caused by the content of a row, or by what is stored under its key. */
const rowErrors: ReadonlySet<ErrorCode> = new Set([
  'INVALID_ARGUMENT',
  'INVALID_KEY',
  'INVALID_VALUE',
  'LIMIT_EXCEEDED',
  'FAILED_PRECONDITION',
  'ROW_EXISTS',
  'CORRUPT_DATA',
  'UNIQUE_VIOLATION',
]);

/** Whether storage rejected a row for itself; any other error would affect every row. */
export function isRowError({ code }: RowsmithError): boolean {
  return rowErrors.has(code);
}

/** Ends an import with more rejected lines than `maxRejected`. */
export class TooManyRejected extends RowsmithError {
  constructor(model: EntityModel, maxRejected: number, { line, reason }: Rejected) {
    super('FILE_FAILED', {
      entity: model.name,
      ...faults.tooManyRejects(maxRejected, line, reason),
    });
  }
}

/** Why a line is rejected. */
export interface RejectReason {
  readonly text: string;
  /** The same for all lines with this problem: the text without values. */
  readonly kind: string;
}

/** The reason for rejecting a line; rethrows an error that the line did not cause. */
export function reasonOf(error: unknown): RejectReason {
  if (error instanceof TooManyRejected) throw error;
  if (error instanceof InvalidLine)
    return { text: error.message, kind: error.message.replace(/: .*$/, '') };
  if (!(error instanceof RowsmithError)) throw error;
  const { property, problem = error.message } = error.details;
  // Broken rules name their properties.
  const isNamed = property === undefined || problem.startsWith(`${property}: `);
  const text = isNamed ? problem : `${property}: ${problem}`;
  return { text, kind: withoutValues(text) };
}

/** Removes list indexes and values as `valueText` formats them. */
function withoutValues(reason: string): string {
  return reason
    .replace(/\bthe string "(?:[^"\\]|\\.)*"/g, 'a string')
    .replace(/\bthe (number|bigint) (?:-?Infinity|NaN|-?\d[\d.]*(?:e[+-]?\d+)?n?)/g, 'a $1')
    .replace(/\[\d+\]/g, '[]');
}

const faults = {
  tooManyRejects: (maxRejected: number, line: number, reason: string) => ({
    problem: `more than ${maxRejected} lines are invalid; the last is line ${line}: ${reason}`,
    fix: 'correct the file, or allow more; the valid lines before it are written',
  }),
} satisfies FaultTexts;
