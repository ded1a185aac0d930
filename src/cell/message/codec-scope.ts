/**
 * What the text of a codec may name: the run-time half of generated codecs. Its names are a
 * contract with modules generated earlier.
 */
import {
  checkForm,
  checkOneof,
  checkStranger,
  instanceMaker,
  isSet,
  listOf,
  mapOf,
  type Nested,
  type Properties,
  readPlace,
  unknownBytes,
  writePlace,
} from './compiled-message.js';
import { within } from '../fault-path.js';
import { type EntryReader, entry, entryReader } from './map-entry.js';
import type { MessageShape } from '../wire/message-shape.js';
import type { FieldKind } from '../scalar/scalar-type.js';
import { gather, keep, unknownFields } from './unknown-fields.js';
import { readCachedText, type TextCache, textCache } from '../utf8.js';
import { kinds, type WireKind } from '../wire/wire-kind.js';
import { checkDepth, cursor, readEnd, readTag, skip, smallBigints } from '../wire/wire-reader.js';
import type { WireWriter } from '../wire/wire-writer.js';

/** A nested message as generated text calls it; see CompiledMessage. */
export interface ScopeMessage {
  /** What `[at, end)` holds: a new instance, or `earlier` with it. */
  decode(earlier: unknown, b: Uint8Array, at: number, end: number, depth: number): unknown;
  /** Checks and writes the fields, without a length. */
  encode(w: WireWriter, value: unknown, depth: number): void;
}

/** The scope of one message's codec. */
export interface CodecScope {
  /** The message itself. */
  readonly shape: MessageShape;
  /** Its class. */
  readonly messageClass: new () => Properties;
  /**
   * Makes instances without values, given what makes instances: one whose class is known in place
   * is the quickest.
   */
  readonly maker: (create: () => Properties) => () => Properties;
  /** Names of its fields. */
  readonly names: ReadonlySet<string>;
  /**
   * The properties of a new instance in their order: values mostly have them so, which is quicker
   * to see than that each is a field.
   */
  readonly keys: readonly string[];
  /** The message in the field at an index of `shape.fields`. */
  readonly child: (field: number) => ScopeMessage;
  /** The reader of a map field's entries. */
  readonly entryReader: (field: number) => EntryReader;
  /** The last entry read. */
  readonly entry: { readonly key: unknown; readonly value: unknown };
  /** How each scalar kind is read and written. */
  readonly kinds: { readonly [K in FieldKind]: WireKind };
  /** An empty cache of texts, for one field. */
  readonly textCache: () => TextCache;
  /** A text that the cache may hold. */
  readonly readCachedText: (b: Uint8Array, start: number, end: number, cache: TextCache) => string;
  /** Where the last value ended. */
  readonly cursor: { readonly at: number };
  /** BigInts of one byte. */
  readonly smallBigints: readonly bigint[];
  /** Throws when messages nest too deep. */
  readonly checkDepth: (depth: number) => void;
  /** The end of a length-delimited value. */
  readonly readEnd: (b: Uint8Array, at: number, end: number) => number;
  /** A tag. */
  readonly readTag: (b: Uint8Array, at: number, end: number) => number;
  /** The index after an unknown field. */
  readonly skip: (b: Uint8Array, at: number, end: number, tag: number, depth: number) => number;
  /** Notes the bytes of an unknown field. */
  readonly keep: (kept: number[] | undefined, from: number, at: number) => number[];
  /** The noted bytes. */
  readonly gather: (b: Uint8Array, kept: readonly number[], earlier: unknown) => Uint8Array;
  /** Where a message keeps them. */
  readonly unknownFields: symbol;
  /** Whether a value counts as there. */
  readonly isSet: (value: unknown) => boolean;
  /** The list that an earlier part of the message left. */
  readonly heldList: (value: unknown) => unknown[] | undefined;
  /** The Map that an earlier part of the message left. */
  readonly heldMap: (value: unknown) => Map<unknown, unknown> | undefined;
  /** The place of a fault while reading. */
  readonly readPlace: (shape: MessageShape, tag: number, target: Properties) => string;
  /** The place of a fault while writing. */
  readonly writePlace: (shape: MessageShape, field: number, index: number, key: unknown) => string;
  /** A fault, seen from further out. */
  readonly within: (fault: unknown, place: string) => unknown;
  /** Throws unless the value has the form of the message. */
  readonly checkForm: (shape: MessageShape, value: unknown) => void;
  /** Throws for a property that no field has. */
  readonly checkStranger: (shape: MessageShape, value: Properties, name: string) => void;
  /** Throws when two fields of a oneof are set. */
  readonly checkOneof: (shape: MessageShape, value: Properties, oneof: string) => void;
  /** The value as a list; throws when it is none. */
  readonly listOf: (value: unknown) => readonly unknown[];
  /** The value as a Map; throws when it is none. */
  readonly mapOf: (value: unknown) => ReadonlyMap<unknown, unknown>;
  /** The value as bytes of unknown fields; throws when it is not. */
  readonly unknownBytes: (value: unknown) => Uint8Array;
}

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
  keep,
  gather,
  unknownFields,
  isSet,
  heldList: (value: unknown) => (isSet(value) ? (value as unknown[]) : undefined),
  heldMap: (value: unknown) => (isSet(value) ? (value as Map<unknown, unknown>) : undefined),
  readPlace,
  writePlace,
  within,
  checkForm,
  checkStranger,
  checkOneof,
  listOf,
  mapOf,
  unknownBytes,
};

/** The scope of a message whose nested messages `nested` gives. */
export function codecScope(shape: MessageShape, nested: Nested): CodecScope {
  const childOf = (field: number): ReturnType<Nested> | undefined => {
    const { type } = shape.fields[field];
    return type.kind === 'message' ? nested(type.shape()) : undefined;
  };
  const names = new Set(shape.fields.map((field) => field.name));
  return {
    ...shared,
    shape,
    names,
    maker: (create) => instanceMaker(shape, create),
    keys: Object.keys(shape.create()).filter((name) => names.has(name)),
    messageClass: shape.messageClass as unknown as CodecScope['messageClass'],
    child: (field) => childOf(field) as ScopeMessage,
    entryReader: (field) => entryReader(shape.fields[field], childOf(field)),
  };
}
