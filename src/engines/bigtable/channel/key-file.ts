/**
 * Checks a key file when the database is opened. The client library reads it at the first call,
 * which would fail with an unspecific error.
 */
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RowsmithError, type FaultTexts, type ProblemText } from '../../../base/index.js';

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
  const keyError = ({ problem }: ProblemText, cause?: unknown): RowsmithError =>
    credentialsError(
      'keyFilename',
      faults.unusableKeyFile(JSON.stringify(keyFilename), problem),
      cause,
    );
  if (typeof keyFilename !== 'string') throw keyError(faults.notAPath);
  if (/\.(pem|p12|pfx)$/i.test(keyFilename)) return;
  let text: string;
  try {
    text = await readFile(keyFilename, 'utf8');
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    throw keyError(faults.unreadableFile(code), cause);
  }
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    // Without the cause: its message quotes the file, which contains a secret.
    throw keyError(faults.notJson);
  }
  if (typeof key !== 'object' || key === null || Array.isArray(key))
    throw keyError(faults.notAnObject);
  const fields = key as CredentialFields;
  const { type = 'service_account' } = fields;
  if (typeof type === 'string') checkFields(fields, requiredFields.get(type) ?? [], keyError);
  if (type === 'service_account') checkPrivateKey(fields.private_key, keyError);
}

/** Rejects an incomplete or malformed service account key, with PERMISSION_DENIED. */
export function checkCredentials(key: CredentialFields): void {
  const keyError = ({ problem }: ProblemText): RowsmithError =>
    credentialsError('credentials', faults.unusableCredentials(problem));
  // Other types (authorized user, external account) have neither field and are not checked.
  if (key.private_key === undefined && key.client_email === undefined) return;
  checkFields(key, serviceAccountFields, keyError);
  checkPrivateKey(key.private_key, keyError);
}

type CredentialFields = Readonly<Record<string, unknown>>;
type KeyError = (fault: ProblemText) => RowsmithError;

function checkFields(key: CredentialFields, names: readonly string[], keyError: KeyError): void {
  for (const name of names)
    if (key[name] === undefined || key[name] === '') throw keyError(faults.missingField(name));
}

function checkPrivateKey(key: unknown, keyError: KeyError): void {
  try {
    createPrivateKey(key as string);
  } catch {
    throw keyError(faults.wrongPrivateKey);
  }
}

function credentialsError(setting: string, fault: ProblemText, cause?: unknown): RowsmithError {
  const fix =
    'download the key of the service account again (IAM & Admin, Service accounts, Keys), or remove bigtable.' +
    setting +
    ' and log in with `gcloud auth application-default login`';
  const details = { property: `bigtable.${setting}`, problem: fault.problem, fix };
  return new RowsmithError('PERMISSION_DENIED', details, { cause });
}

const faults = {
  unusableKeyFile: (json: string, problem: string) => ({
    problem: `the key file ${json} ${problem}`,
  }),
  notAPath: { problem: 'is not a path' },
  unreadableFile: (code: undefined | string) => ({
    problem: code === 'ENOENT' ? 'does not exist' : 'cannot be read',
  }),
  notJson: { problem: 'is not JSON' },
  notAnObject: { problem: 'is not a JSON object' },
  unusableCredentials: (problem: string) => ({ problem: `it ${problem}` }),
  missingField: (name: string) => ({ problem: `has no ${name}` }),
  wrongPrivateKey: { problem: 'has a private_key that is not a private key in PEM format' },
} satisfies FaultTexts;
