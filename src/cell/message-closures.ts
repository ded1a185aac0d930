/**
 * Compiles messages into closures: for processes that forbid code generation from strings. Does exactly what decoder-source.ts and encoder-source.ts do, in
 * half again to twice and a half the time (bench/RESULTS.md).
 */
import {
  checkForm, checkOneof, checkStranger, instanceMaker, isSet, listOf, mapOf, type MessageDecoder, type MessageEncoder, type Nested, type Properties, readPlace,
  unknownBytes, writePlace,
} from './compiled-message.js';
import { within } from './fault-path.js';
import { entry, entryReader, keyKind } from './map-entry.js';
import type { FieldShape, FieldType, MessageShape } from './message-shape.js';
import { gather, keep, unknownFields } from './unknown-fields.js';
import { readCachedText, textCache } from './utf8.js';
import { scalarName, tagOf, type WireKind, wireKind, wireType } from './wire-kind.js';
import { checkDepth, cursor, deepest, readEnd, readTag, skip } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/** Reads one occurrence of a field; false when it is to be kept as unknown. `cursor.at` is after it. `had`: which of the fields that ask for it are there. */
type Step = (target: Properties, b: Uint8Array, at: number, end: number, depth: number, had: boolean[]) => boolean;

/** Tags below this are looked up in an array: the fields up to number 127. */
const denseTags = 1024;
/** Shared where no field asks whether it was there before. */
const nothingHad: boolean[] = [];

/** The decoder of a shape. */
export function closureDecoder(shape: MessageShape, nested: Nested): MessageDecoder {
  const dense: (Step | undefined)[] = [];
  const sparse = new Map<number, Step>();
  const add: AddStep = (tag, step) => void (tag < denseTags ? dense[tag] = step : sparse.set(tag, step));
  for (let tag = 0; tag < Math.min(denseTags, 8 * (1 + Math.max(0, ...shape.fields.map((field) => field.number)))); tag++) dense.push(undefined);
  const asking = shape.fields.filter((field) => field.label !== 'singular' || field.oneof !== undefined || field.type.kind === 'message');
  for (const field of shape.fields) addSteps(add, asking, field, nested);
  const create = instanceMaker(shape);
  return (earlier, b, at, end, depth) => {
    if (depth > deepest) checkDepth(depth);
    const target = earlier ?? create();
    const had = asking.length === 0 ? nothingHad : earlier !== undefined ? asking.map((field) => isSet(target[field.name])) : [];
    let kept: number[] | undefined;
    let tag = 0;
    try {
      while (at < end) {
        const from = at;
        tag = b[at++];
        if (tag > 127) {
          tag = 0;
          tag = readTag(b, from, end);
          at = cursor.at;
        }
        const step = tag < dense.length ? dense[tag] : sparse.get(tag);
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
    if (kept !== undefined) target[unknownFields] = gather(b, kept, earlier?.[unknownFields]);
    return target;
  };
}

type AddStep = (tag: number, step: Step) => void;

/** Steps of the fields in `asking` set `had` at their index there; it is undefined or false before. */
function addSteps(add: AddStep, asking: readonly FieldShape[], field: FieldShape, nested: Nested): void {
  const index = asking.indexOf(field);
  if (field.label === 'map') return add(tagOf(field.number, 2), mapStep(field, index, nested));
  const wire = wireType(field.type);
  if (field.label === 'repeated') return addListSteps(add, field, index, wire, valueReader(field, nested));
  const { type } = field;
  if (type.kind !== 'message' && field.oneof === undefined) return add(tagOf(field.number, wire), plainStep(field.name, wire, scalarReader(type)));
  add(tagOf(field.number, wire), watchedStep(asking, field, index, valueReader(field, nested)));
}

/** A field whose earlier value does not matter. */
function plainStep(name: string, wire: number, read: WireKind['read']): Step {
  if (wire === 2) {
    return (target, b, at, end, depth) => {
      const stop = readEnd(b, at, end);
      target[name] = read(b, cursor.at, stop, depth);
      cursor.at = stop;
      return true;
    };
  }
  return (target, b, at, end, depth) => {
    target[name] = read(b, at, end, depth);
    return true;
  };
}

/** A reader of a scalar of one field; texts have a cache of their own. */
function scalarReader(type: Exclude<FieldType, { kind: 'message' }>): WireKind['read'] {
  if (scalarName(type) !== 'string') return wireKind(type).read;
  const cache = textCache();
  return (b, at, end) => readCachedText(b, at, end, cache);
}

function addListSteps(add: AddStep, { name, number }: FieldShape, index: number, wire: number, read: ValueReader): void {
  const list = (target: Properties, had: boolean[]): unknown[] => {
    if (had[index] !== true) target[name] = [];
    had[index] = true;
    return target[name] as unknown[];
  };
  add(tagOf(number, wire), (target, b, at, end, depth, had) => {
    const values = list(target, had);
    values.push(read(b, at, end, depth, undefined));
    return true;
  });
  if (wire === 2) return;
  add(tagOf(number, 2), (target, b, at, end, depth, had) => {
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

function valueReader({ type }: FieldShape, nested: Nested): ValueReader {
  if (type.kind !== 'message') {
    const read = scalarReader(type);
    if (wireType(type) !== 2) return read;
    return (b, at, end, depth) => {
      const stop = readEnd(b, at, end);
      const value = read(b, cursor.at, stop, depth);
      cursor.at = stop;
      return value;
    };
  }
  const child = nested(type.shape());
  return (b, at, end, depth, earlier) => {
    const stop = readEnd(b, at, end);
    const message = child.decode(earlier, b, cursor.at, stop, depth + 1);
    cursor.at = stop;
    return message;
  };
}

function watchedStep(asking: readonly FieldShape[], field: FieldShape, index: number, read: ValueReader): Step {
  const rivals = asking.map((_, i) => i).filter((i) => i !== index && field.oneof !== undefined && asking[i].oneof === field.oneof);
  const { name } = field;
  return (target, b, at, end, depth, had) => {
    target[name] = read(b, at, end, depth, had[index] === true ? target[name] as Properties : undefined);
    had[index] = true;
    for (const rival of rivals) {
      if (had[rival]) target[asking[rival].name] = undefined;
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
    if (had[index] !== true) target[field.name] = new Map();
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
