/**
 * Checks a key file when the database is opened. The client library reads it at the first call,
 * which would fail with an unspecific error.
 */
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RowsmithError } from '../../../base/index.js';

/** Required fields by type of credentials (google-auth-library). Other types are not checked. */
const serviceAccountFields = ['client_email', 'private_key'];
const requiredFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['service_account', serviceAccountFields],
  ['authorized_user', ['client_id', 'client_secret', 'refresh_token']],
  ['external_account', ['audience', 'subject_token_type', 'token_url']],
  ['impersonated_service_account', ['service_account_impersonation_url', 'source_credentials']],
]);

/**
 * Rejects a key file that is missing or unusable, with PERMISSION_DENIED. The older formats .pem
 * and .p12 are not checked.
 */
export async function checkKeyFile(keyFilename: string): Promise<void> {
  const keyError = (problem: string, cause?: unknown): RowsmithError =>
    credentialsError(
      'keyFilename',
      `the key file ${JSON.stringify(keyFilename)} ${problem}`,
      cause,
    );
  if (typeof keyFilename !== 'string') throw keyError('is not a path');
  if (/\.(pem|p12|pfx)$/i.test(keyFilename)) return;
  let text: string;
  try {
    text = await readFile(keyFilename, 'utf8');
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    throw keyError(code === 'ENOENT' ? 'does not exist' : 'cannot be read', cause);
  }
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    // Without the cause: its message quotes the file, which contains a secret.
    throw keyError('is not JSON');
  }
  if (typeof key !== 'object' || key === null || Array.isArray(key))
    throw keyError('is not a JSON object');
  const fields = key as CredentialFields;
  const { type = 'service_account' } = fields;
  if (typeof type === 'string') checkFields(fields, requiredFields.get(type) ?? [], keyError);
  if (type === 'service_account') checkPrivateKey(fields.private_key, keyError);
}

/** Rejects an incomplete or malformed service account key, with PERMISSION_DENIED. */
export function checkCredentials(key: CredentialFields): void {
  const keyError = (problem: string): RowsmithError =>
    credentialsError('credentials', `it ${problem}`);
  // Other types (authorized user, external account) have neither field and are not checked.
  if (key.private_key === undefined && key.client_email === undefined) return;
  checkFields(key, serviceAccountFields, keyError);
  checkPrivateKey(key.private_key, keyError);
}

type CredentialFields = Readonly<Record<string, unknown>>;
type KeyError = (problem: string) => RowsmithError;

function checkFields(key: CredentialFields, names: readonly string[], keyError: KeyError): void {
  for (const name of names)
    if (key[name] === undefined || key[name] === '') throw keyError(`has no ${name}`);
}

function checkPrivateKey(key: unknown, keyError: KeyError): void {
  try {
    createPrivateKey(key as string);
  } catch {
    throw keyError('has a private_key that is not a private key in PEM format');
  }
}

function credentialsError(setting: string, problem: string, cause?: unknown): RowsmithError {
  const fix =
    'download the key of the service account again (IAM & Admin, Service accounts, Keys), or remove bigtable.' +
    setting +
    ' and log in with `gcloud auth application-default login`';
  const details = { property: `bigtable.${setting}`, problem, fix };
  return new RowsmithError('PERMISSION_DENIED', details, { cause });
}
