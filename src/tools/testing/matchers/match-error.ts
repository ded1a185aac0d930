/** The matcher for errors. */
import {
  type ErrorCode,
  type ErrorDetails,
  errorMessages,
  isRowsmithError,
  suggestionText,
  type FaultTexts,
} from '../../../base/index.js';
import { inspectValue, valueDifferences } from './difference.js';
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
    valueDifferences(value, received.details[name], `details.${name}`),
  );
  if (lines.length > 0)
    return result(false, `the code is ${code}, but the details differ`, [...lines, ...errorLines]);
  const suffix = Object.keys(details).length > 0 ? ' with these details' : '';
  return result(true, `expected an error other than ${code}${suffix}`, errorLines);
}

/** Promises and functions are the usual mistakes. */
function checkIsError(received: unknown, code: ErrorCode): void {
  if (typeof (received as Partial<PromiseLike<unknown>> | undefined)?.then === 'function') {
    throw misuse('toBeRowsmithError', faults.promiseGiven(code));
  }
  if (typeof received === 'function') {
    throw misuse('toBeRowsmithError', faults.functionGiven(code));
  }
}

function checkCode(code: string): void {
  if (Object.hasOwn(errorMessages, code)) return;
  const fix = suggestionText(code, Object.keys(errorMessages));
  throw misuse('toBeRowsmithError', faults.unknownCode(JSON.stringify(code), fix));
}

const faults = {
  promiseGiven: (code: string) => ({
    problem: 'a promise was given, not the error it rejects with',
    fix: `write await expect(promise).rejects.toBeRowsmithError('${code}')`,
  }),
  functionGiven: (code: string) => ({
    problem: 'a function was given, not an error',
    fix: `call it in an async function: await expect((async () => f())()).rejects.toBeRowsmithError('${code}')`,
  }),
  unknownCode: (json: string, fix: string) => ({ problem: `there is no code ${json}`, fix }),
} satisfies FaultTexts;
