/** Where the keys with a given prefix of parts are; see "Ranges" in FORMAT.md. */
import {
  concatBytes,
  type KeyRange,
  nextKey,
  noBytes,
  pointRange,
  rangeFrom,
} from '../../../base/index.js';
import type { Framing } from '../framing/framing.js';
import { emptyPart, type KeyLayout } from './key-layout.js';

/** The keys with a given prefix of parts. */
export interface PrefixRange {
  /**
   * The ordered format omits empty parts at the end, so the key with nothing but empty parts after
   * the prefix can be apart from the rest: then it is this key.
   */
  readonly alone?: Uint8Array;
  /** The lowest of the other keys. */
  readonly start: Uint8Array;
  /** The bytes before the next part. */
  readonly base: Uint8Array;
  /** Exclusive; undefined for the end of the table. */
  readonly end?: Uint8Array;
}

/** How the keys of a format are joined. Parts are escaped; `value` is a part with its prefix. */
export interface KeyOrder {
  /** The key of exactly these parts. */
  wholeKey(parts: readonly Uint8Array[]): Uint8Array;
  /** The keys that begin with these parts. */
  under(prefix: readonly Uint8Array[]): PrefixRange;
  /** A bounded part as it is written if it is not omitted. */
  written(part: Uint8Array): Uint8Array;
  /** The lowest possible key with the value; `last` if the value is in the last part. */
  firstKey(value: Uint8Array, last: boolean): Uint8Array;
  /** Exclusive end of the keys with the value; `last` if the value is in the last part. */
  endOfKeys(value: Uint8Array, last: boolean): Uint8Array;
}

/** The order of the keys of a layout. */
export function keyOrder({ framing, ordered }: KeyLayout): KeyOrder {
  if (ordered) return orderedKeys(framing);
  return delimitedKeys(framing);
}

/** From the first key with the prefix up to `end`, exclusive. */
export function rangesUpTo({ alone, start }: PrefixRange, end: Uint8Array | undefined): KeyRange[] {
  if (alone === undefined) return [rangeFrom(start, end)];
  return [pointRange(alone), rangeFrom(start, end)];
}

/** The text and delimited formats. */
function delimitedKeys({ separator, after }: Framing): KeyOrder {
  return {
    wholeKey: (parts) => join(separator, parts),
    under(prefix) {
      if (prefix.length === 0) return { start: noBytes, base: noBytes };
      const joined = join(separator, prefix);
      const base = concatBytes(joined, separator);
      return { start: base, base, end: concatBytes(joined, after) };
    },
    written: (part) => part,
    firstKey(value, last) {
      if (last) return value;
      return concatBytes(value, separator);
    },
    endOfKeys(value, last) {
      if (last) return nextKey(value);
      return concatBytes(value, after);
    },
  };
}

/** The ordered format, in which empty parts at the end of a key are omitted. */
function orderedKeys({ separator, after }: Framing): KeyOrder {
  const written = (part: Uint8Array): Uint8Array => {
    if (part.length === 0) return emptyPart;
    return part;
  };
  const wholeKey = (parts: readonly Uint8Array[]): Uint8Array => {
    const length = parts.findLastIndex((part) => part.length > 0) + 1;
    if (length === 0) return emptyPart.slice();
    return join(separator, parts.slice(0, length).map(written));
  };
  return {
    wholeKey,
    under(prefix) {
      if (prefix.length === 0) return { start: noBytes, base: noBytes };
      const joined = join(separator, prefix.map(written));
      const base = concatBytes(joined, separator);
      const end = concatBytes(joined, after);
      // The key with nothing but empty parts after the prefix omits them, and the prefix's own too.
      const alone = wholeKey(prefix);
      if (prefix[prefix.length - 1].length > 0) return { start: alone, base, end };
      return { alone, start: base, base, end };
    },
    written,
    firstKey: (value) => value,
    endOfKeys: (value) => concatBytes(value, after),
  };
}

function join(separator: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    if (pieces.length > 0) pieces.push(separator);
    pieces.push(part);
  }
  return concatBytes(...pieces);
}
