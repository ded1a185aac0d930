/** Packed messages: protobuf's wire format, compiled once per class. */
import { type CellCodec } from '../cell-codec.js';
import { codecScope } from './codec-scope.js';
import {
  type CompiledMessage,
  instanceMaker,
  type MessageDecoder,
  type MessageEncoder,
  type Nested,
} from './compiled-message.js';
import { decoderSource } from './decoder-source.js';
import { encoderSource } from './encoder-source.js';
import { closureDecoder } from './closure-decoder.js';
import { closureEncoder } from './closure-encoder.js';
import type { MessageShape } from '../wire/message-shape.js';
import { type StaticCodec, staticCodec } from './static-codec.js';
import { WireWriter } from '../wire/wire-writer.js';

/**
 * How messages are compiled at run time: into JavaScript source, or into closures where code
 * generation from strings is forbidden.
 */
export type Compilation = 'source' | 'closures';

/** By compilation; `best` prefers a codec that was generated before. */
const compiled = {
  best: new WeakMap<MessageShape, CompiledMessage>(),
  source: new WeakMap<MessageShape, CompiledMessage>(),
  closures: new WeakMap<MessageShape, CompiledMessage>(),
};

let allowed: Compilation | undefined;

/**
 * What this process allows; `--disallow-code-generation-from-strings` and some hosts forbid source.
 */
export function allowedCompilation(): Compilation {
  if (allowed === undefined) {
    try {
      allowed = evaluate("'source'") as Compilation;
    } catch {
      allowed = 'closures';
    }
  }
  return allowed;
}

function evaluate(expression: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- every name from a declaration is quoted in the text
  return (new Function(`'use strict';\nreturn ${expression};`) as () => unknown)();
}

/**
 * A getter of a value's own may encode another message while this one is being written: that one
 * gets a writer of its own.
 */
const sharedWriter = new WireWriter();

/**
 * The codec of a message class, in protobuf's wire format (proto3).
 *
 * Encoding takes an instance or a plain object of the same form. Singular fields have explicit
 * presence: undefined and null are absent; 0, '' and false are stored. Empty arrays and Maps are
 * written as nothing. Fields go in the order of their numbers, Maps in their own order, repeated
 * numbers packed. What cannot be stored exactly is a CellFault with the path: wrong types, numbers
 * out of range, names that no field has, two fields of one oneof. A float is rounded to the
 * nearest.
 *
 * Decoding gives an instance of `shape.create()`. Absent fields are left unset, repeated and map
 * fields too. Of a oneof the last on the wire wins. Unknown fields are kept under `unknownFields`,
 * at every level, and written back behind the known ones. A Timestamp finer than a millisecond is
 * floored to one, and written back exactly while the decoded Date stays as it is; a Timestamp in
 * two parts is its last.
 *
 * A codec that was generated and registered for the message (static-codec.ts) is used; others are
 * compiled here as the process allows. `compilation` is for tests and has the message compiled in
 * any case.
 */
export function messageCodec<T extends object = object>(
  shape: MessageShape,
  compilation?: Compilation,
): CellCodec<T> {
  const message = compile(shape, compilation);
  return {
    kind: `message ${shape.name}`,
    encode: (value) => encodeMessage(message, value),
    decode: (bytes, start, end) => message.decode(undefined, bytes, start, end, 0) as T,
  };
}

function encodeMessage(message: CompiledMessage, value: unknown): Uint8Array {
  const w = sharedWriter.busy ? new WireWriter() : sharedWriter;
  const from = w.begin();
  try {
    message.encode(w, value, 0);
  } catch (fault) {
    w.discard(from);
    throw fault;
  }
  return w.finish(from);
}

/**
 * Compiles each direction on its first use, when every class there is has been declared and every
 * generated codec registered.
 */
function compile(shape: MessageShape, compilation: Compilation | undefined): CompiledMessage {
  const known = compiled[compilation ?? 'best'];
  const held = known.get(shape);
  if (held !== undefined) return held;
  const nested: Nested = (inner) => compile(inner, compilation);
  const message: CompiledMessage = {
    shape,
    create: () => (message.create = instanceMaker(shape))(),
    decode: (earlier, b, at, end, depth) => {
      message.decode = decoderOf(shape, nested, compilation);
      return message.decode(earlier, b, at, end, depth);
    },
    encode: (w, value, depth) => {
      message.encode = encoderOf(shape, nested, compilation);
      message.encode(w, value, depth);
    },
  };
  known.set(shape, message);
  return message;
}

function decoderOf(
  shape: MessageShape,
  nested: Nested,
  compilation: Compilation | undefined,
): MessageDecoder {
  const generated = compilation === undefined ? staticCodec(shape) : undefined;
  if (generated !== undefined) return generated.decoder(codecScope(shape, nested));
  if ((compilation ?? allowedCompilation()) === 'closures') return closureDecoder(shape, nested);
  return (evaluate(decoderSource(shape, 'javascript')) as StaticCodec['decoder'])(
    codecScope(shape, nested),
  );
}

function encoderOf(
  shape: MessageShape,
  nested: Nested,
  compilation: Compilation | undefined,
): MessageEncoder {
  const generated = compilation === undefined ? staticCodec(shape) : undefined;
  // The text checks the form of the value itself.
  if (generated !== undefined)
    return generated.encoder(codecScope(shape, nested)) as MessageEncoder;
  if ((compilation ?? allowedCompilation()) === 'closures') return closureEncoder(shape, nested);
  return (evaluate(encoderSource(shape, 'javascript')) as StaticCodec['encoder'])(
    codecScope(shape, nested),
  ) as MessageEncoder;
}
