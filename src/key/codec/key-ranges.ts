/** Questions about leading segments as ranges of bytes; FORMAT.md, "Ranges", gives the rules. */
import { maxRowKeyBytes } from '../../base/index.js';
import {
  type KeyRange,
  concatBytes,
  nextKey,
  nextPrefix,
  pointRange,
  rangeFrom,
  unionRanges,
  noBytes,
} from '../../bytes/index.js';
import { RowsmithError } from '../../errors.js';
import type { FieldBound } from '../kinds/field.js';
import type { FramedPart } from '../framing/framing.js';
import type { KeyCondition, KeyRanges, SegmentBound } from './key-codec.js';
import { type KeyLayout, knownShard, writePart, writeValue } from './key-layout.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { shardBytes } from './shard.js';

type SegmentPart = FramedPart & { readonly kind: 'segment' };

/**
 * Ranges over the bytes of the bounded segment itself: its escaped value, and whether all that
 * starts there is meant.
 */
interface Edge {
  readonly bytes: Uint8Array;
  readonly inclusive: boolean;
}

/** Builds the answer of `ranges` for a layout. */
export function keyRanges(layout: KeyLayout): (question: KeyCondition) => KeyRanges {
  return (question) => {
    const place = checkQuestion(layout, question);
    const inner = (prefix: readonly Uint8Array[]): KeyRange[] =>
      rangesUnder(layout, prefix, place, question.bound);
    const values = layout.parts
      .slice(0, place)
      .map((part) => framed((out) => writePart(layout, out, part, question.fixed)));
    if (layout.shards === undefined) return { perShard: [inner(values)] };
    const { count } = layout.shards;
    const shard = knownShard(layout, question.fixed);
    const shards = shard === undefined ? Array.from({ length: count }, (_, i) => i) : [shard];
    return { perShard: shards.map((one) => inner([shardBytes(one, count), ...values])) };
  };
}

/**
 * The place of the first part that is not fixed; refuses gaps, unknown segments and bounds
 * elsewhere.
 */
function checkQuestion({ entity, parts }: KeyLayout, { fixed, bound }: KeyCondition): number {
  const given = Object.keys(fixed);
  const segments = parts.filter((part) => part.kind === 'segment');
  for (const name of given) {
    if (!segments.some((part) => part.name === name))
      throw refusal(
        entity,
        name,
        `'${name}' is not a segment of the key`,
        `use ${segments.map((part) => part.name).join(', ')}`,
      );
  }
  segments.forEach(({ name }, i) => {
    if (i < given.length && !Object.hasOwn(fixed, name))
      throw refusal(
        entity,
        name,
        `segment '${name}' is left out before one that is given`,
        `add '${name}'`,
      );
  });
  let place = parts.findIndex(
    (part) => part.kind === 'segment' && !Object.hasOwn(fixed, part.name),
  );
  if (place < 0) place = parts.length;
  const next = parts[place];
  if (bound !== undefined && (next?.kind !== 'segment' || next.name !== bound.segment)) {
    const fix =
      next?.kind === 'segment'
        ? `bound '${next.name}', or fix the segments before '${bound.segment}'`
        : 'remove the bound';
    throw refusal(
      entity,
      bound.segment,
      `a bound can stand only on the segment after the fixed ones, not on '${bound.segment}'`,
      fix,
    );
  }
  return place;
}

function refusal(
  entity: string,
  property: string,
  problem: string,
  fix: string,
  value?: unknown,
): RowsmithError {
  return new RowsmithError('INVALID_QUERY', { entity, property, problem, fix, value });
}

/**
 * Waits for the next caller: a buffer for each fixed part would cost a short query a tenth of its
 * time.
 */
let spare: KeyWriter | undefined;

function framed(write: (out: KeyWriter) => void): Uint8Array {
  // Values are the caller's, and a getter among them may ask for ranges of its own.
  const out = spare ?? new KeyWriter();
  spare = undefined;
  out.at = 0;
  write(out);
  const bytes = out.copy();
  spare = out;
  return bytes;
}

