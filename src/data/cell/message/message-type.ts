/**
 * Declares messages of other people's protos for our own wire codec:
 * `messageType('google.bigtable.v2.RowRange', { startKeyClosed: bytes(1), ... })`. The TypeScript
 * type of a decoded message is inferred from the same declaration. Here and not beside the messages
 * of the API, because programs that use none of them would load all.
 */
import { RowsmithError, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../cell-codec.js';
import type { FieldKind, FieldValues } from '../scalar/scalar-type.js';
import type { FieldShape, MessageShape } from '../wire/message-shape.js';
import { messageCodec } from './message-codec.js';

/** A field with values of type T. */
export interface MessageField<T> {
  /** The field without its name, which messageType adds. */
  readonly shape: Omit<FieldShape, 'name'>;
  /** For type inference only; never set at run time. */
  readonly valueType?: T;
}

/** A decoded message. Fields that are absent on the wire are undefined. */
export type Content<F> = {
  -readonly [K in keyof F]?: F[K] extends MessageField<infer T> ? T : never;
};

/** A message and its codec. */
export interface MessageType<T> {
  readonly shape: MessageShape;
  /** Decodes a whole message; INVALID_ARGUMENT when the bytes are malformed. */
  decode: (bytes: Uint8Array) => T;
  encode(message: T): Uint8Array;
}

/** The type of a decoded message: `ContentOf<typeof RowRange>`. */
export type ContentOf<M> = M extends MessageType<infer T> ? T : never;

/** Declares a message under its full protobuf name. */
export function messageType<F extends Readonly<Record<string, MessageField<unknown>>>>(
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
        if (!(cause instanceof CodecError)) throw cause;
        throw new RowsmithError(
          'INVALID_ARGUMENT',
          {
            property: cause.path,
            ...faults.notAMessage(shape.name, cause.problem),
          },
          { cause },
        );
      }
    },
  };
}

function scalar<K extends FieldKind>(
  kind: K,
): (number: number, oneof?: string) => MessageField<FieldValues[K]> {
  return (number, oneof) => ({
    shape: { number, type: { kind: 'scalar', scalar: kind }, label: 'singular', oneof },
  });
}

/** A bytes field. */
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
/** An open enum as its number: an int32 on the wire. */
export const enumeration = scalar('int32');

/**
 * A message field that stays encoded: it is decoded separately because its size is limited, or its
 * bytes are stored unchanged.
 */
export const encoded = scalar('bytes');

/** A nested message; `type` is a function where messages contain themselves. */
export function one<T>(
  number: number,
  type: MessageType<T> | (() => MessageType<T>),
  oneof?: string,
): MessageField<T> {
  const message = { kind: 'message', shape: shapeOf(type) } as const;
  return { shape: { number, type: message, label: 'singular', oneof } };
}

/** A repeated nested message. */
export function many<T>(
  number: number,
  type: MessageType<T> | (() => MessageType<T>),
): MessageField<T[]> {
  return { shape: { number, type: { kind: 'message', shape: shapeOf(type) }, label: 'repeated' } };
}

/** The repeated form of a scalar field. */
export function list<T>({ shape }: MessageField<T>): MessageField<T[]> {
  return { shape: { ...shape, label: 'repeated' } };
}

/** A map from strings to values of the field. */
export function mapOf<T>({ shape }: MessageField<T>): MessageField<Map<string, T>> {
  return { shape: { ...shape, label: 'map', mapKey: 'string' } };
}

function shapeOf<T>(type: MessageType<T> | (() => MessageType<T>)): () => MessageShape {
  if (typeof type === 'function') return () => type().shape;
  return () => type.shape;
}

const faults = {
  notAMessage: (name: string, problem: string) => ({
    problem: `the bytes are not a valid ${name}: ${problem}`,
  }),
} satisfies FaultTexts;
