/** TLS, and the bearer token that clients must send. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Metadata, ServerCredentials } from '@grpc/grpc-js';
import { errorMessage, invalidArgument, type FaultTexts } from '../base/index.js';
import { statusCode, StatusError } from '../engines/protocol/index.js';
import type { ServerTls } from './server-tls.js';
import type { Grpc } from './grpc.js';

/** The one method without a token: orchestrators send none. It tells nothing but the health. */
export const openPath = '/grpc.health.v1.Health/Check';

/** Shorter tokens could be guessed. */
const minTokenChars = 16;

/** The credentials to listen with: TLS, or none. */
export function serverCredentials(grpc: Grpc, tls: ServerTls | undefined): ServerCredentials {
  if (tls === undefined) return grpc.ServerCredentials.createInsecure();
  const cert = pemBytes(tls.cert, 'cert');
  const key = pemBytes(tls.key, 'key');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw invalidArgument('tls', faults.unusableCertificate(cause), {}, { cause });
  }
  return grpc.ServerCredentials.createSsl(null, [{ cert_chain: cert, private_key: key }]);
}

function pemBytes(pem: unknown, name: string): Buffer {
  if (typeof pem === 'string' && pem !== '') return Buffer.from(pem);
  if (pem instanceof Uint8Array && pem.length > 0) return Buffer.from(pem);
  throw invalidArgument(`tls.${name}`, faults.notPem);
}

/** Checks whether calls carry the token of a server. */
export class TokenCheck {
  readonly #digest: Buffer | undefined;

  /** Without a token every call is accepted. */
  constructor(token: string | undefined) {
    if (token === undefined) return;
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length < minTokenChars)
      throw invalidArgument('token', faults.notAToken);
    this.#digest = digest(token);
  }

  /** True for the value of an `authorization` header with the token. */
  accepts(authorization: unknown): boolean {
    if (this.#digest === undefined) return true;
    if (typeof authorization !== 'string') return false;
    const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    // Digests have one length and are compared in constant time.
    return token !== undefined && timingSafeEqual(digest(token), this.#digest);
  }

  /** Throws UNAUTHENTICATED for a call without the token. */
  check(metadata: Metadata): void {
    const values = this.#digest === undefined ? [] : metadata.get('authorization');
    if (this.#digest === undefined || (values.length === 1 && this.accepts(values[0]))) return;
    throw new StatusError(statusCode.UNAUTHENTICATED, unauthenticated);
  }
}

/** The message of UNAUTHENTICATED. */
export const unauthenticated = 'The call has no valid bearer token';

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const faults = {
  unusableCertificate: (cause: unknown) => ({
    problem: `the certificate and key cannot be used: ${errorMessage(cause)}`,
    fix: 'give a certificate and its unencrypted private key, both as PEM',
  }),
  notPem: {
    problem: 'it is not text in PEM format',
    fix: 'read the file with readFile, and pass its content',
  },
  notAToken: {
    problem: 'it is not a usable bearer token',
    fix: `give at least ${minTokenChars} ASCII characters without spaces, such as the output of openssl rand -hex 32`,
  },
} satisfies FaultTexts;
