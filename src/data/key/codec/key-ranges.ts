/** Turns conditions on leading segments into ranges of keys; see "Ranges" in FORMAT.md. */
import {
  concatBytes,
  isDate,
  type KeyRange,
  maxRowKeyBytes,
  nextPrefix,
  pointRange,
  rangeFrom,
  RowsmithError,
  unionRanges,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import type { FieldBound } from '../fields/field.js';
import type { FramedSegment } from '../framing/framing.js';
import type { KeyCodec, KeyCondition, SegmentBound } from './key-codec.js';
import { emptyPart, type KeyLayout, knownShard, writePart, writeValue } from './key-layout.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { prefixSkip } from './prefix-skip.js';
import { type KeyOrder, keyOrder, type PrefixRange, rangesUpTo } from './prefix-ranges.js';
import { shardBytes } from './shard.js';

/** A bound with its value escaped. */
interface EncodedBound {
  readonly bytes: Uint8Array;
  readonly inclusive: boolean;
}

/** What a bound is resolved against: the bounded segment and the keys with the fixed prefix. */
interface BoundedSegment {
  readonly layout: KeyLayout;
  readonly order: KeyOrder;
  readonly part: FramedSegment;
  /** The segment is the last part of the key. */
  readonly last: boolean;
  readonly prefix: PrefixRange;
}

type RangeMethods = Pick<KeyCodec, 'ranges' | 'rangesOfAny' | 'checkBound' | 'prefixSkip'>;

/** Creates the functions that turn conditions on the keys of a layout into ranges. */
export function keyRanges(layout: KeyLayout): RangeMethods {
  const order = keyOrder(layout);
  const rangesOf = (
    prefix: readonly Uint8Array[],
    next: number,
    bound?: SegmentBound,
  ): KeyRange[] => {
    if (next === layout.parts.length) return [pointRange(checkedKey(layout, order, prefix))];
    return rangesUnder(layout, order, prefix, next, bound);
  };
  const rangesByShard = (condition: KeyCondition): (readonly [number, KeyRange[]])[] => {
    const next = checkCondition(layout, condition);
    const { fixed, bound } = condition;
    const values = layout.parts
      .slice(0, next)
      .map((part) => encoded((out) => writePart(layout, out, part, fixed)));
    if (layout.shards === undefined) return [[0, rangesOf(values, next, bound)]];
    const { count } = layout.shards;
    return shardsOf(knownShard(layout, fixed), count).map((shard) => [
      shard,
      rangesOf([shardBytes(shard, count), ...values], next, bound),
    ]);
  };
  return {
    ranges: (condition) => ({ perShard: rangesByShard(condition).map(([, ranges]) => ranges) }),
    rangesOfAny: (conditions) => ({ perShard: mergeShards(conditions.map(rangesByShard)) }),
    prefixSkip(segment) {
      const next = partAfter(layout, segment);
      return prefixSkip(layout, next, (parts) => rangesOf(parts, next));
    },
    checkBound(bound) {
      const next = layout.parts.findIndex(
        (part) => part.kind === 'segment' && part.name === bound.segment,
      );
      const anyPrefix = Array.from({ length: next }, () => emptyPart);
      rangesUnder(layout, order, anyPrefix, next, bound);
    },
  };
}

/** The index of the first segment after the one with this name: literals in between are equal. */
function partAfter({ parts }: KeyLayout, segment: string): number {
  const at = parts.findIndex((part) => part.kind === 'segment' && part.name === segment);
  const next = parts.findIndex((part, i) => i > at && part.kind === 'segment');
  return next < 0 ? parts.length : next;
}

/** Merges the ranges of several conditions, shard by shard. */
function mergeShards(conditions: readonly (readonly [number, KeyRange[]])[][]): KeyRange[][] {
  const byShard = new Map<number, KeyRange[]>();
  for (const [shard, ranges] of conditions.flat()) {
    const list = byShard.get(shard);
    if (list === undefined) byShard.set(shard, [...ranges]);
    else list.push(...ranges);
  }
  const shards = [...byShard.keys()].sort((a, b) => a - b);
  return shards.map((shard) => unionRanges(byShard.get(shard)!));
}

function shardsOf(known: number | undefined, count: number): readonly number[] {
  if (known !== undefined) return [known];
  return Array.from({ length: count }, (_, shard) => shard);
}

/**
 * The index of the first part that is not fixed. Rejects unknown segments, gaps, and a bound on any
 * other segment.
 */
function checkCondition({ entity, parts }: KeyLayout, { fixed, bound }: KeyCondition): number {
  const fixedNames = Object.keys(fixed);
  const segments = parts.filter((part) => part.kind === 'segment');
  for (const name of fixedNames) {
    if (!segments.some((part) => part.name === name))
      throw queryError(
        entity,
        name,
        faults.unknownSegment(name, segments.map((part) => part.name).join(', ')),
      );
  }
  for (const { name } of segments.slice(0, fixedNames.length)) {
    if (!Object.hasOwn(fixed, name)) throw queryError(entity, name, faults.skippedSegment(name));
  }
  let index = parts.findIndex(
    (part) => part.kind === 'segment' && !Object.hasOwn(fixed, part.name),
  );
  if (index < 0) index = parts.length;
  if (bound !== undefined) checkBound(entity, parts[index], bound);
  return index;
}

/** `next` is the first part that is not fixed. */
function checkBound(
  entity: string,
  next: KeyLayout['parts'][number] | undefined,
  { segment }: SegmentBound,
): void {
  if (next?.kind === 'segment' && next.name === segment) return;
  let fix = 'remove the bound';
  if (next?.kind === 'segment')
    fix = `bound '${next.name}', or fix the segments before '${segment}'`;
  throw queryError(entity, segment, faults.misplacedBound(segment, fix));
}

function queryError(
  entity: string,
  property: string,
  fault: FaultText,
  value?: unknown,
): RowsmithError {
  return new RowsmithError('INVALID_QUERY', {
    entity,
    property,
    problem: fault.problem,
    fix: fault.fix,
    value,
  });
}

/** Reused: a buffer for each fixed part would cost a short query a tenth of its time. */
let spareWriter: KeyWriter | undefined;

function encoded(write: (out: KeyWriter) => void): Uint8Array {
  // Values come from the caller, and a getter among them may call `ranges` itself.
  const out = spareWriter ?? new KeyWriter();
  spareWriter = undefined;
  out.at = 0;
  write(out);
  const bytes = out.copy();
  spareWriter = out;
  return bytes;
}

function checkedKey(
  { entity }: KeyLayout,
  order: KeyOrder,
  parts: readonly Uint8Array[],
): Uint8Array {
  const key = order.wholeKey(parts);
  if (key.length > 0 && key.length <= maxRowKeyBytes) return key;
  throw new RowsmithError('INVALID_KEY', {
    entity,
    ...faults.keyLengthOutOfRange(key.length),
  });
}

function rangesUnder(
  layout: KeyLayout,
  order: KeyOrder,
  prefixParts: readonly Uint8Array[],
  next: number,
  bound: SegmentBound | undefined,
): KeyRange[] {
  const prefix = order.under(prefixParts);
  if (bound === undefined) return rangesUpTo(prefix, prefix.end);
  const part = layout.parts[next] as FramedSegment;
  const last = next === layout.parts.length - 1;
  return unionRanges(boundRanges({ layout, order, part, last, prefix }, bound));
}

function boundRanges(segment: BoundedSegment, bound: SegmentBound): KeyRange[] {
  switch (bound.kind) {
    case 'between':
      return betweenRanges(segment, bound.from, bound.to);
    case 'startsWith':
      return startsWithRanges(segment, bound.text);
    case 'subdomains':
      return subdomainRanges(segment, bound.domain);
  }
}

function betweenRanges(
  segment: BoundedSegment,
  from: FieldBound | undefined,
  to: FieldBound | undefined,
): KeyRange[] {
  const { layout, part, prefix } = segment;
  const problem = unorderedReason(segment);
  if (problem !== undefined)
    throw queryError(layout.entity, part.name, faults.unorderedSegment(problem));
  let low = encodedBound(segment, 'from', from);
  let high = encodedBound(segment, 'to', to);
  if (part.field.descending) [low, high] = [high, low];
  // Nothing sorts before the empty value.
  if (high !== undefined && high.bytes.length === 0 && !high.inclusive) return [];
  let { end } = prefix;
  if (high !== undefined) end = boundKey(segment, high, high.inclusive);
  if (low === undefined || (low.bytes.length === 0 && low.inclusive))
    return rangesUpTo(prefix, end);
  return [rangeFrom(boundKey(segment, low, !low.inclusive), end)];
}

/** The first key with the value of a bound, or the end of all keys with it. */
function boundKey(
  { order, prefix, last }: BoundedSegment,
  { bytes }: EncodedBound,
  afterValue: boolean,
): Uint8Array {
  const value = concatBytes(prefix.base, order.written(bytes));
  if (afterValue) return order.endOfKeys(value, last);
  return value;
}

/** Why the segment does not sort by value; undefined if it does. */
function unorderedReason({ layout, part, last }: BoundedSegment): string | undefined {
  const { field } = part;
  if (field.noRanges !== undefined) return field.noRanges;
  if (layout.ordered || last || field.prefixFree) return undefined;
  const { framing } = layout;
  if (framing.growth(field) > 1 || field.minByte > framing.separator[0]) return undefined;
  return 'values of this segment may sort differently before the delimiter, which is not escaped';
}

function encodedBound(
  { layout, part }: BoundedSegment,
  end: 'from' | 'to',
  bound: FieldBound | undefined,
): EncodedBound | undefined {
  if (bound === undefined) return undefined;
  const { value, inclusive } = mappedBound(part, end, bound);
  return { bytes: encoded((out) => writeValue(layout, out, part, value)), inclusive };
}

/** Invalid values are left as they are, for `writeValue` to reject. */
function mappedBound({ field }: FramedSegment, end: 'from' | 'to', bound: FieldBound): FieldBound {
  if (field.mapBound === undefined) return bound;
  if (!isDate(bound.value) || Number.isNaN(bound.value.getTime())) return bound;
  return field.mapBound(end, bound);
}

function startsWithRanges(segment: BoundedSegment, text: string): KeyRange[] {
  const { prefixForms } = segment.part.field;
  if (prefixForms === undefined) return prefixRanges(segment, text);
  return unionRanges(prefixForms(text).flatMap((form) => prefixRanges(segment, form)));
}

function prefixRanges(segment: BoundedSegment, text: string): KeyRange[] {
  const { layout, part, prefix } = segment;
  const { startsWith } = part.field;
  if (startsWith === undefined)
    throw queryError(layout.entity, part.name, faults.notAnAscendingString, text);
  const value = encoded((out) => writeValue(layout, out, part, text));
  if (text === '' && part.nullable)
    return betweenRanges(segment, { value: null, inclusive: false }, undefined);
  if (text === '') return rangesUpTo(prefix, prefix.end);
  // The first match is encoded as a value, because of escape_nulls; the common prefix is not.
  const common = encoded((out) => {
    startsWith(out, text);
    layout.framing.escape(out, 0);
  });
  return [rangeFrom(concatBytes(prefix.base, value), nextPrefix(concatBytes(prefix.base, common)))];
}

/** The domain itself, and apart from it its subdomains: `-` sorts before the dot that follows. */
function subdomainRanges(segment: BoundedSegment, domain: string): KeyRange[] {
  const { layout, order, part, last, prefix } = segment;
  if (part.field.subdomains !== true)
    throw queryError(layout.entity, part.name, faults.notADomainSegment, domain);
  const value = concatBytes(
    prefix.base,
    encoded((out) => writeValue(layout, out, part, domain)),
  );
  const dot = concatBytes(value, Uint8Array.of(0x2e));
  return [
    rangeFrom(order.firstKey(value, last), order.endOfKeys(value, last)),
    rangeFrom(dot, nextPrefix(dot)),
  ];
}

const faults = {
  unknownSegment: (name: string, list: string) => ({
    problem: `'${name}' is not a segment of the key`,
    fix: `use ${list}`,
  }),
  skippedSegment: (name: string) => ({
    problem: `segment '${name}' is missing, but a later segment has a value`,
    fix: `add '${name}'`,
  }),
  misplacedBound: (segment: string, fix: string) => ({
    problem: `only the first segment that is not fixed can have a bound, not '${segment}'`,
    fix,
  }),
  keyLengthOutOfRange: (length: number) => ({
    problem: `the key has ${length} bytes`,
    fix: `pass values that make a key of 1 to ${maxRowKeyBytes} bytes`,
  }),
  unorderedSegment: (problem: string) => ({
    problem,
    fix: 'fix the segment to one value, or filter after reading',
  }),
  notAnAscendingString: {
    problem: 'startsWith needs an ascending string segment',
    fix: 'use between, or fix the segment',
  },
  notADomainSegment: {
    problem: 'only domain segments have subdomains',
    fix: "declare the segment as 'domain'",
  },
} satisfies FaultTexts;
