/**
 * Framings turn raw segments into keys: they escape each part and join the parts with separators.
 * Empty parts at the end of a key in the ordered format are left out; their readers are called with
 * `at` equal to `end + 1`.
 */
import type { Field } from '../fields/field.js';
import type { KeyWriter } from '../encoding/key-writer.js';
import { propertySetter } from './property-setter.js';

/**
 * Reads one part of a key. Returns the index at which the next part starts, `end + 1` if this part
 * ends the key, and -1 if the bytes are not canonical.
 */
export type PartReader = (
  bytes: Uint8Array,
  at: number,
  end: number,
  target: Record<string, unknown>,
) => number;

/**
 * Given the index at which the bytes of a part stop, returns what a PartReader returns: -1 if the
 * part may not stop there.
 */
export type PartEnd = (bytes: Uint8Array, stop: number, end: number) => number;

/** A compiled literal; `bytes` are escaped. */
export interface FramedLiteral {
  readonly kind: 'literal';
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** A compiled segment. */
export interface FramedSegment {
  readonly kind: 'segment';
  readonly name: string;
  readonly field: Field;
  readonly nullable: boolean;
}

/** A compiled part of a key. */
export type FramedPart = FramedLiteral | FramedSegment;

/** One way to escape and join parts. */
export interface Framing {
  /** Bytes between two parts. */
  readonly separator: Uint8Array;
  /**
   * The separator's successor: `P + after` is the exclusive end of all keys that continue P with a
   * separator.
   */
  readonly after: Uint8Array;
  /** Maximum number of bytes that one raw byte takes. */
  growth(field: Field): number;
  /** Appends a segment's value, escaped, without separator. Rejects what cannot be written. */
  writeSegment(out: KeyWriter, part: FramedSegment, value: unknown): void;
  /** Escapes, in place, the raw bytes that were written from index `from` on. */
  escape(out: KeyWriter, from: number): void;
  /** Creates the reader of a part; `last` for the last part of the key. */
  reader(part: FramedPart, last: boolean): PartReader;
}

/** The PartEnd of the last part of a key. */
export const endsKey: PartEnd = (_bytes, stop, end) => {
  if (stop === end) return end + 1;
  return -1;
};

/** The index at which a part's bytes stop, given what its reader returned. */
export function partStop(next: number, end: number, separatorLength: number): number {
  if (next === end + 1) return end;
  return next - separatorLength;
}

/**
 * Caches the last value of a segment and returns it again while the bytes are the same: the rows of
 * a scan repeat their leading segments.
 */
export function cachingReader(
  name: string,
  read: PartReader,
  ends: PartEnd,
  separatorLength: number,
): PartReader {
  const set = propertySetter(name);
  let cached = new Uint8Array(64);
  let length = -1;
  let value: unknown;
  return (bytes, at, end, target) => {
    const stop = at + length;
    if (length > 0 && stop <= end) {
      let i = 0;
      while (i < length && bytes[at + i] === cached[i]) i++;
      if (i === length) {
        const next = ends(bytes, stop, end);
        if (next >= 0) {
          set(target, value);
          return next;
        }
      }
    }
    const next = read(bytes, at, end, target);
    if (next >= 0 && at < end) {
      length = partStop(next, end, separatorLength) - at;
      if (length > cached.length) cached = new Uint8Array(length * 2);
      for (let i = 0; i < length; i++) cached[i] = bytes[at + i];
      value = target[name];
    }
    return next;
  };
}
