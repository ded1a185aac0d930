/**
 * The names that generated codecs may use. Modules generated earlier rely on them, so they must not
 * change (see codecFormat).
 */
import { within } from '../fault-path.js';
import type { FieldKind } from '../scalar/scalar-type.js';
import { readCachedText, type TextCache, textCache } from '../utf8.js';
import type { MessageShape } from '../wire/message-shape.js';
import { kinds, type WireKind } from '../wire/wire-kind.js';
import { checkDepth, cursor, readEnd, readTag, skip, smallBigints } from '../wire/wire-reader.js';
import type { WireWriter } from '../wire/wire-writer.js';
import {
  checkForm,
  checkOneof,
  checkUnknownProperty,
  instanceMaker,
  isSet,
  listOf,
  mapOf,
  type Nested,
  nestedMessage,
  type Properties,
  readPath,
  unknownBytes,
  writePath,
} from './compiled-message.js';
import { entry, type EntryReader, entryReader } from './map-entry.js';
import { addUnknown, copyUnknown, unknownFields } from './unknown-fields.js';

/** A nested message as used by generated code; see CompiledMessage. */
export interface ScopeMessage {
  /** Decodes `[at, end)` into `earlier`, or into a new instance. */
  decode(earlier: unknown, b: Uint8Array, at: number, end: number, depth: number): unknown;
  /** Checks and writes the fields, without a length. */
  encode(w: WireWriter, value: unknown, depth: number): void;
}

/** The scope of one message's codec. */
export interface CodecScope {
  /** The message. */
  readonly shape: MessageShape;
  /** Its class. */
  readonly messageClass: new () => Properties;
  /**
   * Turns a constructor call into a function that creates empty instances. Calling the constructor
   * in the generated code itself is fastest.
   */
  readonly maker: (create: () => Properties) => () => Properties;
  /** Names of the fields. */
  readonly names: ReadonlySet<string>;
  /**
   * The properties of a new instance, in order. Most values have the same order, and comparing with
   * it is faster than looking up each name.
   */
  readonly keys: readonly string[];
  /** The nested message of the field at an index of `shape.fields`. */
  readonly child: (field: number) => ScopeMessage;
  /** The reader for entries of the map field at an index of `shape.fields`. */
  readonly entryReader: (field: number) => EntryReader;
  /** The last entry read. */
  readonly entry: { readonly key: unknown; readonly value: unknown };
  /** Readers and writers of scalars, by kind. */
  readonly kinds: { readonly [K in FieldKind]: WireKind };
  /** Creates a cache of strings for one field. */
  readonly textCache: () => TextCache;
  /** Reads a string, using the cache. */
  readonly readCachedText: (b: Uint8Array, start: number, end: number, cache: TextCache) => string;
  /** The end of the last value. */
  readonly cursor: { readonly at: number };
  /** BigInts from 0 to 127. */
  readonly smallBigints: readonly bigint[];
  /** Throws if messages are nested too deep. */
  readonly checkDepth: (depth: number) => void;
  /** Reads a length, and returns the end of the value. */
  readonly readEnd: (b: Uint8Array, at: number, end: number) => number;
  /** Reads a tag. */
  readonly readTag: (b: Uint8Array, at: number, end: number) => number;
  /** The index after an unknown field. */
  readonly skip: (b: Uint8Array, at: number, end: number, tag: number, depth: number) => number;
  /** Adds the range of an unknown field. */
  readonly keep: (kept: number[] | undefined, from: number, at: number) => number[];
  /** Copies the ranges of unknown fields. */
  readonly gather: (b: Uint8Array, kept: readonly number[], earlier: unknown) => Uint8Array;
  /** The property for the bytes of unknown fields. */
  readonly unknownFields: symbol;
  /** Whether a value is neither undefined nor null. */
  readonly isSet: (value: unknown) => boolean;
  /** The list decoded from an earlier part of the message. */
  readonly heldList: (value: unknown) => unknown[] | undefined;
  /** The Map decoded from an earlier part of the message. */
  readonly heldMap: (value: unknown) => Map<unknown, unknown> | undefined;
  /** The path of a value being read, for errors. */
  readonly readPlace: (shape: MessageShape, tag: number, target: Properties) => string;
  /** The path of a value being written, for errors. */
  readonly writePlace: (shape: MessageShape, field: number, index: number, key: unknown) => string;
  /** Prepends a path to the path of an error. */
  readonly within: (error: unknown, path: string) => unknown;
  /** Throws unless the value is an object. */
  readonly checkForm: (shape: MessageShape, value: unknown) => void;
  /** Throws for a property that is not a field. */
  readonly checkStranger: (shape: MessageShape, value: Properties, name: string) => void;
  /** Throws if more than one field of a oneof is set. */
  readonly checkOneof: (shape: MessageShape, value: Properties, oneof: string) => void;
  /** Throws unless the value is an array. */
  readonly listOf: (value: unknown) => readonly unknown[];
  /** Throws unless the value is a Map. */
  readonly mapOf: (value: unknown) => ReadonlyMap<unknown, unknown>;
  /** Throws unless the value is a Uint8Array. */
  readonly unknownBytes: (value: unknown) => Uint8Array;
}

/** The part of the scope that is the same for all messages. */
const shared = {
  entry,
  kinds,
  textCache,
  readCachedText,
  cursor,
  smallBigints,
  checkDepth,
  readEnd,
  readTag,
  skip,
  keep: addUnknown,
  gather: copyUnknown,
  unknownFields,
  isSet,
  heldList: (value: unknown) => (value ?? undefined) as unknown[] | undefined,
  heldMap: (value: unknown) => (value ?? undefined) as Map<unknown, unknown> | undefined,
  readPlace: readPath,
  writePlace: writePath,
  within,
  checkForm,
  checkStranger: checkUnknownProperty,
  checkOneof,
  listOf,
  mapOf,
  unknownBytes,
};

/** The scope of a message. */
export function codecScope(shape: MessageShape, nested: Nested): CodecScope {
  const child = (field: number): ReturnType<Nested> | undefined =>
    nestedMessage(shape.fields[field].type, nested);
  const names = new Set(shape.fields.map((field) => field.name));
  return {
    ...shared,
    shape,
    names,
    maker: (create) => instanceMaker(shape, create),
    keys: Object.keys(shape.create()).filter((name) => names.has(name)),
    messageClass: shape.messageClass as unknown as CodecScope['messageClass'],
    child: (field) => child(field) as ScopeMessage,
    entryReader: (field) => entryReader(shape.fields[field], child(field)),
  };
}
