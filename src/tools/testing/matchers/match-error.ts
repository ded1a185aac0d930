/** The matcher for errors. */
import {
  type ErrorCode,
  type ErrorDetails,
  errorMessages,
  isRowsmithError,
  suggestionText,
} from '../../../base/index.js';
import { differences, inspectValue } from './difference.js';
import { type MatchResult, misuse, result } from './match-result.js';

/** See RowsmithMatchers.toBeRowsmithError. */
export function toBeRowsmithError(
  received: unknown,
  code: ErrorCode,
  details: ErrorDetails = {},
): MatchResult {
  checkCode(code);
  checkIsError(received, code);
  if (!isRowsmithError(received)) {
    const lines = [`this is not a RowsmithError: ${inspectValue(received)}`];
    if (received === undefined) lines.push('did the call not fail?');
    return result(false, `expected a RowsmithError with code ${code}`, lines);
  }
  const errorLines = ['the error is', received.explain()];
  if (received.code !== code)
    return result(false, `expected code ${code} (${errorMessages[code]})`, errorLines);
  const lines = Object.entries(details).flatMap(([name, value]) =>
    differences(value, received.details[name], `details.${name}`),
  );
  if (lines.length > 0)
    return result(false, `the code is ${code}, but the details differ`, [...lines, ...errorLines]);
  const suffix = Object.keys(details).length > 0 ? ' with these details' : '';
  return result(true, `expected an error other than ${code}${suffix}`, errorLines);
}

/** Promises and functions are the usual mistakes. */
function checkIsError(received: unknown, code: ErrorCode): void {
  if (typeof (received as Partial<PromiseLike<unknown>> | undefined)?.then === 'function') {
    throw misuse(
      'toBeRowsmithError',
      'a promise was given, not the error it rejects with',
      `write await expect(promise).rejects.toBeRowsmithError('${code}')`,
    );
  }
  if (typeof received === 'function') {
    throw misuse(
      'toBeRowsmithError',
      'a function was given, not an error',
      `call it in an async function: await expect((async () => f())()).rejects.toBeRowsmithError('${code}')`,
    );
  }
}

function checkCode(code: string): void {
  if (Object.hasOwn(errorMessages, code)) return;
  const fix = suggestionText(code, Object.keys(errorMessages));
  throw misuse('toBeRowsmithError', `there is no code ${JSON.stringify(code)}`, fix);
}