/**
 * Everything below a prefix of parts: where keys begin, what precedes the next part, and where they
 * end.
 */
interface Below {
  /**
   * Key of the prefix with nothing but empty parts behind it, when it lies outside `[base, end)`:
   * the ordered format only.
   */
  readonly alone?: Uint8Array;
  /** Whether keys may begin at `alone` without a hole up to `base`. */
  readonly joined: boolean;
  readonly base: Uint8Array;
  readonly end: Uint8Array | undefined;
}

function below({ framing, ordered }: KeyLayout, prefix: readonly Uint8Array[]): Below {
  if (prefix.length === 0)
    return ordered
      ? { alone: new Uint8Array(2), joined: true, base: noBytes, end: undefined }
      : { joined: true, base: noBytes, end: undefined };
  const full = joinParts(framing.separator, prefix, ordered);
  const base = concatBytes(full, framing.separator);
  const end = concatBytes(full, framing.after);
  if (!ordered) return { joined: true, base, end };
  return {
    alone: withoutTrailingEmpty(framing.separator, prefix),
    joined: prefix[prefix.length - 1].length > 0,
    base,
    end,
  };
}

function joinParts(
  separator: Uint8Array,
  parts: readonly Uint8Array[],
  ordered: boolean,
): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    if (pieces.length > 0) pieces.push(separator);
    pieces.push(ordered && part.length === 0 ? new Uint8Array(2) : part);
  }
  return concatBytes(...pieces);
}

function withoutTrailingEmpty(separator: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.findLastIndex((part) => part.length > 0) + 1;
  return length === 0 ? new Uint8Array(2) : joinParts(separator, parts.slice(0, length), true);
}

function rangesUnder(
  layout: KeyLayout,
  prefix: readonly Uint8Array[],
  place: number,
  bound: SegmentBound | undefined,
): KeyRange[] {
  const { parts, ordered, framing } = layout;
  if (place === parts.length) {
    const key = ordered
      ? withoutTrailingEmpty(framing.separator, prefix)
      : joinParts(framing.separator, prefix, false);
    if (key.length === 0 || key.length > maxRowKeyBytes) {
      throw new RowsmithError('INVALID_KEY', {
        entity: layout.entity,
        problem: `the key has ${key.length} bytes`,
        fix: `row keys have 1 to ${maxRowKeyBytes} bytes`,
      });
    }
    return [pointRange(key)];
  }
  const room = below(layout, prefix);
  if (bound === undefined) return openRanges(room, room.end);
  const part = parts[place] as SegmentPart;
  const last = place === parts.length - 1;
  if (bound.kind === 'between') return unionRanges(betweenRanges(layout, room, part, last, bound));
  return unionRanges(
    bound.kind === 'startsWith'
      ? startsWithRanges(layout, room, part, last, bound.text)
      : subdomainRanges(layout, room, part, last, bound.domain),
  );
}

/** From the very first key below the prefix up to `end`. */
function openRanges({ alone, joined, base }: Below, end: Uint8Array | undefined): KeyRange[] {
  if (alone === undefined || joined)
    return [rangeFrom(base.length === 0 || alone === undefined ? base : alone, end)];
  return [pointRange(alone), rangeFrom(base, end)];
}

/** Bytes past every key whose bounded segment is `value` (escaped, with its prefix). */
function pastValue({ framing, ordered }: KeyLayout, value: Uint8Array, last: boolean): Uint8Array {
  return last && !ordered ? nextKey(value) : concatBytes(value, framing.after);
}

