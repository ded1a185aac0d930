/**
 * Bigtable's other struct encodings: DelimitedBytes with a delimiter of several bytes in sorted
 * mode, and Singleton.
 */
import { concatBytes } from '../../bytes/index.js';
import type { Field } from '../kinds/field.js';
import { notAValue, rejectValue } from '../encoding/segment-value-error.js';
import { KeyWriter } from '../encoding/key-writer.js';

/** A codec of value lists, as row_key_schema describes them. */
export interface StructCodec {
  /** The key of the values; throws a SegmentValueError. */
  encode(values: readonly unknown[]): Uint8Array;
  /** The values; undefined when the bytes are no key of the struct. */
  decode(bytes: Uint8Array): unknown[] | undefined;
}

/**
 * DelimitedBytes in sorted mode: no field holds a byte up to the delimiter's first; a struct
 * without fields is one delimiter.
 */
export function delimitedBytes(delimiter: Uint8Array, fields: readonly Field[]): StructCodec {
  const first = delimiter[0];
  return {
    encode(values) {
      if (fields.length === 0) return delimiter.slice();
      const parts = fields.map((field, i) => {
        const raw = rawBytes(field, values[i]);
        if (raw.some((byte) => byte <= first))
          rejectValue(
            'a field holds a byte up to the first of the delimiter, so keys would not sort',
            'use OrderedCodeBytes',
            values[i],
          );
        return raw;
      });
      return concatBytes(...parts.flatMap((part, i) => (i === 0 ? [part] : [delimiter, part])));
    },
    decode(bytes) {
      if (fields.length === 0) return Buffer.compare(bytes, delimiter) === 0 ? [] : undefined;
      const parts = splitAt(bytes, delimiter);
      if (parts === undefined || parts.length !== fields.length) return undefined;
      return readAll(fields, parts);
    },
  };
}

/** Singleton: the one field as it is. */
export function singleton(field: Field): StructCodec {
  return {
    encode: (values) => rawBytes(field, values[0]),
    decode: (bytes) => readAll([field], [bytes]),
  };
}

function rawBytes(field: Field, value: unknown): Uint8Array {
  const out = new KeyWriter();
  field.write(out, value);
  return out.copy();
}

/**
 * Parts between delimiters; undefined when a byte up to the first of the delimiter stands
 * elsewhere.
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

function readAll(fields: readonly Field[], parts: readonly Uint8Array[]): unknown[] | undefined {
  const values = fields.map((field, i) => field.reader()(parts[i], 0, parts[i].length));
  return values.includes(notAValue) ? undefined : values;
}
