/** Compiled messages, and what generated source and closures share. */
import { isBytes, isMap, nearestName, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import { indexPath } from '../fault-path.js';
import { wrongTypeError } from '../value-kind.js';
import type { FieldShape, FieldType, MessageShape } from '../wire/message-shape.js';
import type { WireWriter } from '../wire/wire-writer.js';

/** A message as an object with properties by name. */
export type Properties = Record<PropertyKey, unknown>;

/**
 * Decodes the message in `[at, end)`. Protobuf allows a message field to be encoded in several
 * parts. `earlier` is the message decoded from the parts before: lists are appended to it, and
 * single values are replaced. Otherwise the result is a new instance.
 */
export type MessageDecoder = (
  earlier: Properties | undefined,
  b: Uint8Array,
  at: number,
  end: number,
  depth: number,
) => Properties;

/** Checks and writes the fields of a message, without a length. */
export type MessageEncoder = (w: WireWriter, value: unknown, depth: number) => void;

/** A compiled message. Its functions are compiled on first use, so messages can be recursive. */
export interface CompiledMessage {
  readonly shape: MessageShape;
  /** Creates an empty instance. */
  create: () => Properties;
  decode: MessageDecoder;
  encode: MessageEncoder;
}

/** Compiles a nested message. */
export type Nested = (shape: MessageShape) => CompiledMessage;

/** The compiled message of a type, if it is a message. */
export function nestedMessage(type: FieldType, nested: Nested): CompiledMessage | undefined {
  if (type.kind !== 'message') return undefined;
  return nested(type.shape());
}

/** The names of a message's oneofs. */
export function oneofNames(shape: MessageShape): readonly string[] {
  return [...new Set(shape.fields.flatMap((field) => field.oneof ?? []))];
}

/**
 * A function that creates instances for decoding. Initial values set by the class (`mode = 1`) are
 * reset to undefined, as they were not stored; empty lists and Maps are kept. `create` may be a
 * faster function than the shape's own, for instance one that calls a constructor directly.
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
    const instance = create();
    for (const name of defaults) instance[name] = undefined;
    return instance;
  };
}

function holdsValue(field: FieldShape, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (field.label === 'repeated') return (value as unknown[]).length > 0;
  return field.label === 'singular' || (value as Map<unknown, unknown>).size > 0;
}

/** Checks that a value is an instance of the message class, or a plain object. */
export function checkForm(shape: MessageShape, value: unknown): asserts value is Properties {
  if (
    value instanceof shape.messageClass ||
    Object.prototype.toString.call(value) === '[object Object]'
  )
    return;
  throw wrongTypeError(
    `a ${shape.name}`,
    value,
    `give an instance of ${shape.messageClass.name || shape.name}, or a plain object with its fields`,
  );
}

/** Rejects an own property that is not a field, because its value would be lost. */
export function checkUnknownProperty(shape: MessageShape, value: Properties, name: string): void {
  if (!Object.hasOwn(value, name) || value[name] === undefined) return;
  const problem = `${shape.name} has no field ${JSON.stringify(name)}`;
  throw new CodecError({ problem, fix: fieldNameFix(shape, name) }, name);
}

function fieldNameFix(shape: MessageShape, name: string): string {
  if (shape.fields.length === 0) return 'remove it: the message has no fields';
  const known = shape.fields.map((field) => field.name);
  const nearest = nearestName(name, known);
  if (nearest === undefined) return `its fields are ${known.join(', ')}`;
  return `did you mean ${nearest}? Its fields are ${known.join(', ')}`;
}

/** Rejects a message in which more than one field of a oneof is set. */
export function checkOneof(shape: MessageShape, value: Properties, oneof: string): void {
  const set = shape.fields
    .filter((field) => field.oneof === oneof && isSet(value[field.name]))
    .map((field) => field.name);
  if (set.length > 1) throw new CodecError(faults.severalOneofFields(set.join(' and '), oneof));
}

/** Whether a field is set; undefined and null are absent. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Checks the value of a repeated field. */
export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value))
    throw wrongTypeError('an array', value, 'give an array, also for a single value');
  return value;
}

/** Checks the value of a map field. */
export function mapOf(value: unknown): ReadonlyMap<unknown, unknown> {
  if (!isMap(value))
    throw wrongTypeError('a Map', value, 'give a Map, for example new Map(Object.entries(value))');
  return value;
}

/** Checks the bytes under `unknownFields`. */
export function unknownBytes(value: unknown): Uint8Array {
  if (!isBytes(value))
    throw wrongTypeError(
      'the bytes of unknown fields',
      value,
      'copy the property from a decoded message, or leave it out',
    );
  return value;
}

/**
 * The path of the value being written, for errors: the field at an index of `shape.fields`, with a
 * list index or map key. A field index below zero means that no field was reached.
 */
export function writePath(
  shape: MessageShape,
  fieldIndex: number,
  listIndex: number,
  key: unknown,
): string {
  const field = shape.fields[fieldIndex] as FieldShape | undefined;
  if (field === undefined) return '';
  if (field.label === 'repeated' && listIndex >= 0) return field.name + indexPath(listIndex);
  if (field.label === 'map' && key !== undefined) return field.name + indexPath(key);
  return field.name;
}

/** The path of the value being read, for errors; empty if no field has the number of the tag. */
export function readPath(shape: MessageShape, tag: number, target: Properties): string {
  const field = shape.fields.find((candidate) => candidate.number === tag >>> 3);
  if (field === undefined) return '';
  if (field.label !== 'repeated') return field.name;
  const list = target[field.name] as readonly unknown[] | undefined;
  return field.name + indexPath(list?.length ?? 0);
}

const faults = {
  severalOneofFields: (list: string, oneof: string) => ({
    problem: `${list} are set, but only one field of the oneof ${oneof} can be`,
    fix: 'set all but one of them to undefined',
  }),
} satisfies FaultTexts;
