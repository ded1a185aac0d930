/** Encodes and decodes whole keys, given a key compiled into framed parts. */
import { maxRowKeyBytes, RowsmithError, type FaultTexts } from '../../../base/index.js';
import {
  type FramedPart,
  type FramedSegment,
  type Framing,
  type PartReader,
  partStop,
} from '../framing/framing.js';
import type { KeyPart } from './key-codec.js';
import { SegmentValueError, rejectValue } from '../encoding/segment-value-error.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { propertiesSetter } from '../framing/property-setter.js';
import { readShortDigits, writeDigits } from '../encoding/digits.js';
import { emptyHash, hashSegment, shardWidth } from './shard.js';

/** A compiled key. */
export interface KeyLayout {
  readonly entity: string;
  readonly framing: Framing;
  readonly parts: readonly FramedPart[];
  /** The byte hashed between two segments. */
  readonly hashSeparator: number;
  /** The hash shard; `by` has an entry for each part: whether it is hashed. */
  readonly shards?: { readonly count: number; readonly by: readonly boolean[] };
  /** Bigtable's OrderedCodeBytes, which omits empty parts at the end and marks other empty ones. */
  readonly ordered: boolean;
}

/** An empty part before the last non-empty one, in the ordered format. */
export const emptyPart = new Uint8Array(2);

/** The names of the segments among the parts, in order. */
export function segmentNames(parts: readonly (KeyPart | FramedPart)[]): string[] {
  return parts.filter((part) => part.kind === 'segment').map(({ name }) => name);
}

/** Appends one part with its value from `values`; throws INVALID_KEY if it cannot be encoded. */
export function writePart(
  layout: KeyLayout,
  out: KeyWriter,
  part: FramedPart,
  values: Readonly<Record<string, unknown>>,
): void {
  if (part.kind === 'literal') return out.append(part.bytes);
  writeValue(layout, out, part, values[part.name]);
}

/** Appends a segment's value; throws INVALID_KEY if it cannot be encoded. */
export function writeValue(
  layout: KeyLayout,
  out: KeyWriter,
  part: FramedSegment,
  value: unknown,
): void {
  try {
    if (value === undefined) rejectValue(faults.missingSegment, value);
    if (value === null && !part.nullable) rejectValue(faults.nullValue, value);
    layout.framing.writeSegment(out, part, value);
  } catch (error) {
    if (!(error instanceof SegmentValueError)) throw error;
    throw new RowsmithError('INVALID_KEY', {
      entity: layout.entity,
      property: part.name,
      problem: error.message,
      fix: error.fix,
      value: error.value,
    });
  }
}

/** Creates the encoder of whole keys. It reuses one buffer. */
export function keyEncoder(
  layout: KeyLayout,
): (values: Readonly<Record<string, unknown>>) => Uint8Array {
  const { parts, framing, shards, ordered } = layout;
  const out = new KeyWriter();
  let shardDigits = 0;
  if (shards !== undefined) shardDigits = shardWidth(shards.count);
  return (values) => {
    out.at = 0;
    if (shards !== undefined) {
      // The digits are written last, when all hashed segments are encoded.
      out.reserve(shardDigits);
      out.at = shardDigits;
      out.append(framing.separator);
    }
    let hash: number | undefined;
    let contentEnd = 0;
    for (let i = 0; i < parts.length; i++) {
      if (i > 0) out.append(framing.separator);
      const from = out.at;
      writePart(layout, out, parts[i], values);
      if (shards !== undefined && shards.by[i])
        hash = hashSegment(hash, layout.hashSeparator, out.bytes, from, out.at);
      if (out.at > from) contentEnd = out.at;
      else if (ordered) out.append(emptyPart);
    }
    if (ordered) omitEmptyParts(out, contentEnd, shardDigits);
    if (shards !== undefined) writeShard(out, (hash ?? emptyHash) % shards.count, shardDigits);
    if (out.at === 0 || out.at > maxRowKeyBytes) throw keyLengthError(layout, out.at, values);
    return out.copy();
  };
}

