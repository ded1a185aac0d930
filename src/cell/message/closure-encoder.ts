/**
 * Compiles the writing of a message into closures: for processes that forbid code generation from
 * strings. Does exactly what encoder-source.ts does, in up to twice the time (bench/RESULTS.md).
 */
import {
  checkForm,
  checkOneof,
  checkStranger,
  isSet,
  listOf,
  mapOf,
  type MessageEncoder,
  type Nested,
  unknownBytes,
  writePlace,
} from './compiled-message.js';
import { within } from '../fault-path.js';
import { keyKind } from './map-entry.js';
import type { FieldShape, MessageShape } from '../wire/message-shape.js';
import { unknownFields } from './unknown-fields.js';
import { tagOf, wireKind, wireType } from '../wire/wire-kind.js';
import { checkDepth } from '../wire/wire-reader.js';
import type { WireWriter } from '../wire/wire-writer.js';

/** Where the writing is, for the path of a fault. */
interface Place {
  /** Index of the field in the shape. */
  field: number;
  index: number;
  key: unknown;
}

type FieldWriter = (w: WireWriter, value: unknown, depth: number, place: Place) => void;
type ValueWriter = (w: WireWriter, value: unknown, depth: number) => void;

/** The encoder of a shape. */
export function closureEncoder(shape: MessageShape, nested: Nested): MessageEncoder {
  const names = new Set(shape.fields.map((field) => field.name));
  const oneofs = [...new Set(shape.fields.flatMap((field) => field.oneof ?? []))];
  const writers = shape.fields.map((field) => fieldWriter(field, nested));
  return (w, value, depth) => {
    checkDepth(depth);
    checkForm(shape, value);
    for (const name in value) if (!names.has(name)) checkStranger(shape, value, name);
    for (const oneof of oneofs) checkOneof(shape, value, oneof);
    const place: Place = { field: -1, index: -1, key: undefined };
    try {
      for (let i = 0; i < writers.length; i++) {
        place.field = i;
        const held = value[shape.fields[i].name];
        if (isSet(held)) writers[i](w, held, depth, place);
      }
    } catch (fault) {
      throw within(fault, writePlace(shape, place.field, place.index, place.key));
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
  return wireType(field.type) === 2
    ? listWriter(tag, write)
    : packedWriter(tagOf(field.number, 2), write);
}

function listWriter(tag: number, write: ValueWriter): FieldWriter {
  return (w, value, depth, place) => {
    const list = listOf(value);
    for (place.index = 0; place.index < list.length; place.index++) {
      w.tag(tag);
      write(w, list[place.index], depth);
    }
    place.index = -1;
  };
}

function packedWriter(tag: number, write: ValueWriter): FieldWriter {
  return (w, value, depth, place) => {
    const list = listOf(value);
    if (list.length === 0) return;
    w.tag(tag);
    const start = w.open();
    for (place.index = 0; place.index < list.length; place.index++) {
      w.room(16);
      write(w, list[place.index], depth);
    }
    place.index = -1;
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
  const key = keyKind(field);
  const write = valueWriter(field, nested);
  const tags = [tagOf(field.number, 2), tagOf(1, key.wire), tagOf(2, wireType(field.type))];
  return (w, value, depth, place) => {
    for (const [name, held] of mapOf(value)) {
      place.key = name;
      w.tag(tags[0]);
      const start = w.open();
      w.tag(tags[1]);
      key.write(w, name);
      w.tag(tags[2]);
      write(w, held, depth + 1);
      w.close(start);
    }
    place.key = undefined;
  };
}