function betweenRanges(
  layout: KeyLayout,
  room: Below,
  part: SegmentPart,
  last: boolean,
  bound: SegmentBound & { kind: 'between' },
): KeyRange[] {
  const { field } = part;
  const unordered =
    field.noRanges ??
    (layout.framing.growth(field) === 1 &&
    !layout.ordered &&
    !last &&
    !field.prefixFree &&
    field.leastByte <= layout.framing.separator[0]
      ? 'values of this segment may sort differently before the delimiter, which is not escaped'
      : undefined);
  if (unordered !== undefined)
    throw refusal(
      layout.entity,
      part.name,
      unordered,
      'fix the segment to one value, or filter after reading',
    );
  const from = edge(layout, part, 'from', bound.from);
  const to = edge(layout, part, 'to', bound.to);
  const [low, high] = field.descending ? [to, from] : [from, to];
  if (layout.ordered) return orderedBetween(layout, room, last, low, high);
  const end =
    high === undefined
      ? room.end
      : high.inclusive
        ? pastValue(layout, concatBytes(room.base, high.bytes), last)
        : concatBytes(room.base, high.bytes);
  const start =
    low === undefined
      ? room.base
      : low.inclusive
        ? concatBytes(room.base, low.bytes)
        : pastValue(layout, concatBytes(room.base, low.bytes), last);
  return [{ start, end }];
}

/**
 * As in text, but an empty value may be left out of the key, and then stands before everything
 * else.
 */
function orderedBetween(
  layout: KeyLayout,
  room: Below,
  last: boolean,
  low: Edge | undefined,
  high: Edge | undefined,
): KeyRange[] {
  const at = ({ bytes }: Edge): Uint8Array =>
    concatBytes(room.base, bytes.length === 0 ? new Uint8Array(2) : bytes);
  if (high !== undefined && high.bytes.length === 0 && !high.inclusive) return [];
  const end =
    high === undefined ? room.end : high.inclusive ? pastValue(layout, at(high), last) : at(high);
  if (low === undefined || (low.bytes.length === 0 && low.inclusive)) return openRanges(room, end);
  return [{ start: low.inclusive ? at(low) : pastValue(layout, at(low), last), end }];
}

function edge(
  layout: KeyLayout,
  part: SegmentPart,
  side: 'from' | 'to',
  given: FieldBound | undefined,
): Edge | undefined {
  if (given === undefined) return undefined;
  const bound =
    part.field.bound === undefined ||
    !(given.value instanceof Date) ||
    Number.isNaN(given.value.getTime())
      ? given
      : part.field.bound(side, given);
  return {
    bytes: framed((out) => writeValue(layout, out, part, bound.value)),
    inclusive: bound.inclusive,
  };
}

function startsWithRanges(
  layout: KeyLayout,
  room: Below,
  part: SegmentPart,
  last: boolean,
  text: string,
): KeyRange[] {
  const { field, name, nullable } = part;
  const { startsWith } = field;
  if (startsWith === undefined)
    throw refusal(
      layout.entity,
      name,
      'startsWith needs an ascending string segment',
      'use between, or fix the segment',
      text,
    );
  const value = framed((out) => writeValue(layout, out, part, text));
  if (text === '')
    return nullable
      ? betweenRanges(layout, room, part, last, {
          kind: 'between',
          segment: name,
          from: { value: null, inclusive: false },
        })
      : openRanges(room, room.end);
  // The first value is written as a value, for escape_nulls; the common beginning of all is not.
  const beginning = framed((out) => {
    startsWith(out, text);
    layout.framing.escape(out, 0);
  });
  return [rangeFrom(concatBytes(room.base, value), nextPrefix(concatBytes(room.base, beginning)))];
}

function subdomainRanges(
  layout: KeyLayout,
  room: Below,
  part: SegmentPart,
  last: boolean,
  domain: string,
): KeyRange[] {
  if (part.field.subdomains !== true)
    throw refusal(
      layout.entity,
      part.name,
      'only domain segments have sub-domains',
      "declare the segment as 'domain'",
      domain,
    );
  const value = concatBytes(
    room.base,
    framed((out) => writeValue(layout, out, part, domain)),
  );
  const point = layout.ordered
    ? rangeFrom(value, concatBytes(value, layout.framing.after))
    : rangeFrom(
        last ? value : concatBytes(value, layout.framing.separator),
        pastValue(layout, value, last),
      );
  const beneath = concatBytes(value, Uint8Array.of(0x2e));
  return [point, rangeFrom(beneath, nextPrefix(beneath))];
}
