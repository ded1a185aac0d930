/**
 * Compiles messages into closures: for processes that forbid code generation from strings. Does exactly what decoder-source.ts and encoder-source.ts do, two to four
 * times slower.
 */
import {
  checkForm, checkOneof, checkStranger, isSet, listOf, mapOf, type MessageDecoder, type MessageEncoder, type Nested, type Properties, readPlace,
  unknownBytes, writePlace,
} from './compiled-message.js';
import { within } from './fault-path.js';
import { entry, entryReader, keyKind, readOne } from './map-entry.js';
import type { FieldShape, MessageShape } from './message-shape.js';
import { gather, keep, unknownFields } from './unknown-fields.js';
import { tagOf, wireKind, wireType } from './wire-kind.js';
import { checkDepth, cursor, readEnd, readTag, skip } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/** Reads one occurrence of a field; false when it is to be kept as unknown. `cursor.at` is after it. `had`: fields that are set, by index. */
type Step = (target: Properties, b: Uint8Array, at: number, end: number, depth: number, had: boolean[]) => boolean;

/** The decoder of a shape. */
export function closureDecoder(shape: MessageShape, nested: Nested): MessageDecoder {
  const steps = new Map<number, Step>();
  shape.fields.forEach((field, index) => addSteps(steps, shape, field, index, nested));
  return (target, b, at, end, depth, merge) => {
    checkDepth(depth);
    const had = shape.fields.map((field) => merge && isSet(target[field.name]));
    let kept: number[] | undefined;
    let tag = 0;
    try {
      while (at < end) {
        const from = at;
        tag = 0;
        tag = readTag(b, at, end);
        at = cursor.at;
        const step = steps.get(tag);
        if (step === undefined) {
          at = skip(b, at, end, tag, depth);
          kept = keep(kept, from, at);
        } else {
          if (!step(target, b, at, end, depth, had)) kept = keep(kept, from, cursor.at);
          at = cursor.at;
        }
      }
    } catch (fault) {
      throw within(fault, readPlace(shape, tag, target));
    }
    if (kept !== undefined) target[unknownFields] = gather(b, kept, merge ? target[unknownFields] : undefined);
    return target;
  };
}

function addSteps(steps: Map<number, Step>, shape: MessageShape, field: FieldShape, index: number, nested: Nested): void {
  if (field.label === 'map') return void steps.set(tagOf(field.number, 2), mapStep(field, index, nested));
  const wire = wireType(field.type);
  const read = valueReader(field, nested);
  if (field.label === 'singular') return void steps.set(tagOf(field.number, wire), singularStep(shape, field, index, read));
  const list = (target: Properties, had: boolean[]): unknown[] => {
    if (!had[index]) target[field.name] = [];
    had[index] = true;
    return target[field.name] as unknown[];
  };
  steps.set(tagOf(field.number, wire), (target, b, at, end, depth, had) => {
    const values = list(target, had);
    values.push(read(b, at, end, depth, undefined));
    return true;
  });
  if (wire === 2) return;
  steps.set(tagOf(field.number, 2), (target, b, at, end, depth, had) => {
    const stop = readEnd(b, at, end);
    at = cursor.at;
    // A packed run of no values is no list: it would not be written again.
    if (at === stop) return true;
    const values = list(target, had);
    for (; at < stop; at = cursor.at) values.push(read(b, at, stop, depth, undefined));
    cursor.at = stop;
    return true;
  });
}

type ValueReader = (b: Uint8Array, at: number, end: number, depth: number, earlier: Properties | undefined) => unknown;

function valueReader(field: FieldShape, nested: Nested): ValueReader {
  if (field.type.kind !== 'message') {
    const kind = wireKind(field.type);
    return (b, at, end, depth) => readOne(kind, b, at, end, depth);
  }
  const child = nested(field.type.shape());
  return (b, at, end, depth, earlier) => {
    const stop = readEnd(b, at, end);
    const message = child.decode(earlier ?? child.create(), b, cursor.at, stop, depth + 1, earlier !== undefined);
    cursor.at = stop;
    return message;
  };
}

function singularStep(shape: MessageShape, field: FieldShape, index: number, read: ValueReader): Step {
  const rivals = shape.fields.map((_, i) => i).filter((i) => i !== index && field.oneof !== undefined && shape.fields[i].oneof === field.oneof);
  return (target, b, at, end, depth, had) => {
    target[field.name] = read(b, at, end, depth, had[index] ? target[field.name] as Properties : undefined);
    had[index] = true;
    for (const rival of rivals) {
      if (had[rival]) target[shape.fields[rival].name] = undefined;
      had[rival] = false;
    }
    return true;
  };
}

function mapStep(field: FieldShape, index: number, nested: Nested): Step {
  const readEntry = entryReader(field, field.type.kind === 'message' ? nested(field.type.shape()) : undefined);
  return (target, b, at, end, depth, had) => {
    const stop = readEnd(b, at, end);
    const known = readEntry(b, cursor.at, stop, depth);
    cursor.at = stop;
    if (!known) return false;
    if (!had[index]) target[field.name] = new Map();
    had[index] = true;
    (target[field.name] as Map<unknown, unknown>).set(entry.key, entry.value);
    return true;
  };
}

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
  return wireType(field.type) === 2 ? listWriter(tag, write) : packedWriter(tagOf(field.number, 2), write);
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
