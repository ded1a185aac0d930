/**
 * What fails before the first call -> RowsmithError. The client library gives it no codes: its
 * words tell what it is about.
 */
import { RowsmithError } from '../../../errors.js';

/** google-auth-library: no credentials found, or found in a form that it cannot use. */
const aboutCredentials =
  /credential|api keys?\b|key ?file|file path is invalid|client_email|private_key|refresh[ _]token|invalid_grant|pem|decoder routines/i;
/** A key file that cannot be read, by its system error. */
const aboutFile = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM']);
const aboutNetwork = new Set([
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
  'log in by `gcloud auth application-default login`, give open(url, { bigtable: { keyFilename } }), or name an emulator in BIGTABLE_EMULATOR_HOST';

/** The error of an open that failed. */
export function connectError(cause: unknown): RowsmithError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  const { code = '', name } = (cause ?? {}) as { readonly code?: string; readonly name?: string };
  // Its words name the credentials as well.
  if (/universe domain/i.test(problem))
    return new RowsmithError(
      'INVALID_ARGUMENT',
      { property: 'bigtable.clientOptions.universeDomain', problem },
      { cause },
    );
  // A key file that is no JSON shows as a SyntaxError; a TypeError is about an option of the wrong
  // type, whatever it names.
  if (
    (aboutCredentials.test(problem) && name !== 'TypeError') ||
    aboutFile.has(code) ||
    name === 'SyntaxError'
  )
    return new RowsmithError('PERMISSION_DENIED', { problem, fix: logIn }, { cause });
  if (aboutNetwork.has(code))
    return new RowsmithError(
      'UNAVAILABLE',
      { problem, fix: 'look whether this machine reaches Google, and try again' },
      { cause },
    );
  return new RowsmithError(
    'STORAGE_FAILED',
    { problem, fix: 'look at what bigtable.clientOptions passes on, and at the cause' },
    { cause },
  );
}
