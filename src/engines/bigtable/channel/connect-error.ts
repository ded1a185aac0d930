/**
 * Errors while connecting -> RowsmithError. The client library's errors have no codes, so their
 * texts decide.
 */
import { RowsmithError, type FaultTexts } from '../../../base/index.js';

/** Messages of google-auth-library: credentials are missing or unusable. */
const credentialsMessage =
  /credential|api keys?\b|key ?file|file path is invalid|client_email|private_key|refresh[ _]token|invalid_grant|pem|decoder routines/i;
/** System errors when a key file cannot be read. */
const fileErrorCodes = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM']);
const networkErrorCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
]);
const logIn =
  'log in with `gcloud auth application-default login`, ' +
  'use open(url, { bigtable: { keyFilename } }), or set BIGTABLE_EMULATOR_HOST';

const logInForShell =
  'log in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS or ' +
  'BIGTABLE_EMULATOR_HOST';

/** The RowsmithError of a failed connect. */
export function connectError(cause: unknown): RowsmithError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  const { code = '', name } = (cause ?? {}) as { readonly code?: string; readonly name?: string };
  // Tested first: these messages mention credentials as well.
  if (/universe domain/i.test(problem))
    return new RowsmithError(
      'INVALID_ARGUMENT',
      { property: 'bigtable.clientOptions.universeDomain', problem },
      { cause },
    );
  // A key file that is not JSON causes a SyntaxError. A TypeError is an option of the wrong type,
  // even if its message mentions credentials.
  if (
    (credentialsMessage.test(problem) && name !== 'TypeError') ||
    fileErrorCodes.has(code) ||
    name === 'SyntaxError'
  )
    return new RowsmithError(
      'PERMISSION_DENIED',
      { problem, fix: logIn, shell: { fix: logInForShell } },
      { cause },
    );
  if (networkErrorCodes.has(code))
    return new RowsmithError('UNAVAILABLE', faults.unreachable(problem), { cause });
  return new RowsmithError('STORAGE_FAILED', faults.wrongSettings(problem), { cause });
}

const faults = {
  unreachable: (problem: string) => ({
    problem,
    fix: 'check that this machine can reach Google, and try again',
  }),
  wrongSettings: (problem: string) => ({
    problem,
    fix: 'check bigtable.clientOptions and the cause of this error',
  }),
} satisfies FaultTexts;
