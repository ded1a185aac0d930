/** Compiles a declared key into a codec, or reports all its faults. */
import { concatBytes, maxRowKeyBytes, type FaultTexts } from '../../../base/index.js';
import type { KeyCodec, KeyPart, KeySpec } from './key-codec.js';
import type { KeyFormat } from '../kinds/key-format.js';
import type { Framing, FramedPart } from '../framing/framing.js';
import { keyFaults } from './key-faults.js';
import { type KeyLayout, keyEncoder, keyReader, segmentNames } from './key-layout.js';
import { keyRanges } from './key-ranges.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { orderedFraming } from '../framing/ordered-framing.js';
import type { SegmentFault } from './segment-faults.js';
import { segmentField } from '../kinds/segment-field.js';
import { shardBytes, shardWidth } from './shard.js';
import { delimitedFraming, framedLiteral, textFraming } from '../framing/text-framing.js';

/** The delimiter of the text format, `#`. */
const textDelimiter = 0x23;

/**
 * The key format of an existing table: segments joined by one ASCII character, which is not a
 * letter or a digit. Nothing is escaped.
 */
export function delimited(delimiter: string): KeyFormat {
  return { kind: 'delimited', delimiter };
}

/** Compiles the key of `entity`, or returns everything that is wrong with its declaration. */
export function buildKeyCodec(
  spec: KeySpec,
  entity: string,
): { codec: KeyCodec } | { faults: SegmentFault[] } {
  const found = keyFaults(spec);
  if (found.length > 0) return { faults: found };
  const codec = compile(spec, layoutOf(spec, entity));
  if (codec.minLength <= maxRowKeyBytes) return { codec };
  return {
    faults: [faults.fixedPartsTooLong(codec.minLength)],
  };
}

function layoutOf({ format, parts, shards }: KeySpec, entity: string): KeyLayout {
  const framing = framingOf(format);
  const out = new KeyWriter();
  const layout = {
    entity,
    framing,
    parts: parts.map((part) => framedPart(part, format, framing, out)),
    hashSeparator: framing.separator[0],
    ordered: false,
    shards: shards && {
      count: shards.count,
      by: parts.map((part) => part.kind === 'segment' && shards.by.includes(part.name)),
    },
  };
  if (format !== 'ordered') return layout;
  return { ...layout, ordered: true, hashSeparator: textDelimiter };
}

function framingOf(format: KeyFormat): Framing {
  if (format === 'ordered') return orderedFraming;
  if (format === 'text') return textFraming(textDelimiter);
  return delimitedFraming(format.delimiter.charCodeAt(0));
}

function framedPart(
  part: KeyPart,
  format: KeyFormat,
  framing: Framing,
  out: KeyWriter,
): FramedPart {
  if (part.kind === 'literal') {
    const bytes = framedLiteral(framing, out, Buffer.from(part.text));
    return { kind: 'literal', text: part.text, bytes };
  }
  const { name, type } = part;
  return {
    kind: 'segment',
    name,
    field: segmentField(type, format),
    nullable: type.nullable === true,
  };
}

function compile(spec: KeySpec, layout: KeyLayout): KeyCodec {
  const read = keyReader(layout);
  return {
    spec,
    names: segmentNames(layout.parts),
    minLength: minKeyLength(layout),
    maxLength: maxKeyLength(layout),
    encode: keyEncoder(layout),
    decoder() {
      const readKey = keyReader(layout);
      return (bytes, start, end, target) => readKey(bytes, start, end, target) === -1;
    },
    decode(key) {
      const segments = {};
      return read(key, 0, key.length, segments) === -1 ? segments : undefined;
    },
    foreignReason(key) {
      const step = read(key, 0, key.length, {});
      if (step === -1) return undefined;
      return foreignReason(layout, key, step);
    },
    ...keyRanges(layout),
    describe: () => describeParts(layout, spec),
    ...shardMethods(layout),
  };
}

type ShardMethods = Pick<KeyCodec, 'shardEnd' | 'shardOf' | 'withShardOf' | 'splitKeys'>;

const withoutShards: ShardMethods = {
  shardEnd: (_bytes, start) => start,
  shardOf: () => '',
  withShardOf: (_range, key) => key,
  splitKeys: () => [],
};

