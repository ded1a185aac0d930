/**
 * Compiles the encoder of a message to closures, for processes that forbid code generation from
 * strings. Equivalent to encoder-source.ts, but takes up to twice the time (bench/RESULTS.md).
 */
import { within } from '../fault-path.js';
import type { FieldShape, MessageShape } from '../wire/message-shape.js';
import { tagOf, wireKind, wireType } from '../wire/wire-kind.js';
import { checkDepth } from '../wire/wire-reader.js';
import { scalarSpace, type WireWriter } from '../wire/wire-writer.js';
import {
  checkForm,
  checkOneof,
  checkUnknownProperty,
  isSet,
  listOf,
  mapOf,
  type MessageEncoder,
  type Nested,
  oneofNames,
  unknownBytes,
  writePath,
} from './compiled-message.js';
import { keyKind } from './map-entry.js';
import { unknownFields } from './unknown-fields.js';

/** The value being written, for the path of an error. */
interface Position {
  /** Index of the field in the shape. */
  field: number;
  index: number;
  key: unknown;
}

type FieldWriter = (w: WireWriter, value: unknown, depth: number, position: Position) => void;
type ValueWriter = (w: WireWriter, value: unknown, depth: number) => void;

/** The encoder of a message. */
export function closureEncoder(shape: MessageShape, nested: Nested): MessageEncoder {
  const names = new Set(shape.fields.map((field) => field.name));
  const oneofs = oneofNames(shape);
  const writers = shape.fields.map((field) => fieldWriter(field, nested));
  return (w, value, depth) => {
    checkDepth(depth);
    checkForm(shape, value);
    for (const name in value) if (!names.has(name)) checkUnknownProperty(shape, value, name);
    for (const oneof of oneofs) checkOneof(shape, value, oneof);
    const position: Position = { field: -1, index: -1, key: undefined };
    try {
      for (let i = 0; i < writers.length; i++) {
        position.field = i;
        const fieldValue = value[shape.fields[i].name];
        if (isSet(fieldValue)) writers[i](w, fieldValue, depth, position);
      }
    } catch (error) {
      throw within(error, writePath(shape, position.field, position.index, position.key));
    }
    const unknown = value[unknownFields];
    if (unknown !== undefined) w.raw(unknownBytes(unknown));
  };
}

function fieldWriter(field: FieldShape, nested: Nested): FieldWriter {
  if (field.label === 'map') return mapWriter(field, nested);
  const tag = tagOf(field.number, wireType(field.type));
  const write = valueWriter(field, nested);
  if (field.label === 'singular') {
    return (w, value, depth) => {
      w.tag(tag);
      write(w, value, depth);
    };
  }
  if (wireType(field.type) === 2) return listWriter(tag, write);
  return packedWriter(tagOf(field.number, 2), write);
}

function listWriter(tag: number, write: ValueWriter): FieldWriter {
  return (w, value, depth, position) => {
    const list = listOf(value);
    for (position.index = 0; position.index < list.length; position.index++) {
      w.tag(tag);
      write(w, list[position.index], depth);
    }
    position.index = -1;
  };
}

function packedWriter(tag: number, write: ValueWriter): FieldWriter {
  return (w, value, depth, position) => {
    const list = listOf(value);
    if (list.length === 0) return;
    w.tag(tag);
    const start = w.open();
    for (position.index = 0; position.index < list.length; position.index++) {
      w.room(scalarSpace);
      write(w, list[position.index], depth);
    }
    position.index = -1;
    w.close(start);
  };
}

function valueWriter(field: FieldShape, nested: Nested): ValueWriter {
  if (field.type.kind !== 'message') return wireKind(field.type).write;
  const child = nested(field.type.shape());
  return (w, value, depth) => {
    const start = w.open();
    child.encode(w, value, depth + 1);
    w.close(start);
  };
}

function mapWriter(field: FieldShape, nested: Nested): FieldWriter {
  const keys = keyKind(field);
  const write = valueWriter(field, nested);
  const entryTag = tagOf(field.number, 2);
  const keyTag = tagOf(1, keys.wire);
  const valueTag = tagOf(2, wireType(field.type));
  return (w, value, depth, position) => {
    for (const [key, entryValue] of mapOf(value)) {
      position.key = key;
      w.tag(entryTag);
      const start = w.open();
      w.tag(keyTag);
      keys.write(w, key);
      w.tag(valueTag);
      write(w, entryValue, depth + 1);
      w.close(start);
    }
    position.key = undefined;
  };
}
