/**
 * Bigtable's OrderedCodeBytes: 00 01 between parts, 00 as 00 FF, an empty part as 00 00, empty
 * parts at the end left out.
 */
import { notAValue } from '../encoding/segment-value-error.js';
import { remembering, type Framing, type PartReader } from './framing.js';
import { propertySetter, type PropertySetter } from './property-setter.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import type { FieldReader } from '../kinds/field.js';

/** The ordered format's framing. */
export const orderedFraming: Framing = {
  separator: Uint8Array.of(0x00, 0x01),
  after: Uint8Array.of(0x00, 0x02),
  growth: (field) => (field.leastByte > 0 ? 1 : 2),
  escape: escapeZeros,
  writeSegment(out, { field }, value) {
    const from = out.at;
    field.write(out, value);
    if (field.leastByte === 0) escapeZeros(out, from);
  },
  reader(part, last) {
    if (part.kind === 'literal') return partReader(undefined, literalField(part.bytes), last);
    const read = partReader(propertySetter(part.name), part.field.reader(), last);
    const { immutable, maxLength } = part.field;
    // Numbers and ids are read as quickly as compared with the last one.
    return immutable && maxLength > 16
      ? remembering(part.name, read, last ? endsKey : endsPart, 2)
      : read;
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

function endsKey(_bytes: Uint8Array, stop: number, end: number): number {
  return stop === end ? end + 1 : -1;
}

/** A part may end the key before the last one when all that follow are empty. */
function endsPart(bytes: Uint8Array, stop: number, end: number): number {
  if (stop === end) return end + 1;
  return stop + 2 <= end && bytes[stop] === 0x00 && bytes[stop + 1] === 0x01 ? stop + 2 : -1;
}

/** Literals are held escaped, so their reader sees raw bytes against the raw literal. */
function literalField(framed: Uint8Array): FieldReader {
  const raw: number[] = [];
  for (let i = 0; i < framed.length; i++) {
    raw.push(framed[i]);
    if (framed[i] === 0) i++;
  }
  return (bytes, start, end) => {
    if (end - start !== raw.length) return notAValue;
    for (let i = 0; i < raw.length; i++) if (bytes[start + i] !== raw[i]) return notAValue;
    return true;
  };
}

function partReader(set: PropertySetter | undefined, read: FieldReader, last: boolean): PartReader {
  const ends = last ? endsKey : endsPart;
  let own = new Uint8Array(64);
  const finish = (value: unknown, next: number, target: Record<string, unknown>): number => {
    if (value === notAValue) return -1;
    if (set !== undefined) set(target, value);
    return next;
  };
  return (bytes, at, end, target) => {
    if (at > end) return finish(read(own, 0, 0), at, target);
    // A separator must be followed by something: empty parts at the end are left out.
    if (at === end) return -1;
    if (bytes[at] === 0x00 && at + 1 < end && bytes[at + 1] === 0x00) {
      const next = at + 2 === end ? -1 : ends(bytes, at + 2, end);
      return next < 0 ? -1 : finish(read(own, 0, 0), next, target);
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
    const next = stop === at ? -1 : ends(bytes, stop, end);
    if (next < 0) return -1;
    if (zeros === 0) return finish(read(bytes, at, stop), next, target);
    if (stop - at > own.length) own = new Uint8Array((stop - at) * 2);
    let length = 0;
    for (let i = at; i < stop; i++) {
      own[length++] = bytes[i];
      if (bytes[i] === 0x00) i++;
    }
    return finish(read(own, 0, length), next, target);
  };
}
