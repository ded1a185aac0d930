/**
 * Compiles the decoder of a message to closures, for processes that forbid code generation from
 * strings. Equivalent to decoder-source.ts, but takes up to twice the time (bench/RESULTS.md).
 */
import { within } from '../fault-path.js';
import { readCachedText, textCache } from '../utf8.js';
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import { scalarName, tagOf, type WireKind, wireKind, wireType } from '../wire/wire-kind.js';
import { checkDepth, cursor, maxDepth, readEnd, readTag, skip } from '../wire/wire-reader.js';
import {
  instanceMaker,
  isSet,
  type MessageDecoder,
  type Nested,
  nestedMessage,
  type Properties,
  readPath,
} from './compiled-message.js';
import { entry, entryReader } from './map-entry.js';
import { addUnknown, copyUnknown, unknownFields } from './unknown-fields.js';

/**
 * Reads one occurrence of a field and sets `cursor.at` to its end. Returns false if it must be
 * preserved as unknown. `present` holds for each tracked field whether it is set.
 */
type Step = (
  target: Properties,
  b: Uint8Array,
  at: number,
  end: number,
  depth: number,
  present: boolean[],
) => boolean;

/** Tags below this limit (field numbers up to 127) are looked up in an array. */
const maxDenseTags = 1024;
/** Shared by messages without tracked fields. */
const nothingTracked: boolean[] = [];

/** The decoder of a message. */
export function closureDecoder(shape: MessageShape, nested: Nested): MessageDecoder {
  const dense = emptyDenseSteps(shape);
  const sparse = new Map<number, Step>();
  const add: AddStep = (tag, step) => {
    if (tag < maxDenseTags) dense[tag] = step;
    else sparse.set(tag, step);
  };
  const tracked = shape.fields.filter(isTracked);
  for (const field of shape.fields) addSteps(add, tracked, field, nested);
  const create = instanceMaker(shape);
  return (earlier, b, at, end, depth) => {
    if (depth > maxDepth) checkDepth(depth);
    const target = earlier ?? create();
    const present = initialPresence(tracked, earlier);
    let unknown: number[] | undefined;
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
        let step: Step | undefined;
        if (tag < dense.length) step = dense[tag];
        else step = sparse.get(tag);
        if (step === undefined) {
          at = skip(b, at, end, tag, depth);
          unknown = addUnknown(unknown, from, at);
        } else {
          if (!step(target, b, at, end, depth, present))
            unknown = addUnknown(unknown, from, cursor.at);
          at = cursor.at;
        }
      }
    } catch (error) {
      throw within(error, readPath(shape, tag, target));
    }
    if (unknown !== undefined)
      target[unknownFields] = copyUnknown(b, unknown, earlier?.[unknownFields]);
    return target;
  };
}

/** Filled by push, so that V8 keeps the array packed. */
function emptyDenseSteps({ fields }: MessageShape): (Step | undefined)[] {
  const maxNumber = Math.max(0, ...fields.map((field) => field.number));
  const length = Math.min(maxDenseTags, 8 * (1 + maxNumber));
  const steps: (Step | undefined)[] = [];
  while (steps.length < length) steps.push(undefined);
  return steps;
}

/** Whether decoding a field depends on whether it is already set. */
function isTracked({ label, oneof, type }: FieldShape): boolean {
  return label !== 'singular' || oneof !== undefined || type.kind === 'message';
}

function initialPresence(
  tracked: readonly FieldShape[],
  earlier: Properties | undefined,
): boolean[] {
  if (tracked.length === 0) return nothingTracked;
  if (earlier === undefined) return [];
  return tracked.map((field) => isSet(earlier[field.name]));
}

type AddStep = (tag: number, step: Step) => void;

/** The steps of a tracked field set `present` at its index in `tracked`. */
function addSteps(
  add: AddStep,
  tracked: readonly FieldShape[],
  field: FieldShape,
  nested: Nested,
): void {
  const index = tracked.indexOf(field);
  if (field.label === 'map') return add(tagOf(field.number, 2), mapStep(field, index, nested));
  const wire = wireType(field.type);
  if (field.label === 'repeated')
    return addListSteps(add, field, index, wire, valueReader(field, nested));
  const { type } = field;
  if (type.kind !== 'message' && field.oneof === undefined)
    return add(tagOf(field.number, wire), plainStep(field.name, wire, scalarReader(type)));
  add(tagOf(field.number, wire), trackedStep(tracked, field, index, valueReader(field, nested)));
}

/** The step of an untracked field. */
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

/** A reader for scalars of one field; strings have a cache per field. */
function scalarReader(type: Exclude<FieldType, { kind: 'message' }>): WireKind['read'] {
  if (scalarName(type) !== 'string') return wireKind(type).read;
  const cache = textCache();
  return (b, at, end) => readCachedText(b, at, end, cache);
}

function addListSteps(
  add: AddStep,
  { name, number }: FieldShape,
  index: number,
  wire: number,
  read: ValueReader,
): void {
  const list = (target: Properties, present: boolean[]): unknown[] => {
    if (present[index] !== true) target[name] = [];
    present[index] = true;
    return target[name] as unknown[];
  };
  add(tagOf(number, wire), (target, b, at, end, depth, present) => {
    const values = list(target, present);
    values.push(read(b, at, end, depth, undefined));
    return true;
  });
  if (wire === 2) return;
  add(tagOf(number, 2), (target, b, at, end, depth, present) => {
    const stop = readEnd(b, at, end);
    at = cursor.at;
    // An empty packed run creates no list, because an empty list would not be written again.
    if (at === stop) return true;
    const values = list(target, present);
    for (; at < stop; at = cursor.at) values.push(read(b, at, stop, depth, undefined));
    cursor.at = stop;
    return true;
  });
}

type ValueReader = (
  b: Uint8Array,
  at: number,
  end: number,
  depth: number,
  earlier: Properties | undefined,
) => unknown;

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

function trackedStep(
  tracked: readonly FieldShape[],
  field: FieldShape,
  index: number,
  read: ValueReader,
): Step {
  const { name, oneof } = field;
  const others = tracked
    .map((_, i) => i)
    .filter((i) => i !== index && oneof !== undefined && tracked[i].oneof === oneof);
  return (target, b, at, end, depth, present) => {
    let earlier: Properties | undefined;
    if (present[index] === true) earlier = target[name] as Properties;
    target[name] = read(b, at, end, depth, earlier);
    present[index] = true;
    for (const other of others) {
      if (present[other]) target[tracked[other].name] = undefined;
      present[other] = false;
    }
    return true;
  };
}

function mapStep(field: FieldShape, index: number, nested: Nested): Step {
  const readEntry = entryReader(field, nestedMessage(field.type, nested));
  return (target, b, at, end, depth, present) => {
    const stop = readEnd(b, at, end);
    const isComplete = readEntry(b, cursor.at, stop, depth);
    cursor.at = stop;
    if (!isComplete) return false;
    if (present[index] !== true) target[field.name] = new Map();
    present[index] = true;
    (target[field.name] as Map<unknown, unknown>).set(entry.key, entry.value);
    return true;
  };
}