/**
 * Cuts off the empty parts at the end. A key of nothing else is its shard, or else one empty part.
 */
function omitEmptyParts(out: KeyWriter, contentEnd: number, shardDigits: number): void {
  if (contentEnd > 0) out.at = contentEnd;
  else {
    out.at = shardDigits;
    if (shardDigits === 0) out.append(emptyPart);
  }
}

function writeShard(out: KeyWriter, shard: number, width: number): void {
  const { at } = out;
  out.at = 0;
  writeDigits(out, shard, width);
  out.at = at;
}

function keyLengthError({ entity }: KeyLayout, length: number, value: unknown): RowsmithError {
  if (length === 0)
    return new RowsmithError('INVALID_KEY', {
      entity,
      ...faults.emptyKey,
      value,
    });
  return new RowsmithError('INVALID_KEY', {
    entity,
    ...faults.keyTooLong(length),
    value,
  });
}

/**
 * Reads whole keys. Returns -1 if the key belongs to the layout, else the index of the first part
 * that does not, and the number of parts if the shard or the end of the key is wrong.
 */
export type KeyReader = (
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Record<string, unknown>,
) => number;

/** Creates a reader of whole keys. It owns caches, so every decoder needs its own. */
export function keyReader(layout: KeyLayout): KeyReader {
  const { parts, framing, ordered } = layout;
  const readers = parts.map((part, i) => framing.reader(part, i === parts.length - 1));
  if (layout.shards !== undefined) return shardedReader(layout, layout.shards, readers);
  const count = readers.length;
  const leading = leadingPartsCache(layout);
  const readLast = readers[count - 1];
  const onlyLastFollows = leading.count === count - 1;
  return (bytes, start, end, target) => {
    if (end <= start || end - start > maxRowKeyBytes) return count;
    let at = start;
    // 00 00 is the key of nothing but empty parts, so every part is read as omitted.
    if (ordered && end - start === 2 && bytes[start] === 0 && bytes[start + 1] === 0) at = end + 1;
    let i = 0;
    if (leading.count > 0) {
      const next = leading.match(bytes, start, end, target);
      if (next >= 0) {
        // Most rows of most scans. A separate call site, so that the compiler can inline it.
        if (onlyLastFollows) {
          at = readLast(bytes, next, end, target);
          if (at === end + 1) return -1;
          if (at < 0) return leading.count;
          return count;
        }
        at = next;
      } else {
        for (; i < leading.count; i++) {
          at = readers[i](bytes, at, end, target);
          if (at < 0) return i;
        }
        leading.store(bytes, start, at, end, target);
      }
      i = leading.count;
    }
    for (; i < count; i++) {
      at = readers[i](bytes, at, end, target);
      if (at < 0) return i;
    }
    if (at === end + 1) return -1;
    return count;
  };
}

/** Caches the leading parts of the last key that was read. */
interface LeadingPartsCache {
  /** Number of cached parts: those before the last part and before the first mutable value. */
  readonly count: number;
  /**
   * If the key begins with the cached bytes, sets the values of the leading parts and returns the
   * index at which the next part starts; else returns -1.
   */
  match(bytes: Uint8Array, start: number, end: number, target: Record<string, unknown>): number;
  /** Caches `[start, at)` and the values that were read from it into `target`. */
  store(
    bytes: Uint8Array,
    start: number,
    at: number,
    end: number,
    target: Record<string, unknown>,
  ): void;
}

/**
 * The rows of a scan begin with the same segments, so one comparison replaces reading each of them.
 * The cached bytes include the separator after the last of these parts, so that what follows cannot
 * change their values.
 */
