/** Qualifiers of column maps: the keys of the Maps, as bytes. */
import type { FaultTexts } from '../../base/index.js';
import { CodecError } from '../../data/cell/index.js';
import { QualifierError, type QualifierReader } from '../../data/key/index.js';
import type { ColumnModel } from '../model/index.js';

/** A column map. */
export type MapColumn = Extract<ColumnModel, { readonly kind: 'columnMap' }>;

/** The qualifier of a map key. Throws CodecError for a key that is not of the declared kind. */
export function encodeQualifier({ qualifiers }: MapColumn, key: unknown): Uint8Array {
  try {
    return qualifiers.encode(key);
  } catch (error) {
    if (!(error instanceof QualifierError)) throw error;
    throw new CodecError({ problem: error.message, fix: error.fix });
  }
}

/**
 * Creates a reader of the map keys in qualifiers. It throws CodecError for bytes that are not a
 * key of the declared kind.
 */
export function qualifierReader({ qualifiers }: MapColumn): QualifierReader {
  const read = qualifiers.reader();
  return (bytes, start, end) => {
    const key = read(bytes, start, end);
    if (key === undefined) throw foreignQualifier(qualifiers.type.kind);
    return key;
  };
}

function foreignQualifier(kind: MapColumn['qualifiers']['type']['kind']): CodecError {
  const fix = 'read this family with @Column or through db.engine, where qualifiers are bytes';
  if (kind === 'string') return new CodecError(faults.notUtf8(fix));
  return new CodecError(faults.foreignQualifier(kind, fix));
}

const faults = {
  notUtf8: (fix: string) => ({ problem: 'the qualifier is not valid UTF-8', fix }),
  foreignQualifier: (kind: string, fix: string) => ({
    problem: `the qualifier is not a key of kind ${kind}`,
    fix,
  }),
} satisfies FaultTexts;
