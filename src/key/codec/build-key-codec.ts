/** From a declared key to its compiled codec, or to all its faults at once. */
import { maxRowKeyBytes } from '../../base/index.js';
import type { KeyCodec, KeyPart, KeySpec } from './key-codec.js';
import type { KeyFormat } from '../kinds/key-format.js';
import type { Framing, FramedPart } from '../framing/framing.js';
import { type KeyFault, segmentFaults } from './segment-faults.js';
import { type KeyLayout, keyEncoder, keyReader } from './key-layout.js';
import { keyRanges } from './key-ranges.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { orderedFraming } from '../framing/ordered-framing.js';
import { segmentField } from '../kinds/segment-field.js';
import { shardBytes, shardWidth } from './shard.js';
import { delimitedFraming, framedLiteral, textFraming } from '../framing/text-framing.js';
import { concatBytes } from '../../bytes/index.js';

/** The delimiter of the text format, `#`. */
export const textDelimiter = 0x23;

/**
 * The key format of a table that exists already: segments joined by one ASCII character, nothing
 * escaped.
 */
export function delimited(delimiter: string): KeyFormat {
  return { kind: 'delimited', delimiter };
}

/** Compiles the key of `entity`, or tells everything that is wrong with its declaration. */
export function buildKeyCodec(
  spec: KeySpec,
  entity: string,
): { codec: KeyCodec } | { faults: KeyFault[] } {
  const faults = [...formatFaults(spec.format), ...partFaults(spec), ...shardFaults(spec)];
  if (faults.length > 0) return { faults };
  const codec = compile(spec, layoutOf(spec, entity));
  if (codec.minLength <= maxRowKeyBytes) return { codec };
  return {
    faults: [
      {
        problem: `the fixed parts alone take ${codec.minLength} bytes and row keys have at most ${maxRowKeyBytes}`,
        fix: 'shorten the literals, or use fewer segments',
      },
    ],
  };
}

function formatFaults(format: KeyFormat): KeyFault[] {
  if (format === 'text' || format === 'ordered') return [];
  if (typeof format === 'object' && format?.kind === 'delimited') {
    const { delimiter } = format;
    if (
      typeof delimiter === 'string' &&
      /^[\x00-\x7e]$/.test(delimiter) &&
      !/^[A-Za-z0-9]$/.test(delimiter)
    )
      return [];
    return [
      {
        problem: `the delimiter ${JSON.stringify(delimiter)} is not one ASCII character besides letters and digits`,
        fix: "pass a character such as '|' or ':'",
      },
    ];
  }
  return [
    {
      problem: `there is no key format ${JSON.stringify(format)}`,
      fix: "use 'text', 'ordered' or delimited('|')",
    },
  ];
}

function partFaults({ format, parts }: KeySpec): KeyFault[] {
  const faults: KeyFault[] = [];
  const names = parts.flatMap((part) => (part.kind === 'segment' ? [part.name] : []));
  if (names.length === 0)
    faults.push({
      problem: 'the key has no segment',
      fix: 'name at least one property of the entity',
    });
  for (const name of new Set(names)) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      faults.push({
        segment: name,
        problem: `segment '${name}' stands twice in the key`,
        fix: 'name it once',
      });
  }
  for (const part of parts)
    faults.push(
      ...(part.kind === 'literal'
        ? literalFaults(part.text, format)
        : declaredFaults(part, format)),
    );
  return faults;
}

function literalFaults(text: string, format: KeyFormat): KeyFault[] {
  const delimiter = typeof format === 'object' ? format.delimiter : '';
  if (typeof text !== 'string' || text === '')
    return [{ problem: 'a literal is empty', fix: "give it a text, such as literal('order')" }];
  if (!text.isWellFormed())
    return [{ problem: 'a literal holds half of a surrogate pair', fix: 'use well-formed text' }];
  if (delimiter !== '' && text.includes(delimiter)) {
    return [
      {
        problem: `the literal '${text}' holds the delimiter ${JSON.stringify(delimiter)}`,
        fix: 'choose another literal; the delimited format has no escapes',
      },
    ];
  }
  return [];
}

function declaredFaults(
  { name, type }: KeyPart & { kind: 'segment' },
  format: KeyFormat,
): KeyFault[] {
  const faults = segmentFaults(name, type, format);
  if (faults.length > 0 || typeof format !== 'object') return faults;
  const { punctuation } = segmentField(type, format);
  if (
    typeof format.delimiter !== 'string' ||
    format.delimiter === '' ||
    !punctuation.includes(format.delimiter)
  )
    return faults;
  return [
    {
      segment: name,
      problem: `${type.kind} values are written with the delimiter ${JSON.stringify(format.delimiter)}`,
      fix: "use another kind, another delimiter, or keyFormat 'text'",
    },
  ];
}

function shardFaults({ parts, shards }: KeySpec): KeyFault[] {
  if (shards === undefined) return [];
  const faults: KeyFault[] = [];
  const names = parts.flatMap((part) => (part.kind === 'segment' ? [part.name] : []));
  const { count } = shards;
  // Said in JavaScript it can be anything.
  const by: unknown = shards.by;
  if (!Number.isSafeInteger(count) || count < 2 || count > 1000) {
    faults.push({
      problem: `the shard count ${String(count)} is not a whole number from 2 to 1,000`,
      fix: 'use a count such as 16; changing it later is a data migration',
    });
  }
  if (!isNames(by))
    return [
      ...faults,
      {
        problem: 'shards name no segment to hash',
        fix: "add by: ['device'], naming segments of the key",
      },
    ];
  for (const name of by)
    if (!names.includes(name))
      faults.push({
        segment: name,
        problem: `shards hash '${name}', which is not a segment of the key`,
        fix: `use ${names.join(', ')}`,
      });
  const places = by.map((name) => names.indexOf(name));
  if (places.some((place, i) => i > 0 && place >= 0 && place <= places[i - 1])) {
    const ordered = names.filter((name) => by.includes(name)).join(', ');
    faults.push({
      problem: 'the hashed segments are not named once each in key order',
      fix: `use the order of the key: ${ordered}`,
    });
  }
  return faults;
}

