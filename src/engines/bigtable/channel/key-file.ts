/**
 * A key file is looked at when a database is opened: the client library reads it at the first call,
 * and what is wrong with it would show there, as a refusal.
 */
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RowsmithError } from '../../../errors.js';

/**
 * What each kind of credentials file must hold (google-auth-library). Other kinds are left to the
 * library.
 */
const needed: Readonly<Record<string, readonly string[]>> = {
  service_account: ['client_email', 'private_key'],
  authorized_user: ['client_id', 'client_secret', 'refresh_token'],
  external_account: ['audience', 'subject_token_type', 'token_url'],
  impersonated_service_account: ['service_account_impersonation_url', 'source_credentials'],
};

/**
 * Refuses a key file that is not there or cannot be used, with PERMISSION_DENIED. Older forms than
 * JSON (.pem, .p12) are left to the library.
 */
export async function checkKeyFile(keyFilename: string): Promise<void> {
  const refuse = (problem: string, cause?: unknown): RowsmithError =>
    refusal('keyFilename', `the key file ${JSON.stringify(keyFilename)} ${problem}`, cause);
  if (typeof keyFilename !== 'string') throw refuse('is no path');
  if (/\.(pem|p12|pfx)$/i.test(keyFilename)) return;
  let text: string;
  try {
    text = await readFile(keyFilename, 'utf8');
  } catch (cause) {
    throw refuse(
      (cause as { readonly code?: string }).code === 'ENOENT' ? 'is not there' : 'cannot be read',
      cause,
    );
  }
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    // Without its cause, whose words quote the file: it holds a secret.
    throw refuse('is no JSON');
  }
  if (typeof key !== 'object' || key === null || Array.isArray(key)) throw refuse('holds no key');
  const held = key as Readonly<Record<string, unknown>>;
  const { type = 'service_account' } = held;
  for (const name of needed[typeof type === 'string' ? type : ''] ?? [])
    if (held[name] === undefined || held[name] === '') throw refuse(`has no ${name}`);
  if (type === 'service_account') checkPrivateKey(held.private_key, refuse);
}

/** Refuses the key of a service account that lacks a part or is none, with PERMISSION_DENIED. */
export function checkCredentials(key: Readonly<Record<string, unknown>>): void {
  const refuse = (problem: string): RowsmithError => refusal('credentials', `it ${problem}`);
  // Other forms (an authorized user's, an external account's) have neither and are left to the
  // library.
  if (key.private_key === undefined && key.client_email === undefined) return;
  for (const name of needed.service_account)
    if (key[name] === undefined || key[name] === '') throw refuse(`has no ${name}`);
  checkPrivateKey(key.private_key, refuse);
}

function checkPrivateKey(key: unknown, refuse: (problem: string) => RowsmithError): void {
  try {
    createPrivateKey(key as string);
  } catch {
    throw refuse('has a private_key that is no private key in PEM form');
  }
}

function refusal(setting: string, problem: string, cause?: unknown): RowsmithError {
  const fix =
    'download the key of the service account again (IAM & Admin, Service accounts, Keys), or leave bigtable.' +
    setting +
    ' out and log in by `gcloud auth application-default login`';
  return new RowsmithError(
    'PERMISSION_DENIED',
    { property: `bigtable.${setting}`, problem, fix },
    cause === undefined ? {} : { cause },
  );
}