function leadingPartsCache({ parts }: KeyLayout): LeadingPartsCache {
  // A Date is created for every row, since the caller may change it.
  const count = parts.findIndex(
    (part, i) => i === parts.length - 1 || (part.kind === 'segment' && !part.field.immutable),
  );
  const names = segmentNames(parts.slice(0, count));
  const set = propertiesSetter(names);
  const values: unknown[] = new Array<unknown>(names.length);
  let cached = new Uint8Array(64);
  let length = 0;
  /** Consecutive keys that began differently. After many of them, parts are stored only rarely. */
  let misses = 0;
  return {
    count,
    match(bytes, start, end, target) {
      if (length === 0 || start + length > end) return -1;
      // Back to front: keys that differ mostly do so at the end.
      for (let i = length - 1; i >= 0; i--) if (bytes[start + i] !== cached[i]) return -1;
      misses = 0;
      set(target, values);
      return start + length;
    },
    store(bytes, start, at, end, target) {
      if (++misses > 8 && misses % 64 !== 0) return;
      length = 0;
      if (at > end) return;
      length = at - start;
      if (length > cached.length) cached = new Uint8Array(length * 2);
      for (let i = 0; i < length; i++) cached[i] = bytes[start + i];
      for (let i = 0; i < names.length; i++) values[i] = target[names[i]];
    },
  };
}

function shardedReader(
  { framing, ordered, hashSeparator }: KeyLayout,
  shards: NonNullable<KeyLayout['shards']>,
  readers: readonly PartReader[],
): KeyReader {
  const { separator } = framing;
  const width = shardWidth(shards.count);
  const count = readers.length;
  return (bytes, start, end, target) => {
    if (end - start > maxRowKeyBytes || end < start + width) return count;
    const shard = readShortDigits(bytes, start, start + width);
    let at = start + width;
    // The shard alone is the key of nothing but empty parts.
    if (ordered && at === end) at = end + 1;
    else {
      for (let i = 0; i < separator.length; i++)
        if (at >= end || bytes[at++] !== separator[i]) return count;
    }
    let hash: number | undefined;
    for (let i = 0; i < count; i++) {
      const from = at;
      at = readers[i](bytes, at, end, target);
      if (at < 0) return i;
      if (!shards.by[i]) continue;
      let stop = from;
      if (from <= end) stop = partStop(at, end, separator.length);
      // An empty part is hashed as no bytes.
      if (ordered && stop - from === 2 && bytes[from] === 0 && bytes[from + 1] === 0) stop = from;
      hash = hashSegment(hash, hashSeparator, bytes, from, stop);
    }
    if (at === end + 1 && (hash ?? emptyHash) % shards.count === shard) return -1;
    return count;
  };
}

/** The shard of known values; undefined if a hashed segment is not among them. */
export function knownShard(
  layout: KeyLayout,
  fixed: Readonly<Record<string, unknown>>,
): number | undefined {
  const { shards, parts, hashSeparator } = layout;
  if (shards === undefined) return undefined;
  const out = new KeyWriter();
  let hash: number | undefined;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (!shards.by[i] || part.kind === 'literal') continue;
    if (!Object.hasOwn(fixed, part.name)) return undefined;
    out.at = 0;
    writeValue(layout, out, part, fixed[part.name]);
    hash = hashSegment(hash, hashSeparator, out.bytes, 0, out.at);
  }
  return (hash ?? emptyHash) % shards.count;
}

const faults = {
  missingSegment: { problem: 'the segment is missing', fix: 'pass a value for every segment' },
  nullValue: {
    problem: 'the value is null and the segment is not nullable',
    fix: 'pass a value, or declare the segment nullable: true',
  },
  emptyKey: {
    problem: 'the key is empty',
    fix: 'give the segment a value: row keys have at least one byte',
  },
  keyTooLong: (length: number) => ({
    problem: `the key has ${length} bytes and row keys have at most ${maxRowKeyBytes}`,
    fix: 'pass shorter values',
  }),
} satisfies FaultTexts;