function isNames(by: unknown): by is readonly string[] {
  return Array.isArray(by) && by.length > 0 && by.every((name) => typeof name === 'string');
}

function framingOf(format: KeyFormat): Framing {
  if (format === 'ordered') return orderedFraming;
  return format === 'text'
    ? textFraming(textDelimiter)
    : delimitedFraming(format.delimiter.charCodeAt(0));
}

function layoutOf({ format, parts, shards }: KeySpec, entity: string): KeyLayout {
  const framing = framingOf(format);
  const out = new KeyWriter();
  const framedParts = parts.map((part): FramedPart =>
    part.kind === 'literal'
      ? {
          kind: 'literal',
          text: part.text,
          bytes: framedLiteral(framing, out, Buffer.from(part.text)),
        }
      : {
          kind: 'segment',
          name: part.name,
          field: segmentField(part.type, format),
          nullable: part.type.nullable === true,
        },
  );
  const ordered = format === 'ordered';
  const by = shards && {
    count: shards.count,
    by: parts.map((part) => part.kind === 'segment' && shards.by.includes(part.name)),
  };
  return {
    entity,
    framing,
    parts: framedParts,
    joint: ordered ? textDelimiter : framing.separator[0],
    shards: by,
    ordered,
  };
}

/** The codec over a layout without faults. */
export function compile(spec: KeySpec, layout: KeyLayout): KeyCodec {
  const { parts, framing, shards } = layout;
  const digits = shards === undefined ? 0 : shardWidth(shards.count);
  const lead = shards === undefined ? 0 : digits + framing.separator.length;
  const gaps = (parts.length - 1) * framing.separator.length + lead;
  const least = (part: FramedPart): number =>
    part.kind === 'literal' ? part.bytes.length : part.nullable ? 0 : part.field.minLength;
  const most = (part: FramedPart): number =>
    part.kind === 'literal'
      ? part.bytes.length
      : Math.max(2, part.field.maxEscaped ?? part.field.maxLength * framing.growth(part.field));
  const explain = keyReader(layout);
  return {
    spec,
    names: parts.flatMap((part) => (part.kind === 'segment' ? [part.name] : [])),
    minLength: layout.ordered
      ? shortestOrdered(parts.map(least), digits)
      : parts.reduce((sum, part) => sum + least(part), gaps),
    maxLength: parts.reduce((sum, part) => sum + most(part), gaps),
    encode: keyEncoder(layout),
    decoder() {
      const read = keyReader(layout);
      return (bytes, start, end, target) => read(bytes, start, end, target) === -1;
    },
    foreignBecause(key) {
      const step = explain(key, 0, key.length, {});
      return step === -1 ? undefined : foreignReason(layout, key, step);
    },
    ranges: keyRanges(layout),
    afterShard: (_bytes, start, end) => Math.min(start + lead, end),
    inShardOf: ({ start }, key) =>
      lead === 0 ? key : concatBytes(start.subarray(0, digits), key.subarray(digits)),
    splitKeys: () =>
      shards === undefined
        ? []
        : Array.from({ length: shards.count - 1 }, (_, i) =>
            concatBytes(shardBytes(i + 1, shards.count), framing.separator),
          ),
    describe: () => describeParts(layout, spec),
  };
}

/**
 * Shortest key of the ordered format: a part that may be empty is shortest with one byte (empty it
 * takes two), or none at the end.
 */
function shortestOrdered(least: readonly number[], shardDigits: number): number {
  const kept = least.slice(0, least.findLastIndex((length) => length > 0) + 1);
  if (kept.length === 0) return Math.max(1, shardDigits);
  const before = shardDigits === 0 ? 0 : shardDigits + 2;
  return kept.reduce((sum, length) => sum + Math.max(1, length), before) + 2 * (kept.length - 1);
}

function foreignReason({ parts, shards }: KeyLayout, key: Uint8Array, step: number): string {
  if (key.length === 0) return 'The key is empty.';
  if (key.length > maxRowKeyBytes)
    return `The key has ${key.length} bytes, more than ${maxRowKeyBytes}.`;
  const part = parts[step];
  if (part === undefined)
    return shards === undefined
      ? 'The key goes on after its last part.'
      : 'The shard in front is missing, or is not the hash of its segments.';
  const place = `Part ${step + 1 + (shards === undefined ? 0 : 1)} of the key`;
  return part.kind === 'literal'
    ? `${place} is not the literal '${part.text}'.`
    : `${place} is not a value of segment '${part.name}' (${part.field.encoding}).`;
}

function describeParts({ parts, shards }: KeyLayout, spec: KeySpec): string[] {
  const lines = parts.map((part) => {
    if (part.kind === 'literal') return `literal '${part.text}'`;
    const asNull = part.field.descending ? "'~'" : 'no bytes';
    return `${part.name}: ${part.field.encoding}${part.nullable && spec.format !== 'ordered' ? `; null as ${asNull}` : ''}`;
  });
  if (shards !== undefined && spec.shards !== undefined)
    lines.unshift(
      `shard: ${shardWidth(shards.count)} digits, FNV-1a of ${spec.shards.by.join(', ')} modulo ${shards.count}`,
    );
  return lines;
}
