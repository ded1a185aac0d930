/**
 * A self-signed certificate for TLS on loopback, generated for each run, so that there is no key in
 * the repository. X.509 v1 in DER (RFC 5280, 4.1).
 */
import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and its certificate, as PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), derLength(body.length), body]);
};
function derLength(length: number): Buffer {
  if (length < 128) return Buffer.of(length);
  if (length < 256) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 255);
}
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => der(0x31, ...parts);
/** 2.5.4.3, and 1.2.840.113549.1.1.11 with no parameters. */
const commonName = der(0x06, Buffer.of(0x55, 4, 3));
const sha256WithRsa = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05));

/** Creates a certificate for a host name. */
export function selfSigned(host: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const name = sequence(set(sequence(commonName, der(0x0c, Buffer.from(host)))));
  const time = (text: string): Buffer => der(0x17, Buffer.from(text));
  const content = sequence(
    der(0x02, Buffer.of(1)),
    sha256WithRsa,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const certificate = sequence(
    content,
    sha256WithRsa,
    der(0x03, Buffer.of(0), sign('sha256', content, privateKey)),
  );
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate
      .toString('base64')
      .match(/.{1,64}/g)!
      .join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
