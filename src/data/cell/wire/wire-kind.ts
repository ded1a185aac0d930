/** The encoding of each kind of field: its wire type, reader, writer and default value. */
import { copyBytes, noBytes } from '../../../base/index.js';
import type { FieldKind } from '../scalar/scalar-type.js';
import { readText } from '../utf8.js';
import type { FieldType } from './message-shape.js';
import { readTimestampField, writeTimestampField } from './timestamp-field.js';
import * as read from './wire-reader.js';
import * as write from './wire-values.js';
import type { WireWriter } from './wire-writer.js';

/** Wire types: varint, 8 bytes, length-delimited, 4 bytes. */
export type WireType = 0 | 1 | 2 | 5;

/** The encoding of one kind of field. */
export interface WireKind {
  readonly wire: WireType;
  /**
   * Reads a value. For length-delimited kinds, `[at, end)` is the value without its length. Other
   * values start at `at`, and `cursor.at` is set to their end, which is at most `end`.
   */
  readonly read: (b: Uint8Array, at: number, end: number, depth: number) => unknown;
  /**
   * Checks and writes a value, including the length of a length-delimited one. The writer must have
   * space for a scalar.
   */
  readonly write: (w: WireWriter, value: unknown) => void;
  /** The default value, used for a map entry without a value. */
  readonly zero: () => unknown;
}

/** All kinds. */
export const kinds: { readonly [K in FieldKind]: WireKind } = {
  double: { wire: 1, read: read.readDouble, write: write.writeDouble, zero: () => 0 },
  float: { wire: 5, read: read.readFloat, write: write.writeFloat, zero: () => 0 },
  int32: { wire: 0, read: read.readInt32, write: write.writeInt32, zero: () => 0 },
  uint32: { wire: 0, read: read.readUint32, write: write.writeUint32, zero: () => 0 },
  sint32: { wire: 0, read: read.readSint32, write: write.writeSint32, zero: () => 0 },
  fixed32: { wire: 5, read: read.readFixed32, write: write.writeFixed32, zero: () => 0 },
  sfixed32: { wire: 5, read: read.readSfixed32, write: write.writeSfixed32, zero: () => 0 },
  int64: { wire: 0, read: read.readInt64, write: write.writeInt64, zero: () => 0n },
  uint64: { wire: 0, read: read.readUint64, write: write.writeUint64, zero: () => 0n },
  sint64: { wire: 0, read: read.readSint64, write: write.writeSint64, zero: () => 0n },
  fixed64: { wire: 1, read: read.readFixed64, write: write.writeFixed64, zero: () => 0n },
  sfixed64: { wire: 1, read: read.readSfixed64, write: write.writeSfixed64, zero: () => 0n },
  bool: { wire: 0, read: read.readBool, write: write.writeBool, zero: () => false },
  string: { wire: 2, read: readText, write: write.writeText, zero: () => '' },
  bytes: { wire: 2, read: copyBytes, write: write.writeBytes, zero: () => noBytes },
  timestamp: {
    wire: 2,
    read: readTimestampField,
    write: writeTimestampField,
    zero: () => new Date(0),
  },
};

/** The encoding of a type other than a message; an enum is encoded as int32. */
export function wireKind(type: Exclude<FieldType, { kind: 'message' }>): WireKind {
  return kinds[scalarName(type)];
}

/** The kind of scalar by which a type is encoded. */
export function scalarName(type: Exclude<FieldType, { kind: 'message' }>): FieldKind {
  return type.kind === 'enum' ? 'int32' : type.scalar;
}

/** The wire type of a single value. */
export function wireType(type: FieldType): WireType {
  return type.kind === 'message' ? 2 : wireKind(type).wire;
}

/** The tag of a field: its number and wire type. */
export function tagOf(number: number, wire: number): number {
  return ((number << 3) | wire) >>> 0;
}
