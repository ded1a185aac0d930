/** Codecs for the entries of a vector file. */
import {
  keyEncoder,
  keyReader,
  writeValue,
  type KeyLayout,
} from '../src/data/key/codec/key-layout.js';
import { KeyWriter } from '../src/data/key/encoding/key-writer.js';
import { orderedFraming } from '../src/data/key/framing/ordered-framing.js';
import { delimitedBytes, singleton } from '../src/data/key/framing/struct-codecs.js';
import { structField, textFramingOf, textSegment, vectorLayout } from './vector-schema.js';
import type { Entry, Json, VectorField } from './vector-schema.js';

/** A codec for JSON values of a vector file. */
export interface Codec {
  encode(value: Json): Uint8Array;
  /** Decodes the bytes and encodes the result; undefined if they cannot be decoded. */
  reencode(bytes: Uint8Array): Uint8Array | undefined;
}

/** Throws a TypeError if the value is not a list. */
export function list(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('expected a list');
  return value as Json[];
}

function keyCodec(layout: KeyLayout, fields: readonly VectorField[]): Codec {
  const encode = keyEncoder(layout);
  const read = keyReader(layout);
  return {
    encode: (value) =>
      encode(Object.fromEntries(list(value).map((json, i) => [String(i), fields[i]?.value(json)]))),
    reencode(bytes) {
      const target: Record<string, unknown> = {};
      if (read(bytes, 0, bytes.length, target) !== -1) return undefined;
      return encode(target);
    },
  };
}

function segmentCodec(layout: KeyLayout, field: VectorField): Codec {
  const read = layout.framing.reader(layout.parts[0], true);
  const write = (value: unknown): Uint8Array => {
    const out = new KeyWriter();
    writeValue(
      layout,
      out,
      layout.parts[0] as KeyLayout['parts'][number] & { kind: 'segment' },
      value,
    );
    return out.copy();
  };
  return {
    encode: (value) => write(field.value(value)),
    reencode(bytes) {
      const target: Record<string, unknown> = {};
      if (read(bytes, 0, bytes.length, target) !== bytes.length + 1) return undefined;
      return write(target['0']);
    },
  };
}

/** The codec that an entry describes. Throws a TypeError for an unknown name. */
export function codecOf(entry: Entry): Codec {
  switch (String(entry.codec)) {
    case 'text':
    case 'text-key':
      return textCodec(entry);
    case 'ordered':
    case 'ordered-key':
      return orderedCodec(entry);
    case 'delimited_bytes':
    case 'delimited_bytes-key':
      return delimitedCodec(entry);
    case 'singleton':
    case 'singleton-key':
      return singletonCodec(entry);
    default:
      throw new TypeError(`unknown codec '${String(entry.codec)}'`);
  }
}

function optionsOf(entry: Entry): Entry {
  return (entry.options ?? {}) as Entry;
}

/** A list of fields or segments, from the entry or its options. */
function schemaOf(entry: Entry, name: 'fields' | 'schema'): readonly Entry[] {
  return list(entry[name] ?? optionsOf(entry)[name]) as unknown as Entry[];
}

/** A segment of a text key; its options may be nested. */
export function textField(segment: Entry): VectorField {
  return textSegment(String(segment.type), { ...segment, ...optionsOf(segment) });
}

function textCodec(entry: Entry): Codec {
  const options = optionsOf(entry);
  const framing = textFramingOf(options);
  const hasSchema = entry.schema !== undefined || options.schema !== undefined;
  if (entry.codec === 'text' && entry.kind !== 'key' && !hasSchema) {
    const field = textSegment(String(entry.type), options);
    return segmentCodec(vectorLayout(framing, [field]), field);
  }
  const fields = schemaOf(entry, 'schema').map(textField);
  return keyCodec(vectorLayout(framing, fields, shardOf(options)), fields);
}

/** The sharding of a key: `of` are indexes of segments, `n` is the count. */
export function shardOf(options: Entry): { of: number[]; n: number } | undefined {
  return options.shard as unknown as { of: number[]; n: number } | undefined;
}

function orderedCodec(entry: Entry): Codec {
  if (entry.schema !== undefined) return orderedKeyCodec(schemaOf(entry, 'schema'));
  if (hasFields(entry)) return orderedKeyCodec(schemaOf(entry, 'fields'));
  const codec = orderedKeyCodec([singleField(entry)]);
  return { ...codec, encode: (value) => codec.encode(listOrSingle(value)) };
}

function orderedKeyCodec(entries: readonly Entry[]): Codec {
  const fields = entries.map(structField);
  return keyCodec(vectorLayout(orderedFraming, fields), fields);
}

function hasFields(entry: Entry): boolean {
  return entry.fields !== undefined || optionsOf(entry).fields !== undefined;
}

function singleField(entry: Entry): Entry {
  return { ...optionsOf(entry), type: entry.type };
}

function listOrSingle(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as Json[];
  return [value];
}

function delimitedCodec(entry: Entry): Codec {
  const fields = schemaOf(entry, 'fields').map(structField);
  const delimiter = Buffer.from(String(entry.delimiter ?? optionsOf(entry).delimiter ?? '#'));
  if (delimiter.length < 1 || delimiter.length > 50)
    throw new TypeError('a delimiter has 1 to 50 bytes');
  const codec = delimitedBytes(
    delimiter,
    fields.map(({ field }) => field),
  );
  return structCodec(codec, fields, list);
}

function singletonCodec(entry: Entry): Codec {
  const isSingle = entry.codec === 'singleton' && !hasFields(entry);
  const entries = isSingle ? [singleField(entry)] : schemaOf(entry, 'fields');
  const fields = entries.map(structField);
  if (fields.length !== 1) throw new TypeError('a singleton has one field');
  return structCodec(singleton(fields[0].field), fields, listOrSingle);
}

function structCodec(
  codec: ReturnType<typeof singleton>,
  fields: readonly VectorField[],
  valuesOf: (value: Json) => readonly Json[],
): Codec {
  return {
    encode: (value) => codec.encode(valuesOf(value).map((json, i) => fields[i]?.value(json))),
    reencode(bytes) {
      const values = codec.decode(bytes);
      return values && codec.encode(values);
    },
  };
}
