/** Qualifiers that are data (column maps): text <-> UTF-8, refusing what would not come back. */
import { maxQualifierBytes } from '../base/index.js';
import { copyBytes } from '../bytes/index.js';
import { CellFault } from '../cell/index.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of a qualifier. Throws CellFault when it is not UTF-8. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  try {
    return utf8.decode(copyBytes(bytes, start, end));
  } catch {
    throw new CellFault(
      'the qualifier is not UTF-8 text',
      'read this family with @Column or through db.engine, where qualifiers are bytes',
    );
  }
}

/**
 * The qualifier of a map key. Throws CellFault for anything but well-formed text of at most 16,384
 * bytes.
 */
export function qualifierOf(key: unknown): Uint8Array {
  if (typeof key !== 'string')
    throw new CellFault(
      `a key of a column map is a string, not ${typeof key}`,
      'convert the key to a string',
    );
  if (!key.isWellFormed())
    throw new CellFault(
      'the key holds a lone surrogate, which UTF-8 cannot hold',
      'remove it, for instance with toWellFormed()',
    );
  const qualifier = encoder.encode(key);
  if (qualifier.length > maxQualifierBytes) {
    throw new CellFault(
      `the key takes ${qualifier.length} bytes; a qualifier holds at most ${maxQualifierBytes}`,
      'use shorter keys',
    );
  }
  return qualifier;
}
