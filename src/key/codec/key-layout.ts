/** A key compiled into framed parts: writing whole keys and prefixes, and reading keys back. */
import { maxRowKeyBytes } from '../../base/index.js';
import type { FramedPart, Framing, PartReader } from '../framing/framing.js';
import { SegmentValueError, rejectValue } from '../encoding/segment-value-error.js';
import { RowsmithError } from '../../errors.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { propertiesSetter } from '../framing/property-setter.js';
import { readShortDigits, writeDigits } from '../encoding/digits.js';
import { fnv1a, fnvByte, fnvStart, shardWidth } from './shard.js';

/** What a whole key is made of. */
export interface KeyLayout {
  readonly entity: string;
  readonly framing: Framing;
  readonly parts: readonly FramedPart[];
  /** The byte hashed between two segments. */
  readonly joint: number;
  /** Hash shard; `by` tells for each part whether it is hashed. */
  readonly shards?: { readonly count: number; readonly by: readonly boolean[] };
  /** Bigtable's OrderedCodeBytes leaves empty parts at the end out and marks other empty ones. */
  readonly ordered: boolean;
}

/**
 * Appends one part from `values`; throws INVALID_KEY with the segment's name when it has no value
 * there.
 */
export function writePart(
  layout: KeyLayout,
  out: KeyWriter,
  part: FramedPart,
  values: Readonly<Record<string, unknown>>,
): void {
  if (part.kind === 'literal') return out.append(part.bytes);
  writeValue(layout, out, part, values[part.name]);
}

