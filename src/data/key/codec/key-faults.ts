/** All faults of a key's declaration. */
import { literalText, type FaultTexts } from '../../../base/index.js';
import type { KeyPart, KeySpec, ShardSpec } from './key-codec.js';
import { segmentNames } from './key-layout.js';
import { type SegmentFault, segmentFaults } from './segment-faults.js';
import type { KeyFormat } from '../kinds/key-format.js';
import { segmentField } from '../kinds/segment-field.js';

/** The faults of a key's format, parts and shards. */
export function keyFaults(spec: KeySpec): SegmentFault[] {
  return [...formatFaults(spec.format), ...partFaults(spec), ...shardFaults(spec)];
}

function formatFaults(format: KeyFormat): SegmentFault[] {
  if (format === 'text' || format === 'ordered') return [];
  if (isDelimited(format) && format.kind === 'delimited') return delimiterFaults(format.delimiter);
  return [faults.unknownKeyFormat(literalText(format))];
}

/** In JavaScript the format can be null. */
function isDelimited(format: KeyFormat): format is Exclude<KeyFormat, string> {
  return typeof format === 'object' && format !== null;
}

function delimiterFaults(delimiter: string): SegmentFault[] {
  // In JavaScript it can be of any type.
  if (
    typeof delimiter === 'string' &&
    /^[\x00-\x7e]$/.test(delimiter) &&
    !/^[A-Za-z0-9]$/.test(delimiter)
  )
    return [];
  return [faults.notADelimiter(delimiter)];
}

function partFaults({ format, parts }: KeySpec): SegmentFault[] {
  const found: SegmentFault[] = [];
  const names = segmentNames(parts);
  if (names.length === 0) found.push(faults.keyWithoutSegment);
  for (const name of new Set(names)) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      found.push({
        segment: name,
        ...faults.duplicateSegment(name),
      });
  }
  for (const part of parts) {
    if (part.kind === 'literal') found.push(...literalFaults(part.text, format));
    else found.push(...declaredFaults(part, format));
  }
  return found;
}

function literalFaults(text: string, format: KeyFormat): SegmentFault[] {
  if (typeof text !== 'string' || text === '') return [faults.emptyLiteral];
  if (!text.isWellFormed()) return [faults.loneSurrogate];
  if (!isDelimited(format) || format.delimiter === '' || !text.includes(format.delimiter))
    return [];
  return [faults.literalWithDelimiter(text, format.delimiter)];
}

function declaredFaults(
  { name, type }: KeyPart & { kind: 'segment' },
  format: KeyFormat,
): SegmentFault[] {
  const found = segmentFaults(name, type, format);
  if (found.length > 0 || !isDelimited(format)) return found;
  const { delimiter } = format;
  const { punctuation } = segmentField(type, format);
  if (typeof delimiter !== 'string' || delimiter === '' || !punctuation.includes(delimiter))
    return [];
  return [
    {
      segment: name,
      ...faults.kindWithDelimiter(type.kind, delimiter),
    },
  ];
}

function shardFaults({ parts, shards }: KeySpec): SegmentFault[] {
  if (shards === undefined) return [];
  return [...shardCountFaults(shards), ...hashedSegmentFaults(shards.by, segmentNames(parts))];
}

function shardCountFaults({ count }: ShardSpec): SegmentFault[] {
  if (Number.isSafeInteger(count) && count >= 2 && count <= 1000) return [];
  return [faults.shardCountOutOfRange(count)];
}

/** `by` is unknown: in JavaScript it can be of any type. */
function hashedSegmentFaults(by: unknown, names: readonly string[]): SegmentFault[] {
  if (!isNames(by)) return [faults.shardsWithoutSegment];
  const found: SegmentFault[] = by
    .filter((name) => !names.includes(name))
    .map((name) => ({
      segment: name,
      ...faults.unknownHashedSegment(name, names.join(', ')),
    }));
  const positions = by.map((name) => names.indexOf(name));
  if (positions.some((position, i) => i > 0 && position >= 0 && position <= positions[i - 1])) {
    const ordered = names.filter((name) => by.includes(name)).join(', ');
    found.push(faults.hashedOutOfOrder(ordered));
  }
  return found;
}

function isNames(by: unknown): by is readonly string[] {
  return Array.isArray(by) && by.length > 0 && by.every((name) => typeof name === 'string');
}

const faults = {
  unknownKeyFormat: (literal: string) => ({
    problem: `there is no key format ${literal}`,
    fix: "use 'text', 'ordered' or delimited('|')",
  }),
  notADelimiter: (delimiter: string) => ({
    problem: `the delimiter ${literalText(delimiter)} is not one ASCII character other than letters and digits`,
    fix: "pass a character such as '|' or ':'",
  }),
  keyWithoutSegment: {
    problem: 'the key has no segment',
    fix: 'name at least one property of the entity',
  },
  duplicateSegment: (name: string) => ({
    problem: `the key contains segment '${name}' twice`,
    fix: 'name it once',
  }),
  emptyLiteral: { problem: 'a literal is empty', fix: "give it a text, such as literal('order')" },
  loneSurrogate: {
    problem: 'a literal contains a lone surrogate, which UTF-8 cannot encode',
    fix: 'use well-formed text',
  },
  literalWithDelimiter: (text: string, delimiter: string) => ({
    problem: `the literal '${text}' contains the delimiter ${literalText(delimiter)}`,
    fix: 'choose another literal; the delimited format has no escapes',
  }),
  kindWithDelimiter: (kind: string, delimiter: string) => ({
    problem: `${kind} values are written with the delimiter ${literalText(delimiter)}`,
    fix: "use another kind, another delimiter, or keyFormat 'text'",
  }),
  shardCountOutOfRange: (count: number) => ({
    problem: `the shard count ${literalText(count)} is not a whole number from 2 to 1,000`,
    fix: 'use a count such as 16; changing it later requires a data migration',
  }),
  shardsWithoutSegment: {
    problem: 'the shards name no segment to hash',
    fix: "add by: ['device'], naming segments of the key",
  },
  unknownHashedSegment: (name: string, list: string) => ({
    problem: `the shards hash '${name}', which is not a segment of the key`,
    fix: `use ${list}`,
  }),
  hashedOutOfOrder: (ordered: string) => ({
    problem: 'the hashed segments are not each named once and in key order',
    fix: `use the order of the key: ${ordered}`,
  }),
} satisfies FaultTexts;
