/**
 * Whether keys of two entities in one table could be the same key. Conservative: two patterns
 * collide unless they are provably disjoint.
 */
import { noBytes } from '../../../base/index.js';
import type { FramedSegment } from '../framing/framing.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { notAValue } from '../encoding/segment-value-error.js';
import type { KeyCodec, KeyPart, KeySpec } from './key-codec.js';
import type { KeyFormat } from '../kinds/key-format.js';
import { segmentField } from '../kinds/segment-field.js';
import { shardWidth } from './shard.js';

/** A part as the proof sees it: a constant, a field, or the digits of a shard. */
type PatternPart =
  | { readonly kind: 'literal'; readonly text: string }
  | FramedSegment
  | { readonly kind: 'shard'; readonly count: number };

/** The '~' of null in a descending segment of the text format. */
const nullLast = 0x7e;

/**
 * Why a key of `a` could also be a key of `b`, with the parts that overlap; undefined if that is
 * impossible.
 */
export function patternsCollide(a: KeyCodec, b: KeyCodec): string | undefined {
  if (!sameFormat(a.spec.format, b.spec.format))
    return 'The keys are written in different formats, so the same bytes could be a key of both.';
  const patternA = patternOf(a.spec);
  const patternB = patternOf(b.spec);
  const common = Math.min(patternA.length, patternB.length);
  // Only one of the two has parts after the common ones.
  const rest = [...patternA.slice(common), ...patternB.slice(common)];
  // Only the ordered format leaves parts out, and only empty ones at the end.
  if (rest.length > 0 && (a.spec.format !== 'ordered' || rest.some(neverEmpty))) return undefined;
  const overlaps: string[] = [];
  for (let i = 0; i < common; i++) {
    if (areDisjoint(patternA[i], patternB[i])) return undefined;
    overlaps.push(`${partText(patternA[i])} and ${partText(patternB[i])}`);
  }
  return `Each of the ${common} parts can hold the same bytes in both keys: ${overlaps.join('; ')}.`;
}

/**
 * Whether a key of `b` could start with the first `depth` segments of `a` and the literals around
 * them.
 */
export function canStartWith(a: KeyCodec, depth: number, b: KeyCodec): boolean {
  if (!sameFormat(a.spec.format, b.spec.format)) return true;
  const whole = patternOf(a.spec);
  const prefix = whole.slice(0, partsOf(a.spec, depth));
  const pattern = patternOf(b.spec);
  // Only the ordered format leaves parts out, and only empty ones at the end. In other formats, a
  // delimiter follows each part but the last.
  if (a.spec.format === 'ordered') {
    if (prefix.slice(pattern.length).some(neverEmpty)) return false;
  } else if (pattern.length < Math.min(prefix.length + 1, whole.length)) return false;
  return !prefix.some((part, i) => i < pattern.length && areDisjoint(part, pattern[i]));
}

/** The number of parts before the segment after the first `depth` ones. */
function partsOf({ parts, shards }: KeySpec, depth: number): number {
  let segments = 0;
  const end = parts.findIndex((part) => part.kind === 'segment' && segments++ === depth);
  return (end === -1 ? parts.length : end) + (shards === undefined ? 0 : 1);
}

function sameFormat(a: KeyFormat, b: KeyFormat): boolean {
  if (typeof a === 'object' && typeof b === 'object') return a.delimiter === b.delimiter;
  return a === b;
}

function patternOf({ parts, format, shards }: KeySpec): PatternPart[] {
  const pattern = parts.map((part) => patternPart(part, format));
  if (shards !== undefined) pattern.unshift({ kind: 'shard', count: shards.count });
  return pattern;
}

function patternPart(part: KeyPart, format: KeyFormat): PatternPart {
  if (part.kind === 'literal') return part;
  const { name, type } = part;
  return {
    kind: 'segment',
    name,
    field: segmentField(type, format),
    nullable: type.nullable === true,
  };
}

function neverEmpty(part: PatternPart): boolean {
  return minLength(part) > 0;
}

/** Whether no bytes are possible for both parts. */
function areDisjoint(a: PatternPart, b: PatternPart): boolean {
  if (a.kind === 'literal') return !canHold(b, a.text);
  if (b.kind === 'literal') return !canHold(a, b.text);
  if (haveNoCommonMember(a, b) || haveNoCommonMember(b, a)) return true;
  return maxLength(a) < minLength(b) || maxLength(b) < minLength(a);
}

/** The bytes of null in any format: none, or the bytes of a descending segment. */
const nulls = [noBytes, Buffer.from('~'), Buffer.of(0xff, 0xff)];

/** Whether `a` is an enum by name, and `b` can hold no member of it, nor null if `a` allows it. */
function haveNoCommonMember(a: PatternPart, b: PatternPart): boolean {
  if (a.kind !== 'segment' || a.field.members === undefined) return false;
  if (a.nullable && nulls.some((bytes) => canHoldBytes(b, bytes))) return false;
  const out = new KeyWriter();
  return a.field.members.every((member) => {
    out.at = 0;
    a.field.write(out, member);
    return !canHoldBytes(b, out.bytes.subarray(0, out.at));
  });
}

// Lengths count raw bytes: every raw value has exactly one escaped form, so different raw
// lengths are different bytes.

function minLength(part: PatternPart): number {
  if (part.kind === 'literal') return Buffer.byteLength(part.text);
  if (part.kind === 'shard') return shardWidth(part.count);
  if (part.nullable) return 0;
  return part.field.minLength;
}

function maxLength(part: PatternPart): number {
  if (part.kind === 'literal') return Buffer.byteLength(part.text);
  if (part.kind === 'shard') return shardWidth(part.count);
  if (part.nullable) return Math.max(part.field.maxLength, 2);
  return part.field.maxLength;
}

function canHold(part: PatternPart, text: string): boolean {
  return canHoldBytes(part, Buffer.from(text));
}

function canHoldBytes(part: PatternPart, bytes: Uint8Array): boolean {
  if (part.kind === 'segment') return segmentCanHold(part, bytes);
  const text = Buffer.from(bytes).toString('latin1');
  if (part.kind === 'literal') return Buffer.from(part.text).equals(bytes);
  return (
    /^[0-9]+$/.test(text) && text.length === shardWidth(part.count) && Number(text) < part.count
  );
}

function segmentCanHold({ field, nullable }: FramedSegment, bytes: Uint8Array): boolean {
  // In text, null is no bytes, or '~' in a descending segment, and "" is '$'. The field's reader
  // covers everything else.
  if (nullable && (bytes.length === 0 || (bytes.length === 1 && bytes[0] === nullLast)))
    return true;
  return field.reader()(bytes, 0, bytes.length) !== notAValue;
}

function partText(part: PatternPart): string {
  if (part.kind === 'literal') return `literal '${part.text}'`;
  if (part.kind === 'shard') return `a shard of ${part.count}`;
  return `segment '${part.name}' (${part.field.encoding})`;
}
