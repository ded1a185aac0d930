/**
 * Compiles the reading of a message into closures: for processes that forbid code generation from
 * strings. Does exactly what decoder-source.ts does, in up to twice the time (bench/RESULTS.md).
 */
import {
  instanceMaker,
  isSet,
  type MessageDecoder,
  type Nested,
  type Properties,
  readPlace,
} from './compiled-message.js';
import { within } from '../fault-path.js';
import { entry, entryReader } from './map-entry.js';
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import { gather, keep, unknownFields } from './unknown-fields.js';
import { readCachedText, textCache } from '../utf8.js';
import { scalarName, tagOf, type WireKind, wireKind, wireType } from '../wire/wire-kind.js';
import { checkDepth, cursor, deepest, readEnd, readTag, skip } from '../wire/wire-reader.js';

/**
 * Reads one occurrence of a field; false when it is to be kept as unknown. `cursor.at` is after it.
 * `had`: which of the fields that ask for it are there.
 */
type Step = (
  target: Properties,
  b: Uint8Array,
  at: number,
  end: number,
  depth: number,
  had: boolean[],
) => boolean;

/** Tags below this are looked up in an array: the fields up to number 127. */
const denseTags = 1024;
/** Shared where no field asks whether it was there before. */
const nothingHad: boolean[] = [];

/** The decoder of a shape. */
export function closureDecoder(shape: MessageShape, nested: Nested): MessageDecoder {
  const dense: (Step | undefined)[] = [];
  const sparse = new Map<number, Step>();
  const add: AddStep = (tag, step) =>
    void (tag < denseTags ? (dense[tag] = step) : sparse.set(tag, step));
  for (
    let tag = 0;
    tag < Math.min(denseTags, 8 * (1 + Math.max(0, ...shape.fields.map((field) => field.number))));
    tag++
  )
    dense.push(undefined);
  const asking = shape.fields.filter(
    (field) =>
      field.label !== 'singular' || field.oneof !== undefined || field.type.kind === 'message',
  );
  for (const field of shape.fields) addSteps(add, asking, field, nested);
  const create = instanceMaker(shape);
  return (earlier, b, at, end, depth) => {
    if (depth > deepest) checkDepth(depth);
    const target = earlier ?? create();
    const had =
      asking.length === 0
        ? nothingHad
        : earlier !== undefined
          ? asking.map((field) => isSet(target[field.name]))
          : [];
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

/**
 * Steps of the fields in `asking` set `had` at their index there; it is undefined or false before.
 */
function addSteps(
  add: AddStep,
  asking: readonly FieldShape[],
  field: FieldShape,
  nested: Nested,
): void {
  const index = asking.indexOf(field);
  if (field.label === 'map') return add(tagOf(field.number, 2), mapStep(field, index, nested));
  const wire = wireType(field.type);
  if (field.label === 'repeated')
    return addListSteps(add, field, index, wire, valueReader(field, nested));
  const { type } = field;
  if (type.kind !== 'message' && field.oneof === undefined)
    return add(tagOf(field.number, wire), plainStep(field.name, wire, scalarReader(type)));
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

function addListSteps(
  add: AddStep,
  { name, number }: FieldShape,
  index: number,
  wire: number,
  read: ValueReader,
): void {
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

function watchedStep(
  asking: readonly FieldShape[],
  field: FieldShape,
  index: number,
  read: ValueReader,
): Step {
  const rivals = asking
    .map((_, i) => i)
    .filter((i) => i !== index && field.oneof !== undefined && asking[i].oneof === field.oneof);
  const { name } = field;
  return (target, b, at, end, depth, had) => {
    target[name] = read(
      b,
      at,
      end,
      depth,
      had[index] === true ? (target[name] as Properties) : undefined,
    );
    had[index] = true;
    for (const rival of rivals) {
      if (had[rival]) target[asking[rival].name] = undefined;
      had[rival] = false;
    }
    return true;
  };
}

function mapStep(field: FieldShape, index: number, nested: Nested): Step {
  const readEntry = entryReader(
    field,
    field.type.kind === 'message' ? nested(field.type.shape()) : undefined,
  );
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
