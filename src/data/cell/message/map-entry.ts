/** The entries of map fields: messages with the key as field 1 and the value as field 2. */
import { indexPath, within } from '../fault-path.js';
import type { FieldShape } from '../wire/message-shape.js';
import { tagOf, type WireKind, wireKind, wireType } from '../wire/wire-kind.js';
import { cursor, readEnd, readTag, skip } from '../wire/wire-reader.js';
import type { CompiledMessage, Properties } from './compiled-message.js';

/**
 * Reads the entry in `[at, end)` into `entry`. Returns false if it contains other fields than the
 * key and value; such entries are preserved as unknown fields.
 */
export type EntryReader = (b: Uint8Array, at: number, end: number, depth: number) => boolean;

/** The last entry read. Shared, so use it before decoding anything else. */
export const entry: { key: unknown; value: unknown } = { key: undefined, value: undefined };

/** The encoding of the keys of a map field. */
export function keyKind(field: FieldShape): WireKind {
  return wireKind({ kind: 'scalar', scalar: field.mapKey! });
}

/** Reads a value at `at`, including its length if it has one. Sets `cursor.at` to its end. */
function readOne(kind: WireKind, b: Uint8Array, at: number, end: number, depth: number): unknown {
  if (kind.wire !== 2) return kind.read(b, at, end, depth);
  const stop = readEnd(b, at, end);
  const value = kind.read(b, cursor.at, stop, depth);
  cursor.at = stop;
  return value;
}

/**
 * The reader of a map field's entries. `child` is the message of the values, if they are messages.
 * As in protobuf, a missing key or value is the default value of its kind.
 */
export function entryReader(field: FieldShape, child: CompiledMessage | undefined): EntryReader {
  const keys = keyKind(field);
  const values = field.type.kind === 'message' ? undefined : wireKind(field.type);
  const keyTag = tagOf(1, keys.wire);
  const valueTag = tagOf(2, wireType(field.type));
  return (b, at, end, depth) => {
    let key = keys.zero();
    let value: unknown;
    let isKnown = true;
    while (at < end) {
      const tag = readTag(b, at, end);
      at = cursor.at;
      if (tag === keyTag) key = readOne(keys, b, at, end, depth);
      else if (tag === valueTag) value = readValue(b, at, end, depth + 1, value, key);
      else {
        // Bytes that are no fields at all are damage.
        isKnown = false;
        cursor.at = skip(b, at, end, tag, depth + 1);
      }
      at = cursor.at;
    }
    if (!isKnown) return false;
    entry.key = key;
    entry.value = value ?? defaultValue();
    return true;
  };

  function readValue(
    b: Uint8Array,
    at: number,
    end: number,
    depth: number,
    earlier: unknown,
    key: unknown,
  ): unknown {
    try {
      if (values !== undefined) return readOne(values, b, at, end, depth);
      const stop = readEnd(b, at, end);
      const message = child!.decode(
        earlier as Properties | undefined,
        b,
        cursor.at,
        stop,
        depth + 1,
      );
      cursor.at = stop;
      return message;
    } catch (error) {
      throw within(error, indexPath(key));
    }
  }

  function defaultValue(): unknown {
    if (values !== undefined) return values.zero();
    return child!.create();
  }
}
