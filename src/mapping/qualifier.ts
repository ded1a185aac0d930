/** Qualifiers of column maps, whose keys are stored as UTF-8. Rejects text that would change. */
import { maxQualifierBytes } from '../base/index.js';
import { copyBytes } from '../bytes/index.js';
import { CodecError } from '../cell/index.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of a qualifier. Throws CodecError if it is not UTF-8. */
export function decodeQualifier(bytes: Uint8Array, start: number, end: number): string {
  try {
    return utf8.decode(copyBytes(bytes, start, end));
  } catch {
    throw new CodecError(
      'the qualifier is not UTF-8 text',
      'read this family with @Column or through db.engine, where qualifiers are bytes',
    );
  }
}

/** The qualifier of a map key. Throws CodecError unless it is well-formed text of up to 16 KiB. */
export function encodeQualifier(key: unknown): Uint8Array {
  if (typeof key !== 'string')
    throw new CodecError(
      `a key of a column map must be a string, not ${typeof key}`,
      'convert the key to a string',
    );
  if (!key.isWellFormed())
    throw new CodecError(
      'the key contains a lone surrogate, which UTF-8 cannot encode',
      'remove it, for instance with toWellFormed()',
    );
  const qualifier = encoder.encode(key);
  if (qualifier.length > maxQualifierBytes) {
    throw new CodecError(
      `the key has ${qualifier.length} bytes, but a qualifier has at most ${maxQualifierBytes}`,
      'use shorter keys',
    );
  }
  return qualifier;
}
