/**
 * How raw segments become a key: escaping and joining. A part reader returns where the next part
 * starts, `end + 1` when this part ends the key, and -1 when the bytes are not canonical; parts
 * that the ordered format leaves out at the end are read at `end + 1`.
 */
import type { Field } from '../kinds/field.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { propertySetter } from './property-setter.js';

/** Reads one part of a key; see above for what it returns. */
export type PartReader = (
  bytes: Uint8Array,
  at: number,
  end: number,
  target: Record<string, unknown>,
) => number;

/** A compiled part of a key. */
export type FramedPart =
  | { readonly kind: 'literal'; readonly text: string; readonly bytes: Uint8Array }
  | {
      readonly kind: 'segment';
      readonly name: string;
      readonly field: Field;
      readonly nullable: boolean;
    };

/** One way to escape and join. */
export interface Framing {
  /** Bytes between two parts. */
  readonly separator: Uint8Array;
  /**
   * First bytes past everything that follows a part and its separator: the separator's successor,
   * so `P + after` ends all keys with P.
   */
  readonly after: Uint8Array;
  /** Most bytes one raw byte can take. */
  growth(field: Field): number;
  /** Appends a segment's value, escaped, without separator; refuses what cannot be written. */
  writeSegment(out: KeyWriter, part: FramedPart & { kind: 'segment' }, value: unknown): void;
  /** Appends raw bytes that were written from `from` on in their escaped form, in place. */
  escape(out: KeyWriter, from: number): void;
  /** Reader of a part; `last` for the last part of the key. */
  reader(part: FramedPart, last: boolean): PartReader;
}

/**
 * Keeps the last value of a segment and gives it again while the bytes are the same: scans repeat
 * leading segments.
 */
export function remembering(
  name: string,
  read: PartReader,
  ends: (bytes: Uint8Array, stop: number, end: number) => number,
  separatorLength: number,
): PartReader {
  const set = propertySetter(name);
  let held = new Uint8Array(64);
  let length = -1;
  let value: unknown;
  return (bytes, at, end, target) => {
    const stop = at + length;
    if (length > 0 && stop <= end) {
      let i = 0;
      while (i < length && bytes[at + i] === held[i]) i++;
      const next = i === length ? ends(bytes, stop, end) : -1;
      if (next >= 0) {
        set(target, value);
        return next;
      }
    }
    const next = read(bytes, at, end, target);
    if (next >= 0 && at < end) {
      length = (next === end + 1 ? end : next - separatorLength) - at;
      if (length > held.length) held = new Uint8Array(length * 2);
      for (let i = 0; i < length; i++) held[i] = bytes[at + i];
      value = target[name];
    }
    return next;
  };
}
