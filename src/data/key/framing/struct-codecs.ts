/**
 * Bigtable's other struct encodings: DelimitedBytes in sorted mode with a delimiter of several
 * bytes, and Singleton.
 */
import { concatBytes, equalBytes, type FaultTexts } from '../../../base/index.js';
import type { SegmentField } from '../fields/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { KeyWriter } from '../encoding/key-writer.js';

/** A codec for lists of values, as row_key_schema describes them. */
export interface StructCodec {
  /** The key of the values; throws a SegmentValueError. */
  encode(values: readonly unknown[]): Uint8Array;
  /** The values; undefined if the bytes are not a key of the struct. */
  decode(bytes: Uint8Array): unknown[] | undefined;
}

/**
 * DelimitedBytes in sorted mode: no field contains a byte up to the delimiter's first byte. A
 * struct without fields is one delimiter.
 */
export function delimitedBytes(
  delimiter: Uint8Array,
  fields: readonly SegmentField[],
): StructCodec {
  const first = delimiter[0];
  return {
    encode(values) {
      if (fields.length === 0) return delimiter.slice();
      const parts = fields.map((field, i) => {
        const raw = rawBytes(field, values[i]);
        if (raw.some((byte) => byte <= first)) rejectValue(faults.unsortableField, values[i]);
        return raw;
      });
      return concatBytes(...parts.flatMap((part) => [delimiter, part]).slice(1));
    },
    decode(bytes) {
      if (fields.length === 0) {
        if (!equalBytes(bytes, delimiter)) return undefined;
        return [];
      }
      const parts = splitAt(bytes, delimiter);
      if (parts === undefined || parts.length !== fields.length) return undefined;
      return readAll(fields, parts);
    },
  };
}

/** Singleton: the bytes of the only field. */
export function singleton(field: SegmentField): StructCodec {
  return {
    encode: (values) => rawBytes(field, values[0]),
    decode: (bytes) => readAll([field], [bytes]),
  };
}

function rawBytes(field: SegmentField, value: unknown): Uint8Array {
  const out = new KeyWriter();
  field.write(out, value);
  return out.copy();
}

/**
 * The parts between delimiters; undefined if a byte up to the delimiter's first one occurs outside
 * a delimiter.
 */
function splitAt(bytes: Uint8Array, delimiter: Uint8Array): Uint8Array[] | undefined {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] > delimiter[0]) continue;
    if (!delimiter.every((byte, j) => bytes[i + j] === byte)) return undefined;
    parts.push(bytes.slice(from, i));
    from = i + delimiter.length;
    i = from - 1;
  }
  return [...parts, bytes.slice(from)];
}

function readAll(
  fields: readonly SegmentField[],
  parts: readonly Uint8Array[],
): unknown[] | undefined {
  const values = fields.map((field, i) => field.reader()(parts[i], 0, parts[i].length));
  if (values.includes(notAValue)) return undefined;
  return values;
}

const faults = {
  unsortableField: {
    problem:
      'a field contains a byte up to the first byte of the delimiter, so keys would not sort',
    fix: 'use OrderedCodeBytes',
  },
} satisfies FaultTexts;
