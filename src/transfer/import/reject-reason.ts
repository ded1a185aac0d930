/** Why a line is not written, and whether that is the line's own fault. */
import { type ErrorCode, RowsmithError } from '../../errors.js';
import type { EntityModel } from '../../model/index.js';
import { BadLine } from '../file/line-reader.js';
import type { Rejected } from './reject-file.js';

/**
 * Refusals of a row for what it holds, or for what is stored under its key; any other would meet
 * every row.
 */
const ofTheRow: ReadonlySet<ErrorCode> = new Set([
  'INVALID_ARGUMENT',
  'INVALID_KEY',
  'INVALID_VALUE',
  'LIMIT_EXCEEDED',
  'FAILED_PRECONDITION',
  'CORRUPT_DATA',
]);

/** Whether storage refused a row for itself. */
export function isOfTheRow({ code }: RowsmithError): boolean {
  return ofTheRow.has(code);
}

/** Ends an import with more bad lines than it may have. */
export class TooManyRejected extends RowsmithError {
  constructor(model: EntityModel, most: number, { line, reason }: Rejected) {
    super('FILE_FAILED', {
      entity: model.name,
      problem: `more than ${most} lines are bad; the last is line ${line}: ${reason}`,
      fix: 'correct the file, or allow more; the good lines before are written',
    });
  }
}

/**
 * Why a line is bad, with and without what is only true of this one; throws what is no fault of a
 * line.
 */
export function reasonOf(error: unknown): { readonly text: string; readonly kind: string } {
  if (error instanceof TooManyRejected) throw error;
  if (error instanceof BadLine)
    return { text: error.message, kind: error.message.replace(/: .*$/, '') };
  if (!(error instanceof RowsmithError)) throw error;
  const { property, problem } = error.details;
  const text = `${property === undefined ? '' : `${property}: `}${problem ?? error.message}`;
  return { text, kind: withoutValues(text) };
}

/**
 * A reason with values as valueText says them, and places in lists, left out: the same for every
 * line with the same fault.
 */
function withoutValues(reason: string): string {
  return reason
    .replace(/\bthe string "(?:[^"\\]|\\.)*"/g, 'a string')
    .replace(/\bthe (number|bigint) (?:-?Infinity|NaN|-?\d[\d.]*(?:e[+-]?\d+)?n?)/g, 'a $1')
    .replace(/\[\d+\]/g, '[]');
}
