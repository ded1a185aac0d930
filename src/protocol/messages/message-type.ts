/**
 * The API's messages as data for our own wire codec: `messageType('google.bigtable.v2.RowRange', {
 * startKeyClosed: bytes(1), ... })`. The compiler reads the type of a decoded message from the same
 * declaration, and a test holds every number and type to the published protos.
 */
import {
  CellFault,
  messageCodec,
  type FieldKind,
  type FieldShape,
  type FieldValues,
  type MessageShape,
} from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';

/** A field whose values are of type T. `T` is only for the compiler. */
export interface Field<T> {
  /** The field, without the name that messageType gives it. */
  readonly shape: Omit<FieldShape, 'name'>;
  /** Never there at run time. */
  readonly holds?: T;
}

/** A decoded message: absent fields are not set, as the wire has it. */
export type Content<F> = { -readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never };

/** A message and its codec. */
export interface MessageType<T> {
  readonly shape: MessageShape;
  /** Reads a whole message; INVALID_ARGUMENT when the bytes are not one. */
  decode(bytes: Uint8Array): T;
  /** The bytes of a message. */
  encode(message: T): Uint8Array;
}

/** The type of a decoded message: `ContentOf<typeof RowRange>`. */
export type ContentOf<M> = M extends MessageType<infer T> ? T : never;

/** Declares a message under its full protobuf name. */
export function messageType<F extends Readonly<Record<string, Field<unknown>>>>(
  name: string,
  fields: F,
): MessageType<Content<F>> {
  const shapes = Object.entries(fields).map(([field, { shape }]): FieldShape => ({
    name: field,
    ...shape,
  }));
  return typeOf({
    name,
    fields: shapes.sort((a, b) => a.number - b.number),
    create: () => ({}),
    messageClass: Object,
  });
}

function typeOf<T extends object>(shape: MessageShape): MessageType<T> {
  const codec = messageCodec<T>(shape);
  return {
    shape,
    encode: (message) => codec.encode(message),
    decode: (bytes) => {
      try {
        return codec.decode(bytes, 0, bytes.length);
      } catch (cause) {
        if (!(cause instanceof CellFault)) throw cause;
        throw new RowsmithError(
          'INVALID_ARGUMENT',
          { property: cause.path, problem: `The bytes are no ${shape.name}: ${cause.problem}` },
          { cause },
        );
      }
    },
  };
}

function scalar<K extends FieldKind>(
  kind: K,
): (number: number, oneof?: string) => Field<FieldValues[K]> {
  return (number, oneof) => ({
    shape: {
      number,
      type: { kind: 'scalar', scalar: kind },
      label: 'singular',
      ...(oneof === undefined ? {} : { oneof }),
    },
  });
}

/** A field of bytes. */
export const bytes = scalar('bytes');
/** A string field. */
export const text = scalar('string');
/** An int64 field, as bigint. */
export const int64 = scalar('int64');
/** An int32 field. */
export const int32 = scalar('int32');
/** A double field. */
export const double = scalar('double');
/** A bool field. */
export const bool = scalar('bool');
/** A google.protobuf.Timestamp, as Date. */
export const timestamp = scalar('timestamp');
/** An open enum, as its number: on the wire it is an int32. */
export const enumeration = scalar('int32');

/**
 * The bytes of a message that is decoded apart, because its size counts or because it is kept as it
 * came.
 */
export const encoded = scalar('bytes');

/** A nested message. A function where messages contain themselves. */
export function one<T>(
  number: number,
  type: MessageType<T> | (() => MessageType<T>),
  oneof?: string,
): Field<T> {
  return {
    shape: {
      number,
      type: { kind: 'message', shape: shapeOf(type) },
      label: 'singular',
      ...(oneof === undefined ? {} : { oneof }),
    },
  };
}

/** A repeated nested message. */
export function many<T>(number: number, type: MessageType<T> | (() => MessageType<T>)): Field<T[]> {
  return { shape: { number, type: { kind: 'message', shape: shapeOf(type) }, label: 'repeated' } };
}

/** The repeated form of a scalar field. */
export function list<T>({ shape }: Field<T>): Field<T[]> {
  return { shape: { ...shape, label: 'repeated' } };
}

/** A map from strings to what the field holds. */
export function mapOf<T>({ shape }: Field<T>): Field<Map<string, T>> {
  return { shape: { ...shape, label: 'map', mapKey: 'string' } };
}

function shapeOf<T>(type: MessageType<T> | (() => MessageType<T>)): () => MessageShape {
  return () => (typeof type === 'function' ? type() : type).shape;
}
