/** The entries of map fields: messages with the key as field 1 and the value as field 2. */
import type { CompiledMessage, Properties } from './compiled-message.js';
import { indexed, within } from '../fault-path.js';
import type { FieldShape } from '../wire/message-shape.js';
import { tagOf, type WireKind, wireKind, wireType } from '../wire/wire-kind.js';
import { cursor, readEnd, readTag } from '../wire/wire-reader.js';

/**
 * Reads `[at, end)` of an entry into `entry`; false when it holds anything but its key and value,
 * so that it is kept as it is.
 */
export type EntryReader = (b: Uint8Array, at: number, end: number, depth: number) => boolean;

/** The last entry read. One for all: it is taken before anything else is decoded. */
export const entry: { key: unknown; value: unknown } = { key: undefined, value: undefined };

/** How the keys of a map field are read and written. */
export function keyKind(field: FieldShape): WireKind {
  return wireKind({ kind: 'scalar', scalar: field.mapKey! });
}

/** Reads a value of a kind whose value starts at `at`, length and all; `cursor.at` is after it. */
export function readOne(
  kind: WireKind,
  b: Uint8Array,
  at: number,
  end: number,
  depth: number,
): unknown {
  if (kind.wire !== 2) return kind.read(b, at, end, depth);
  const stop = readEnd(b, at, end);
  const value = kind.read(b, cursor.at, stop, depth);
  cursor.at = stop;
  return value;
}

/**
 * The reader of a map field's entries. A missing key or value is the zero of its kind, as protobuf
 * has it.
 */
export function entryReader(field: FieldShape, child: CompiledMessage | undefined): EntryReader {
  const key = keyKind(field);
  const value = field.type.kind === 'message' ? undefined : wireKind(field.type);
  const keyTag = tagOf(1, key.wire);
  const valueTag = tagOf(2, wireType(field.type));
  return (b, at, end, depth) => {
    let name = key.zero();
    let held: unknown;
    while (at < end) {
      const tag = readTag(b, at, end);
      at = cursor.at;
      if (tag === keyTag) name = readOne(key, b, at, end, depth);
      else if (tag !== valueTag) return false;
      else held = readValue(b, at, end, depth + 1, held, name);
      at = cursor.at;
    }
    entry.key = name;
    entry.value = held ?? (value === undefined ? child!.create() : value.zero());
    return true;
  };

  function readValue(
    b: Uint8Array,
    at: number,
    end: number,
    depth: number,
    held: unknown,
    name: unknown,
  ): unknown {
    try {
      if (value !== undefined) return readOne(value, b, at, end, depth);
      const stop = readEnd(b, at, end);
      const message = child!.decode(held as Properties | undefined, b, cursor.at, stop, depth + 1);
      cursor.at = stop;
      return message;
    } catch (fault) {
      throw within(fault, indexed(name));
    }
  }
}
