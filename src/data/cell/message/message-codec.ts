/** Codecs of packed messages in protobuf's wire format, compiled once per class. */
import type { CellCodec } from '../cell-codec.js';
import type { MessageShape } from '../wire/message-shape.js';
import { WireWriter } from '../wire/wire-writer.js';
import { closureDecoder } from './closure-decoder.js';
import { closureEncoder } from './closure-encoder.js';
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
import { type StaticCodec, staticCodec } from './static-codec.js';

/**
 * How messages are compiled at run time: to JavaScript source, or to closures if the process
 * forbids code generation from strings.
 */
export type Compilation = 'source' | 'closures';

/** Compiled messages by kind of compilation; `best` prefers registered generated codecs. */
const compiled = {
  best: new WeakMap<MessageShape, CompiledMessage>(),
  source: new WeakMap<MessageShape, CompiledMessage>(),
  closures: new WeakMap<MessageShape, CompiledMessage>(),
};

let allowed: Compilation | undefined;

/**
 * The compilation this process allows. Source is forbidden by some hosts, and by
 * `--disallow-code-generation-from-strings`.
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
  // oxlint-disable-next-line typescript/no-implied-eval -- every name from a declaration is quoted in the text
  return (new Function(`'use strict';\nreturn ${expression};`) as () => unknown)();
}

/** Shared by all messages. A message encoded by a getter of another one gets its own writer. */
const sharedWriter = new WireWriter();

/**
 * The codec of a message class, in protobuf's wire format (proto3).
 *
 * Encoding accepts an instance of the class or a plain object. Singular fields have explicit
 * presence: undefined and null are absent; 0, '' and false are stored. Empty arrays and Maps are
 * not written. Fields are written in the order of their numbers, Maps in iteration order, and
 * repeated numbers packed. A value that cannot be stored exactly is rejected with a CodecError that
 * has its path: wrong types, numbers out of range, unknown properties, several fields of a oneof.
 * Only floats are rounded, to the nearest value.
 *
 * Decoding returns an instance from `shape.create()`. Absent fields, including repeated and map
 * fields, are not set. Of a oneof, the last field in the bytes wins. Unknown fields are preserved
 * under `unknownFields` at every level, and written after the known ones. A Timestamp with more
 * than millisecond precision is rounded down, but written back exactly if the Date is unchanged; if
 * a Timestamp is encoded in several parts, the last part counts.
 *
 * A registered generated codec (static-codec.ts) is preferred; other messages are compiled here.
 * Tests pass `compilation` to force one of the ways of compiling.
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
  } catch (error) {
    w.discard(from);
    throw error;
  }
  return w.finish(from);
}

/**
 * Encoder and decoder are compiled on first use, when all classes have been declared and all
 * generated codecs registered.
 */
function compile(shape: MessageShape, compilation: Compilation | undefined): CompiledMessage {
  const cache = compiled[compilation ?? 'best'];
  const cached = cache.get(shape);
  if (cached !== undefined) return cached;
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
  cache.set(shape, message);
  return message;
}

function generatedCodec(
  shape: MessageShape,
  compilation: Compilation | undefined,
): StaticCodec | undefined {
  if (compilation !== undefined) return undefined;
  return staticCodec(shape);
}

function decoderOf(
  shape: MessageShape,
  nested: Nested,
  compilation: Compilation | undefined,
): MessageDecoder {
  const generated = generatedCodec(shape, compilation);
  if (generated !== undefined) return generated.decoder(codecScope(shape, nested));
  if ((compilation ?? allowedCompilation()) === 'closures') return closureDecoder(shape, nested);
  const create = evaluate(decoderSource(shape, 'javascript')) as StaticCodec['decoder'];
  return create(codecScope(shape, nested));
}

function encoderOf(
  shape: MessageShape,
  nested: Nested,
  compilation: Compilation | undefined,
): MessageEncoder {
  const generated = generatedCodec(shape, compilation);
  // Generated encoders accept any value, and check themselves that it is an object.
  if (generated !== undefined)
    return generated.encoder(codecScope(shape, nested)) as MessageEncoder;
  if ((compilation ?? allowedCompilation()) === 'closures') return closureEncoder(shape, nested);
  const create = evaluate(encoderSource(shape, 'javascript')) as StaticCodec['encoder'];
  return create(codecScope(shape, nested)) as MessageEncoder;
}
