/** The matcher of errors. */
import { nearestName } from '../../base/index.js';
/** The matcher of errors. */
import {
  type ErrorCode,
  type ErrorDetails,
  errorMessages,
  type RowsmithError,
} from '../../errors.js';
import { differences, shown } from './difference.js';
import { type MatchResult, misuse, result } from './match-result.js';

/** An error of Rowsmith with this code, whose details hold at least what is given. */
export function toBeRowsmithError(
  received: unknown,
  code: ErrorCode,
  details: ErrorDetails = {},
): MatchResult {
  checkCode(code);
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
  if (!isRowsmithError(received)) {
    return result(false, `expected a RowsmithError with code ${code}`, [
      `this is no RowsmithError: ${shown(received)}`,
      ...(received === undefined ? ['did the call not fail?'] : []),
    ]);
  }
  if (received.code !== code)
    return result(false, `expected code ${code} (${errorMessages[code]})`, [
      'the error is',
      received.explain(),
    ]);
  const lines = Object.entries(details).flatMap(([name, value]) =>
    differences(value, received.details[name], `details.${name}`),
  );
  if (lines.length > 0)
    return result(false, `${code} it is, but not with these details`, [
      ...lines,
      'the error is',
      received.explain(),
    ]);
  return result(
    true,
    `expected an error other than ${code}${Object.keys(details).length > 0 ? ' with these details' : ''}`,
    ['the error is', received.explain()],
  );
}

/**
 * By its name and code, not its class: a test may have loaded the ESM and the CommonJS form side by
 * side.
 */
function isRowsmithError(value: unknown): value is RowsmithError {
  const { name, code } = (value ?? {}) as Partial<RowsmithError>;
  return name === 'RowsmithError' && typeof code === 'string';
}

function checkCode(code: string): void {
  if (Object.hasOwn(errorMessages, code)) return;
  const nearest = nearestName(code, Object.keys(errorMessages));
  throw misuse(
    'toBeRowsmithError',
    `there is no code ${JSON.stringify(code)}`,
    nearest === undefined
      ? `use one of ${Object.keys(errorMessages).join(', ')}`
      : `did you mean '${nearest}'?`,
  );
}