/** Appends a segment's value; throws INVALID_KEY. */
export function writeValue(
  layout: KeyLayout,
  out: KeyWriter,
  part: FramedPart & { kind: 'segment' },
  value: unknown,
): void {
  try {
    if (value === undefined)
      rejectValue('the segment is missing', 'pass a value for every segment', value);
    if (value === null && !part.nullable)
      rejectValue(
        'null in a segment that is not nullable',
        'pass a value, or declare the segment nullable: true',
        value,
      );
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

/** Writes whole keys with one buffer. */
export function keyEncoder(
  layout: KeyLayout,
): (values: Readonly<Record<string, unknown>>) => Uint8Array {
  const { parts, framing, shards, ordered } = layout;
  const out = new KeyWriter();
  const width = shards === undefined ? 0 : shardWidth(shards.count);
  return (values) => {
    out.at = 0;
    if (shards !== undefined) {
      out.reserve(width);
      out.at = width;
      out.append(framing.separator);
    }
    let hash = fnvStart;
    let hashed = false;
    let keep = 0;
    for (let i = 0; i < parts.length; i++) {
      if (i > 0) out.append(framing.separator);
      const from = out.at;
      writePart(layout, out, parts[i], values);
      if (shards !== undefined && shards.by[i]) {
        hash = fnv1a(hashed ? fnvByte(hash, layout.joint) : hash, out.bytes, from, out.at);
        hashed = true;
      }
      if (out.at > from) keep = out.at;
      else if (ordered) out.append(emptyPart);
    }
    if (ordered) out.at = keep > 0 ? keep : Math.max(shards === undefined ? 2 : width, 0);
    if (ordered && keep === 0 && shards === undefined) out.bytes.fill(0, 0, 2);
    if (shards !== undefined) writeShard(out, hash % shards.count, width);
    if (out.at === 0)
      throw wholeKey(
        layout,
        'the key is empty',
        'give the segment a value: row keys have at least one byte',
        values,
      );
    if (out.at > maxRowKeyBytes)
      throw wholeKey(
        layout,
        `the key has ${out.at} bytes and row keys at most ${maxRowKeyBytes}`,
        'pass shorter values',
        values,
      );
    return out.copy();
  };
}

const emptyPart = new Uint8Array(2);

function writeShard(out: KeyWriter, shard: number, width: number): void {
  const { at } = out;
  out.at = 0;
  writeDigits(out, shard, width, false);
  out.at = at;
}

function wholeKey(
  { entity }: KeyLayout,
  problem: string,
  fix: string,
  value: unknown,
): RowsmithError {
  return new RowsmithError('INVALID_KEY', { entity, problem, fix, value });
}

/**
 * Reads whole keys; returns the index of the first part that is not this key's, -1 when all are,
 * and parts.length for a wrong shard or end.
 */
export type StepReader = (
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Record<string, unknown>,
) => number;

/** Makes a reader that says where a key stops being one of the layout's. */
export function keyReader(layout: KeyLayout): StepReader {
  const { parts, framing, shards, ordered } = layout;
  const readers = parts.map((part, i) => framing.reader(part, i === parts.length - 1));
  if (shards !== undefined) return shardedReader(layout, readers);
  const count = readers.length;
  const lead = leadOf(layout);
  const leading = lead.count;
  const readLast = readers[count - 1];
  const last = leading === count - 1 ? leading : -1;
  return (bytes, start, end, target) => {
    if (end <= start || end - start > maxRowKeyBytes) return count;
    // A key of nothing but empty parts is 00 00, so every part is read as left out.
    let at =
      ordered && end - start === 2 && bytes[start] === 0 && bytes[start + 1] === 0
        ? end + 1
        : start;
    let i = 0;
    if (leading > 0) {
      const next = lead.match(bytes, start, end, target);
      if (next >= 0) {
        // Most rows of most scans: a call of its own, which the compiler can take in.
        if (last > 0) {
          at = readLast(bytes, next, end, target);
          return at === end + 1 ? -1 : at < 0 ? last : count;
        }
        at = next;
      } else {
        for (; i < leading; i++) {
          at = readers[i](bytes, at, end, target);
          if (at < 0) return i;
        }
        lead.keep(bytes, start, at, end, target);
      }
      i = leading;
    }
    for (; i < count; i++) {
      at = readers[i](bytes, at, end, target);
      if (at < 0) return i;
    }
    return at === end + 1 ? -1 : count;
  };
}

/** The leading parts of the last key that was read. */
interface Lead {
  /** How many parts: all before the last one, as far as their values can be handed out twice. */
  readonly count: number;
  /**
   * Sets their values where the key begins with the same bytes; answers where the next part starts,
   * else -1.
   */
  match(bytes: Uint8Array, start: number, end: number, target: Record<string, unknown>): number;
  /** Notes `[start, at)` and the values just read from it. */
  keep(
    bytes: Uint8Array,
    start: number,
    at: number,
    end: number,
    target: Record<string, unknown>,
  ): void;
}

/**
 * Rows of a scan begin with the same segments: one comparison then stands for reading each. The
 * bytes hold the separator behind the last of them, so what follows cannot change what they say.
 */
function leadOf({ parts }: KeyLayout): Lead {
  // A Date is made anew for every row: who got one may change it.
  const count = parts.findIndex(
    (part, i) => i === parts.length - 1 || (part.kind === 'segment' && !part.field.immutable),
  );
  const names = parts
    .slice(0, count)
    .flatMap((part) => (part.kind === 'segment' ? [part.name] : []));
  const set = propertiesSetter(names);
  const values: unknown[] = new Array<unknown>(names.length);
  let held = new Uint8Array(64);
  let length = 0;
  /** Keys in a row that began otherwise. Where they always do, noting them is seldom tried. */
  let misses = 0;
  return {
    count,
    match(bytes, start, end, target) {
      if (length === 0 || start + length > end) return -1;
      // Keys that differ mostly do so at the end.
      for (let i = length - 1; i >= 0; i--) if (bytes[start + i] !== held[i]) return -1;
      misses = 0;
      set(target, values);
      return start + length;
    },
    keep(bytes, start, at, end, target) {
      if (++misses > 8 && misses % 64 !== 0) return;
      length = at > end ? 0 : at - start;
      if (length > held.length) held = new Uint8Array(length * 2);
      for (let i = 0; i < length; i++) held[i] = bytes[start + i];
      for (let i = 0; i < names.length; i++) values[i] = target[names[i]];
    },
  };
}

function shardedReader(layout: KeyLayout, readers: readonly PartReader[]): StepReader {
  const { framing, shards, ordered, joint } = layout;
  if (shards === undefined) throw new TypeError('the layout has no shards');
  const width = shardWidth(shards.count);
  const gap = framing.separator.length;
  const count = readers.length;
  return (bytes, start, end, target) => {
    if (end - start > maxRowKeyBytes || end < start + width) return count;
    const shard = readShortDigits(bytes, start, start + width);
    let at = start + width;
    const alone = ordered && at === end;
    for (let i = 0; i < gap && !alone; i++)
      if (at >= end || bytes[at++] !== framing.separator[i]) return count;
    if (alone) at = end + 1;
    let hash = fnvStart;
    let hashed = false;
    for (let i = 0; i < count; i++) {
      const from = at;
      at = readers[i](bytes, at, end, target);
      if (at < 0) return i;
      if (!shards.by[i]) continue;
      const stop = from > end ? from : at === end + 1 ? end : at - gap;
      const empty = ordered && stop - from === 2 && bytes[from] === 0 && bytes[from + 1] === 0;
      hash = fnv1a(hashed ? fnvByte(hash, joint) : hash, bytes, from, empty ? from : stop);
      hashed = true;
    }
    return at === end + 1 && hash % shards.count === shard ? -1 : count;
  };
}

/** The shard of known values; undefined when a hashed segment is not among them. */
export function knownShard(
  layout: KeyLayout,
  fixed: Readonly<Record<string, unknown>>,
): number | undefined {
  const { shards, parts, joint } = layout;
  if (shards === undefined) return undefined;
  const out = new KeyWriter();
  let hash = fnvStart;
  let hashed = false;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (!shards.by[i] || part.kind === 'literal') continue;
    if (!Object.hasOwn(fixed, part.name)) return undefined;
    out.at = 0;
    writeValue(layout, out, part, fixed[part.name]);
    hash = fnv1a(hashed ? fnvByte(hash, joint) : hash, out.bytes, 0, out.at);
    hashed = true;
  }
  return hash % shards.count;
}