function shardMethods({ framing: { separator }, shards }: KeyLayout): ShardMethods {
  if (shards === undefined) return withoutShards;
  const { count } = shards;
  const digits = shardWidth(count);
  return {
    shardEnd: (_bytes, start, end) => Math.min(start + digits + separator.length, end),
    shardOf: (start) => Buffer.from(start.subarray(0, digits)).toString('latin1'),
    withShardOf: ({ start }, key) => concatBytes(start.subarray(0, digits), key.subarray(digits)),
    splitKeys: () =>
      Array.from({ length: count - 1 }, (_, i) => concatBytes(shardBytes(i + 1, count), separator)),
  };
}

function minKeyLength(layout: KeyLayout): number {
  const lengths = layout.parts.map(minPartLength);
  if (!layout.ordered) return sum(lengths) + overheadLength(layout);
  // A part that may be empty takes at least one byte (two when it is empty), or none at the end.
  const kept = lengths.slice(0, lengths.findLastIndex((length) => length > 0) + 1);
  const digits = shardDigits(layout);
  if (kept.length === 0) return Math.max(1, digits);
  const separators = 2 * (kept.length - 1);
  const shardLength = digits === 0 ? 0 : digits + 2;
  return sum(kept.map((length) => Math.max(1, length))) + separators + shardLength;
}

function maxKeyLength(layout: KeyLayout): number {
  const lengths = layout.parts.map((part) => maxPartLength(part, layout.framing));
  return sum(lengths) + overheadLength(layout);
}

/** Bytes of the separators and of the shard. */
function overheadLength(layout: KeyLayout): number {
  const { parts, framing, shards } = layout;
  const separators = (parts.length - 1) * framing.separator.length;
  if (shards === undefined) return separators;
  return separators + shardDigits(layout) + framing.separator.length;
}

function shardDigits({ shards }: KeyLayout): number {
  if (shards === undefined) return 0;
  return shardWidth(shards.count);
}

function minPartLength(part: FramedPart): number {
  if (part.kind === 'literal') return part.bytes.length;
  if (part.nullable) return 0;
  return part.field.minLength;
}

function maxPartLength(part: FramedPart, framing: Framing): number {
  if (part.kind === 'literal') return part.bytes.length;
  const { maxEscaped, maxLength } = part.field;
  // An empty part takes two bytes in the ordered format.
  return Math.max(2, maxEscaped ?? maxLength * framing.growth(part.field));
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}

function foreignReason({ parts, shards }: KeyLayout, key: Uint8Array, step: number): string {
  if (key.length === 0) return 'The key is empty.';
  if (key.length > maxRowKeyBytes)
    return `The key has ${key.length} bytes, more than ${maxRowKeyBytes}.`;
  const part = parts[step];
  if (part === undefined) {
    if (shards === undefined) return 'The key continues after its last part.';
    return 'The shard at the start is missing, or is not the hash of its segments.';
  }
  let position = step + 1;
  if (shards !== undefined) position++;
  if (part.kind === 'literal')
    return `Part ${position} of the key is not the literal '${part.text}'.`;
  return `Part ${position} of the key is not a value of segment '${part.name}' (${part.field.encoding}).`;
}

function describeParts({ parts, shards, ordered }: KeyLayout, spec: KeySpec): string[] {
  const lines = parts.map((part) => {
    if (part.kind === 'literal') return `literal '${part.text}'`;
    const { name, field, nullable } = part;
    const line = `${name}: ${field.encoding}`;
    // In the ordered format, null is part of the field's encoding.
    if (ordered || !nullable) return line;
    if (field.descending) return `${line}; null as '~'`;
    return `${line}; null as no bytes`;
  });
  if (shards !== undefined && spec.shards !== undefined)
    lines.unshift(
      `shard: ${shardWidth(shards.count)} digits, FNV-1a of ${spec.shards.by.join(', ')} modulo ${shards.count}`,
    );
  return lines;
}

const faults = {
  fixedPartsTooLong: (minLength: number) => ({
    problem: `the fixed parts alone take ${minLength} bytes and row keys have at most ${maxRowKeyBytes}`,
    fix: 'shorten the literals, or use fewer segments',
  }),
} satisfies FaultTexts;
