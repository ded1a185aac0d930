/**
 * Bigtable's OrderedCodeBytes: 00 01 between parts, 00 as 00 FF, an empty part as 00 00, empty
 * parts at the end left out.
 */
import { notAValue } from '../encoding/segment-value-error.js';
import { cachingReader, endsKey, type Framing, type PartEnd, type PartReader } from './framing.js';
import { propertySetter, type PropertySetter } from './property-setter.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import type { FieldReader } from '../fields/field.js';

/** Numbers and ids up to this many bytes are decoded as fast as they are compared. */
const maxUncachedLength = 16;

/** The ordered format's framing. */
export const orderedFraming: Framing = {
  separator: Uint8Array.of(0x00, 0x01),
  after: Uint8Array.of(0x00, 0x02),
  growth(field) {
    if (field.minByte > 0) return 1;
    return 2;
  },
  escape: escapeZeros,
  writeSegment(out, { field }, value) {
    const from = out.at;
    field.write(out, value);
    if (field.minByte === 0) escapeZeros(out, from);
  },
  reader(part, last) {
    const ends = endOf(last);
    if (part.kind === 'literal') return partReader(undefined, literalReader(part.bytes), ends);
    const { name, field } = part;
    const read = partReader(propertySetter(name), field.reader(), ends);
    if (!field.immutable || field.maxLength <= maxUncachedLength) return read;
    return cachingReader(name, read, ends, 2);
  },
};

function escapeZeros(out: KeyWriter, from: number): void {
  let count = 0;
  for (let i = from; i < out.at; i++) if (out.bytes[i] === 0) count++;
  if (count === 0) return;
  out.reserve(count);
  const { bytes } = out;
  let to = out.at + count;
  for (let i = out.at - 1; i >= from; i--) {
    if (bytes[i] === 0) bytes[--to] = 0xff;
    bytes[--to] = bytes[i];
  }
  out.at += count;
}

function endOf(last: boolean): PartEnd {
  if (last) return endsKey;
  return endsPart;
}

/** A part before the last one may end the key: then all parts that follow are empty. */
function endsPart(bytes: Uint8Array, stop: number, end: number): number {
  if (stop === end) return end + 1;
  if (stop + 2 <= end && bytes[stop] === 0x00 && bytes[stop + 1] === 0x01) return stop + 2;
  return -1;
}

/** Compares unescaped bytes with a literal, which is stored escaped. */
function literalReader(escaped: Uint8Array): FieldReader {
  const raw: number[] = [];
  for (let i = 0; i < escaped.length; i++) {
    raw.push(escaped[i]);
    if (escaped[i] === 0) i++;
  }
  return (bytes, start, end) => {
    if (end - start !== raw.length) return notAValue;
    for (let i = 0; i < raw.length; i++) if (bytes[start + i] !== raw[i]) return notAValue;
    return true;
  };
}

function partReader(set: PropertySetter | undefined, read: FieldReader, ends: PartEnd): PartReader {
  let unescaped = new Uint8Array(64);
  const finish = (value: unknown, next: number, target: Record<string, unknown>): number => {
    if (value === notAValue) return -1;
    if (set !== undefined) set(target, value);
    return next;
  };
  return (bytes, at, end, target) => {
    if (at > end) return finish(read(unescaped, 0, 0), at, target);
    // A separator must be followed by something: empty parts at the end are left out.
    if (at === end) return -1;
    if (bytes[at] === 0x00 && at + 1 < end && bytes[at + 1] === 0x00) {
      if (at + 2 === end) return -1;
      const next = ends(bytes, at + 2, end);
      if (next < 0) return -1;
      return finish(read(unescaped, 0, 0), next, target);
    }
    let stop = at;
    let zeros = 0;
    while (stop < end) {
      if (bytes[stop] !== 0x00) stop++;
      else if (stop + 1 < end && bytes[stop + 1] === 0xff) {
        zeros++;
        stop += 2;
      } else break;
    }
    if (stop === at) return -1;
    const next = ends(bytes, stop, end);
    if (next < 0) return -1;
    if (zeros === 0) return finish(read(bytes, at, stop), next, target);
    if (stop - at > unescaped.length) unescaped = new Uint8Array((stop - at) * 2);
    let length = 0;
    for (let i = at; i < stop; i++) {
      unescaped[length++] = bytes[i];
      if (bytes[i] === 0x00) i++;
    }
    return finish(read(unescaped, 0, length), next, target);
  };
}
