/**
 * What compiling a message shape gives, and what both ways of compiling (generated source,
 * closures) share.
 */
import { nearestName } from '../../base/index.js';
/**
 * What compiling a message shape gives, and what both ways of compiling (generated source,
 * closures) share.
 */
import { CellFault } from '../cell-codec.js';
import { indexed } from '../fault-path.js';
import type { FieldShape, MessageShape } from '../wire/message-shape.js';
import { isBytes, isMap, wrongType } from '../value-kind.js';
import type { WireWriter } from '../wire/wire-writer.js';

/** A message while it is read or written: its properties by name. */
export type Properties = Record<PropertyKey, unknown>;

/**
 * The message that `[at, end)` holds: a new instance, or `earlier`, which is what an earlier part
 * of the same message was decoded to (protobuf lets a message field come in parts): lists go on,
 * single values are replaced.
 */
export type MessageDecoder = (
  earlier: Properties | undefined,
  b: Uint8Array,
  at: number,
  end: number,
  depth: number,
) => Properties;

/** Checks and writes the message's fields, without a length. */
export type MessageEncoder = (w: WireWriter, value: unknown, depth: number) => void;

/**
 * A compiled message. The functions compile themselves on first use, so shapes may contain
 * themselves.
 */
export interface CompiledMessage {
  readonly shape: MessageShape;
  /** An empty instance. */
  create: () => Properties;
  decode: MessageDecoder;
  encode: MessageEncoder;
}

/** The compiled form of a nested message. */
export type Nested = (shape: MessageShape) => CompiledMessage;

/**
 * Makes instances in which nothing passes for stored that was not: a default of the class (`mode =
 * 1`) is set back to undefined, an empty list or map is left. `create` makes an instance of the
 * class: the shape's own function, or one that knows the class better.
 */
export function instanceMaker(
  shape: MessageShape,
  create = shape.create as () => Properties,
): () => Properties {
  const probe = create();
  const defaults = shape.fields
    .filter((field) => holdsValue(field, probe[field.name]))
    .map((field) => field.name);
  if (defaults.length === 0) return create;
  return () => {
    const made = create();
    for (const name of defaults) made[name] = undefined;
    return made;
  };
}

function holdsValue(field: FieldShape, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (field.label === 'repeated') return (value as unknown[]).length > 0;
  return field.label === 'singular' || (value as Map<unknown, unknown>).size > 0;
}

/**
 * Throws unless the value has the form of a message: an instance of the class, or another object
 * with properties.
 */
export function checkForm(shape: MessageShape, value: unknown): asserts value is Properties {
  if (
    value instanceof shape.messageClass ||
    Object.prototype.toString.call(value) === '[object Object]'
  )
    return;
  throw wrongType(
    `a ${shape.name}`,
    value,
    `give an instance of ${shape.messageClass.name || shape.name}, or a plain object with its fields`,
  );
}

/** Throws when `name`, which no field has, holds a value of the object's own: it would be lost. */
export function checkStranger(shape: MessageShape, value: Properties, name: string): void {
  if (!Object.hasOwn(value, name) || value[name] === undefined) return;
  const known = shape.fields.map((field) => field.name);
  const nearest = nearestName(name, known);
  const fix =
    nearest === undefined
      ? `its fields are ${known.join(', ') || 'none'}`
      : `did you mean ${nearest}? Its fields are ${known.join(', ')}`;
  throw new CellFault(`${shape.name} has no field ${JSON.stringify(name)}`, fix, name);
}

/** Throws when more than one field of a oneof is set. */
export function checkOneof(shape: MessageShape, value: Properties, oneof: string): void {
  const set = shape.fields
    .filter((field) => field.oneof === oneof && isSet(value[field.name]))
    .map((field) => field.name);
  if (set.length > 1)
    throw new CellFault(
      `${set.join(' and ')} are set, but the oneof ${oneof} takes one of them`,
      `set all of them but one to undefined`,
    );
}

/** Whether a field is there: null counts as absent, as undefined does. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The list of a repeated field, checked. */
export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value))
    throw wrongType('an array', value, 'give an array; a single value goes in brackets');
  return value;
}

/** The Map of a map field, checked. */
export function mapOf(value: unknown): ReadonlyMap<unknown, unknown> {
  if (!isMap(value))
    throw wrongType('a Map', value, 'give a Map, for example new Map(Object.entries(value))');
  return value;
}

/** The bytes under `unknownFields`, checked. */
export function unknownBytes(value: unknown): Uint8Array {
  if (!isBytes(value))
    throw wrongType(
      'the bytes of unknown fields',
      value,
      'copy the property from a decoded message, or leave it out',
    );
  return value;
}

/**
 * Where a value being written is: the field at an index of the shape (below zero none), with index
 * or key where it repeats.
 */
export function writePlace(shape: MessageShape, at: number, index: number, key: unknown): string {
  const field = shape.fields[at] as FieldShape | undefined;
  if (field === undefined) return '';
  if (field.label === 'repeated' && index >= 0) return field.name + indexed(index);
  return field.label === 'map' && key !== undefined ? field.name + indexed(key) : field.name;
}

/** Where a value being read is, from its tag; empty when no field has the number. */
export function readPlace(shape: MessageShape, tag: number, target: Properties): string {
  const field = shape.fields.find((candidate) => candidate.number === tag >>> 3);
  if (field === undefined) return '';
  return field.label === 'repeated'
    ? field.name + indexed((target[field.name] as unknown[] | undefined)?.length ?? 0)
    : field.name;
}
